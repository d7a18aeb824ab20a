//! The tile loop: one tile of the canonical order, run by one thread of the host.

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::canonical::{self, of_lanes};
use crate::cursor::{Cursor, skip};
use crate::if_vector_loops;
use crate::lanes::{FEW, Lanes};
use crate::lines::{SHORTEST_HALF_ROWS, reduce_lines};
use crate::pending_nodes::PendingNodes;
use crate::stopped_tile::{NeverStops, Stops};

/// Levels of the tree of a tile's runs: there are at most as many runs as lanes.
pub(crate) const RUN_LEVELS: usize = canonical::MAX_LANES.ilog2() as usize + 1;

/// Reduces a tile of `len` iterations from `start` on, at most a whole tile; `None` if there is no iteration.
#[inline(always)]
pub fn reduce_tile<R, C, B>(reducer: &R, start: C, len: usize, body: &mut B) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    reduce_tile_with::<false, R, C, B, _>(reducer, start, len, body, &mut NeverStops)
}

/// [`reduce_tile`] of a tile that may stop; `None` then, too.
///
/// `MASKS`: vectors can leave out lanes, so that a loop over some lanes of a row is vector code if it is written as one over all.
#[inline(always)]
pub fn reduce_tile_with<const MASKS: bool, R, C, B, S>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
    stops: &mut S,
) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
    S: Stops<R::Value>,
{
    let reduce = of_lanes!(R: reduce_tile_of, MASKS, R, C, B, S);
    reduce(reducer, start, len, body, stops)
}

/// [`reduce_tile`] for at most one iteration for each lane, all on one line, and a reducer that commutes.
///
/// The values are made where they are used: the fastest way for few lanes, but one that does not vectorise.
#[inline(always)]
pub fn reduce_row<R, C, B>(reducer: &R, start: C, len: usize, body: &mut B) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    let reduce = of_lanes!(R: reduce_row_of, R, C, B, NeverStops);
    reduce(reducer, start, len, body, &mut NeverStops)
}

#[inline(always)]
fn reduce_row_of<const W: usize, R, C, B, S>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
    stops: &mut S,
) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
    S: Stops<R::Value>,
{
    debug_assert!(R::COMMUTATIVE && len <= W && start.line() >= len);
    let mut lanes = Lanes::<R, W>::new();
    let mut done = 0;
    while let Some(more) = stops.next(done) {
        let until = done.saturating_add(more).min(len);
        lanes.start_row(done, until, reducer, start, body);
        if until == len {
            return lanes.halve(reducer);
        }
        done = until;
    }
    lanes.hand_over(|lane, value| stops.keep(lane, value));
    None
}

#[inline(always)]
fn reduce_tile_of<const W: usize, const MASKS: bool, R, C, B, S>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
    stops: &mut S,
) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
    S: Stops<R::Value>,
{
    if const { !R::COMMUTATIVE } {
        return reduce_runs::<W, R, C, B, S>(reducer, start, len, body, stops);
    }
    if_vector_loops! {{
        // A few iterations take less time one by one.
        if const { MASKS && C::LINE && Lanes::<R, W>::COPIES } && len >= W / 2 {
            return reduce_line::<W, R, C, B, S>(reducer, start, len, body, stops);
        }
        if const { MASKS && !C::LINE && Lanes::<R, W>::COPIES }
            && len >= W
            && start.extent() >= SHORTEST_HALF_ROWS * W / 2
        {
            return reduce_lines::<W, R, C, B, S>(reducer, start, len, body, stops);
        }
        // A whole row is left to the loop below, which vectorises.
        if len < W && start.line() >= len {
            return reduce_row_of::<W, R, C, B, S>(reducer, start, len, body, stops);
        }
    }}
    let mut until = stops.next(0)?.min(len);
    let mut lanes = Lanes::<R, W>::new();
    lanes.start(len, |_| reducer.init());
    let mut place = start;
    let mut done = 0;
    while done < len {
        if done == until {
            let Some(more) = stops.next(done) else {
                lanes.hand_over(|lane, value| stops.keep(lane, value));
                return None;
            };
            until = done.saturating_add(more).min(len);
            if until < len && more >= W {
                // Whole rows vectorise.
                until -= until % W;
            }
        }
        let lane = done % W;
        if_vector_loops! {{
            let rows = (until - done) / W;
            if lane == 0 && lanes.rows_of_blocks(rows, &mut place, body) {
                done += rows * W;
                continue;
            }
        }}
        let along = place.line().min(until - done);
        let count = if_vector_loops! {{
            if lane == 0 && along >= W * Lanes::<R, W>::UNROLLED_ROWS {
                let rounds = along / (W * Lanes::<R, W>::UNROLLED_ROWS);
                lanes.rows(rounds, place, body);
                rounds * Lanes::<R, W>::UNROLLED_ROWS * W
            } else if const { Lanes::<R, W>::HAS_SINGLE_ROWS } && lane == 0 && along >= W {
                lanes.single_rows::<MASKS, C>(along / W, place, body);
                along / W * W
            } else {
                let count = along.min(W - lane);
                // The last row of the tile, if it is short and all lanes have begun.
                if const { Lanes::<R, W>::HAS_FEW }
                    && lane == 0
                    && done >= W
                    && count < FEW
                    && count == len - done
                {
                    return Some(lanes.end_with_few(count, place, body, |into, from| reducer.join(into, from)));
                }
                lanes.part(lane, count, place, body);
                count
            }
        } else {
            let count = along.min(W - lane);
            lanes.part(lane, count, place, body);
            count
        }};
        place.advance(count);
        done += count;
    }
    lanes.halve(reducer)
}

/// A tile on one line, in lanes that stay in registers: no loop over them has a run-time length.
#[inline(always)]
fn reduce_line<const W: usize, R, C, B, S>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
    stops: &mut S,
) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
    S: Stops<R::Value>,
{
    let mut until = stops.next(0)?.min(len);
    let mut lanes = Lanes::<R, W>::new();
    lanes.start(W, |_| reducer.init());
    let mut row = start;
    let mut done = 0;
    while done < len {
        if done == until {
            let Some(more) = stops.next(done) else {
                lanes.stop(done, stops);
                return None;
            };
            until = done.saturating_add(more).min(len);
            if until < len && more >= W {
                // Whole rows take less time.
                until -= until % W;
            }
        }
        let lane = done % W;
        let rows = (until - done) / W;
        if lane > 0 || rows == 0 {
            let end = W.min(lane + until - done);
            lanes.some_of_row(lane, end, row, body);
            done += end - lane;
            if end == W {
                row.advance(W);
            }
            continue;
        }
        let blocks = rows / Lanes::<R, W>::UNROLLED_ROWS;
        let rows = if const { !Lanes::<R, W>::HAS_SINGLE_ROWS } || blocks > 0 {
            lanes.rows(blocks, row, body);
            blocks * Lanes::<R, W>::UNROLLED_ROWS
        } else {
            lanes.single_rows::<true, C>(rows, row, body);
            rows
        };
        row.advance(rows * W);
        done += rows * W;
    }
    Some(lanes.halve_begun(len, reducer))
}

/// A tile of a reducer that does not commute: lanes take contiguous runs, which join in index order.
#[inline(always)]
fn reduce_runs<const W: usize, R, C, B, S>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
    stops: &mut S,
) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
    S: Stops<R::Value>,
{
    let run = canonical::run_len(len, W);
    let mut until = stops.next(0)?.min(len);
    let mut place = start;
    let mut done = 0;
    // A loop, as a device may run it: its stack is small, and recursion costs it local memory.
    let mut nodes = PendingNodes::<R::Value, RUN_LEVELS>::new();
    while done < len {
        if done >= until {
            let Some(more) = stops.next(done) else {
                nodes.hand_over(|run, value| stops.keep(run, value));
                return None;
            };
            until = done.saturating_add(more).min(len);
        }
        let count = run.min(len - done);
        nodes.push(reducer, reduce_run(reducer, &mut place, count, body), 1);
        done += count;
    }
    nodes.join(reducer)
}

/// Reduces `count` iterations, one after the other.
#[inline(always)]
pub fn reduce_run<R, C, B>(reducer: &R, place: &mut C, count: usize, body: &mut B) -> R::Value
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    continue_run(reducer.init(), place, count, body)
}

/// [`reduce_run`] from a value on.
#[inline(always)]
pub(crate) fn continue_run<C, V, B>(mut value: V, place: &mut C, mut count: usize, body: &mut B) -> V
where
    C: Cursor,
    B: ReduceBody<C, V>,
{
    while count > 0 {
        let along = place.line().min(count);
        for distance in 0..along {
            body.run(*place, distance, &mut value);
        }
        place.advance(along);
        count -= along;
    }
    value
}

/// The iterations of a lane of a tile of `len` iterations: the first, the distance from each to the next, and their number.
#[inline(always)]
#[must_use]
pub fn lane_iterations<R: Reducer>(len: usize, lane: usize) -> (usize, usize, usize) {
    let lanes = const { canonical::lanes(R::LANE_BYTES) };
    if R::COMMUTATIVE {
        (lane, lanes, len.saturating_sub(lane).div_ceil(lanes))
    } else {
        let run = canonical::run_len(len, lanes);
        (lane * run, 1, len.saturating_sub(lane * run).min(run))
    }
}

/// Reduces one lane of a tile, as [`reduce_tile`] does, for launches whose iterations are long.
#[inline(always)]
pub fn reduce_lane<R, C, B>(reducer: &R, start: C, len: usize, lane: usize, body: &mut B) -> R::Value
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    let (first, step, count) = lane_iterations::<R>(len, lane);
    let mut value = reducer.init();
    let mut place = start;
    skip(&mut place, first);
    for iteration in 0..count {
        body.run(place, 0, &mut value);
        if iteration + 1 < count {
            skip(&mut place, step);
        }
    }
    value
}

/// The number of lanes that a tile of `len` iterations has.
#[must_use]
pub fn live_lanes<R: Reducer>(len: usize) -> usize {
    begun_lanes::<R>(len, len)
}

/// The number of lanes of a tile of `len` iterations that the first `done` of them begin.
#[must_use]
pub fn begun_lanes<R: Reducer>(len: usize, done: usize) -> usize {
    let lanes = canonical::lanes(R::LANE_BYTES);
    if R::COMMUTATIVE || len == 0 { done.min(lanes) } else { done.div_ceil(canonical::run_len(len, lanes)) }
}

/// Joins the values of a tile's lanes, `live` of them, as [`reduce_tile`] does; `None` if there is no lane.
pub fn join_lanes<R: Reducer>(
    reducer: &R,
    live: usize,
    mut lane: impl FnMut(usize) -> R::Value,
) -> Option<R::Value> {
    if live == 0 {
        return None;
    }
    if !R::COMMUTATIVE {
        return Some(join_pairwise(reducer, live, &mut lane));
    }
    Some(join_halves(reducer, 0, 1, live, &mut lane))
}

/// Halving, from its last step inwards: after the step of width `2 stride`, lane `first` represents all lanes
/// congruent to it modulo `2 stride`.
fn join_halves<R: Reducer>(
    reducer: &R,
    first: usize,
    stride: usize,
    live: usize,
    lane: &mut dyn FnMut(usize) -> R::Value,
) -> R::Value {
    if stride == canonical::lanes(R::LANE_BYTES) {
        return lane(first);
    }
    let mut value = join_halves(reducer, first, stride * 2, live, lane);
    if first + stride < live {
        let other = join_halves(reducer, first + stride, stride * 2, live, lane);
        reducer.join(&mut value, &other);
    }
    value
}

/// Joins `count` values, at least one, pairwise by number, level by level: the order of tiles.
///
/// Values are requested in ascending order. Work O(count) joins, span O(log count).
pub fn join_pairwise<R: Reducer>(
    reducer: &R,
    count: usize,
    value: &mut impl FnMut(usize) -> R::Value,
) -> R::Value {
    fn tree<R: Reducer>(
        reducer: &R,
        first: usize,
        count: usize,
        value: &mut dyn FnMut(usize) -> R::Value,
    ) -> R::Value {
        if count == 1 {
            return value(first);
        }
        let left = count.next_power_of_two() / 2;
        let mut joined = tree(reducer, first, left, value);
        let right = tree(reducer, first + left, count - left, value);
        reducer.join(&mut joined, &right);
        joined
    }
    tree(reducer, 0, count, value)
}

/// Joins values level by level into the first, pairs by number: as [`join_pairwise`], but the joins of a level do not wait for one another. The other
/// values are left partly joined.
#[inline]
pub fn join_in_place<R: Reducer>(reducer: &R, values: &mut [R::Value]) {
    let mut step = 1;
    while step < values.len() {
        for left in (0..values.len() - step).step_by(2 * step) {
            let (lefts, rights) = values.split_at_mut(left + step);
            reducer.join(&mut lefts[left], &rights[0]);
        }
        step *= 2;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use spelt_reducers::{Sum, custom};

    use super::*;
    use crate::cursor::Line;
    use crate::stopped_tile::StopsAt;

    /// Compares a tile with its lanes, reduced and joined one by one.
    fn check_lanes<R: Reducer<Value = V>, V: PartialEq + core::fmt::Debug>(
        reducer: &R,
        one: impl Fn(usize) -> V,
    ) {
        for len in 1..70 {
            let start = Line { index: 0 };
            let mut body = |place: Line, distance: usize, value: &mut V| {
                reducer.join(value, &one(place.index + distance))
            };
            let tile = reduce_tile(reducer, start, len, &mut body);
            let lane = |lane| reduce_lane(reducer, start, len, lane, &mut body);
            assert_eq!(tile, join_lanes(reducer, live_lanes::<R>(len), lane), "{len} iterations");
            let masked =
                reduce_tile_with::<true, _, _, _, _>(reducer, start, len, &mut body, &mut NeverStops);
            assert_eq!(masked, tile, "{len} iterations under masks");
        }
    }

    /// Contributions of which each shows, but lanes that are stored as those of an extremum.
    pub(crate) struct Keeping;

    impl Reducer for Keeping {
        type Value = f32;
        type Output = f32;
        const MOSTLY_KEEPS: bool = true;
        fn init(&self) -> f32 {
            0.0
        }
        fn join(&self, into: &mut f32, from: &f32) {
            *into = *into * 0.75 + from;
        }
        fn finish(&self, value: f32) -> f32 {
            value
        }
    }

    #[test]
    fn values_join_in_place_as_in_a_tree() {
        let one = |number: usize| (number * 7919 % 1009) as f64 / 7.0;
        for count in (1..70).chain([255, 256, 257]) {
            let mut values: [f64; 257] = core::array::from_fn(one);
            join_in_place(&Sum::new(), &mut values[..count]);
            assert_eq!(values[0], join_pairwise(&Sum::new(), count, &mut { one }), "{count} values");
        }
    }

    #[test]
    fn a_tile_under_masks_hands_over_the_lanes_that_have_begun() {
        let one = |i: usize| ((i * 7919) % 1009) as f64 / 7.0;
        let mut body = |place: Line, distance: usize, sum: &mut f64| *sum += one(place.index + distance);
        for at in 1..100 {
            let mut stops = StopsAt { at, kept: [None; 32] };
            let start = Line { index: 0 };
            let sum = reduce_tile_with::<true, _, _, _, _>(&Sum::new(), start, 100, &mut body, &mut stops);
            assert_eq!(sum, None);
            for (lane, kept) in stops.kept.into_iter().enumerate() {
                let begun = (lane < at).then(|| (lane..at).step_by(32).map(one).sum());
                assert_eq!(kept, begun, "lane {lane}, stopped at {at}");
            }
        }
    }

    #[test]
    fn lanes_of_short_tiles_join_by_halving() {
        check_lanes(&Sum::new(), |i| ((i * 7919) % 1009) as f64 / 7.0);
        check_lanes(&Sum::new(), |i| ((i * 7919) % 1009) as f32 / 7.0);
        check_lanes(&Keeping, |i| i as f32 + 0.1);
        // 16, 8 and 4 lanes.
        let add = |into: &mut [f64; 3], from: &[f64; 3]| into[0] = (into[0] + from[0]) * 0.75;
        check_lanes(&custom([0.0; 3], add), |i| [i as f64 + 0.1, 0.0, 0.0]);
        let add = |into: &mut [f64; 6], from: &[f64; 6]| into[0] = (into[0] + from[0]) * 0.75;
        check_lanes(&custom([0.0; 6], add), |i| [i as f64 + 0.1, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let add = |into: &mut [f64; 12], from: &[f64; 12]| into[0] = (into[0] + from[0]) * 0.75;
        check_lanes(&custom([0.0; 12], add), |i| core::array::from_fn(|_| i as f64 + 0.1));
    }

    #[test]
    fn lanes_that_do_not_commute_join_pairwise_by_number() {
        let add = |into: &mut f64, from: &f64| *into = *into * 0.75 + from;
        check_lanes(&custom(0.0, add).non_commutative(), |i| i as f64 + 0.1);
        // Four lanes.
        let add = |into: &mut [f64; 12], from: &[f64; 12]| into[0] = into[0] * 0.75 + from[0];
        check_lanes(&custom([0.0; 12], add).non_commutative(), |i| [i as f64 + 0.1; 12]);
    }
}
