//! Tiles that stop before their end: the values of their lanes are handed over, and several threads finish them.
//!
//! A lane's value comes from its own iterations alone, in ascending order. So any thread may continue any lane, and the bits are
//! those of a tile that did not stop. A run of a reducer that does not commute is not cut: such a tile stops between two runs.

use core::ops::Range;

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::canonical;
use crate::cursor::{Cursor, skip};
use crate::lanes::Lanes;
use crate::pending_nodes::PendingNodes;
use crate::tile::{RUN_LEVELS, join_lanes, live_lanes, reduce_run};

/// Decides whether a tile stops.
pub trait Stops<V> {
    /// The number of iterations, at least 1, that the tile runs next, when its first `done` have run. It may round the number to
    /// whole rows or runs. `None`: it stops.
    fn next(&mut self, done: usize) -> Option<usize>;

    /// Takes the value of a lane of a tile that has stopped: for a reducer that does not commute, of several joined runs, by
    /// the first of them. A lane that has not begun has none.
    fn keep(&mut self, lane: usize, value: V);
}

/// The tile runs to its end.
#[derive(Clone, Copy, Debug)]
pub struct NeverStops;

impl<V> Stops<V> for NeverStops {
    #[inline(always)]
    fn next(&mut self, _done: usize) -> Option<usize> {
        Some(usize::MAX)
    }
    #[inline(always)]
    fn keep(&mut self, _lane: usize, _value: V) {}
}

/// `None` never stops.
impl<V> Stops<V> for Option<&mut dyn Stops<V>> {
    #[inline(always)]
    fn next(&mut self, done: usize) -> Option<usize> {
        match self {
            Some(stops) => stops.next(done),
            None => Some(usize::MAX),
        }
    }
    #[inline(always)]
    fn keep(&mut self, lane: usize, value: V) {
        if let Some(stops) = self {
            stops.keep(lane, value);
        }
    }
}

/// Runs what is left of some lanes of a tile of `len` iterations from `start` on, of which the first `done` have run.
///
/// `kept(lane)` is the value that the tile handed over. `keep(lane, value)` is called with the value of each lane; for a reducer
/// that does not commute, of those that had not run.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a tile, a part of it, and the two sides of its values")]
pub fn finish_lanes<R, C, B>(
    reducer: &R,
    start: C,
    len: usize,
    done: usize,
    lanes: Range<usize>,
    body: &mut B,
    kept: impl FnMut(usize) -> Option<R::Value>,
    keep: impl FnMut(usize, R::Value),
) where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    // The match is on a constant: one arm is compiled.
    match const { if R::COMMUTATIVE { canonical::lanes(R::LANE_BYTES) } else { 0 } } {
        0 => finish_runs(reducer, start, len, done, lanes, body, keep),
        32 => finish_columns::<32, R, C, B>(reducer, start, len, done, lanes, body, kept, keep),
        16 => finish_columns::<16, R, C, B>(reducer, start, len, done, lanes, body, kept, keep),
        8 => finish_columns::<8, R, C, B>(reducer, start, len, done, lanes, body, kept, keep),
        4 => finish_columns::<4, R, C, B>(reducer, start, len, done, lanes, body, kept, keep),
        2 => finish_columns::<2, R, C, B>(reducer, start, len, done, lanes, body, kept, keep),
        _ => finish_columns::<1, R, C, B>(reducer, start, len, done, lanes, body, kept, keep),
    }
}

/// [`finish_lanes`] for a reducer that commutes: row by row, so that neighbouring lanes vectorise.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "those of `finish_lanes`")]
fn finish_columns<const W: usize, R, C, B>(
    reducer: &R,
    start: C,
    len: usize,
    done: usize,
    lanes: Range<usize>,
    body: &mut B,
    mut kept: impl FnMut(usize) -> Option<R::Value>,
    mut keep: impl FnMut(usize, R::Value),
) where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    let (first, width) = (lanes.start, lanes.len());
    let mut values = Lanes::<R, W>::new();
    values.start(width, |lane| kept(first + lane).unwrap_or_else(|| reducer.init()));
    // The iteration of the first of these lanes in the row where the tile stopped, and the lanes that have run in that row.
    let mut row = done - done % W + first;
    let mut lane = (done % W).saturating_sub(first).min(width);
    if row + lane < len {
        let mut place = start;
        skip(&mut place, row + lane);
        loop {
            let end = width.min(len - row);
            while lane < end {
                let along = place.line().min(end - lane);
                values.part(lane, along, place, body);
                place.advance(along);
                lane += along;
            }
            row += W;
            if row >= len {
                break;
            }
            skip(&mut place, W - width);
            lane = 0;
        }
    }
    values.hand_over(|lane, value| keep(first + lane, value));
}

/// [`finish_lanes`] for a reducer that does not commute.
#[inline(always)]
fn finish_runs<R, C, B>(
    reducer: &R,
    start: C,
    len: usize,
    done: usize,
    runs: Range<usize>,
    body: &mut B,
    mut keep: impl FnMut(usize, R::Value),
) where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    let run_len = canonical::run_len(len, canonical::lanes(R::LANE_BYTES));
    for run in runs {
        let first = run * run_len;
        if first >= done && first < len {
            let mut place = start;
            skip(&mut place, first);
            keep(run, reduce_run(reducer, &mut place, run_len.min(len - first), body));
        }
    }
}

/// Joins the values of the lanes of a tile that stopped after `done` of its `len` iterations, as
/// [`reduce_tile`](crate::tile::reduce_tile) does; `None` if there is no lane.
pub fn join_stopped<R: Reducer>(
    reducer: &R,
    len: usize,
    done: usize,
    mut lane: impl FnMut(usize) -> R::Value,
) -> Option<R::Value> {
    let live = live_lanes::<R>(len);
    if R::COMMUTATIVE {
        return join_lanes(reducer, live, lane);
    }
    let joined = done.div_ceil(canonical::run_len(len, canonical::lanes(R::LANE_BYTES)).max(1));
    let mut nodes = PendingNodes::<R::Value, RUN_LEVELS>::new();
    let mut run = 0;
    while run < live {
        let size = if run < joined { 1 << (joined - run).ilog2() } else { 1 };
        nodes.push(reducer, lane(run), size);
        run += size;
    }
    nodes.join(reducer)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::format;
    use std::string::String;
    use std::vec::Vec;

    use super::*;
    use crate::cursor::{Boxed, Line, Place};
    use crate::tile::{reduce_tile, reduce_tile_with};

    /// Writes down which iterations join in which order, with values of `BYTES` bytes.
    struct Text<const BYTES: usize, const COMMUTATIVE: bool>;

    impl<const BYTES: usize, const COMMUTATIVE: bool> Reducer for Text<BYTES, COMMUTATIVE> {
        type Value = String;
        type Output = String;
        const LANE_BYTES: usize = BYTES;
        const COMMUTATIVE: bool = COMMUTATIVE;

        fn init(&self) -> String {
            String::new()
        }
        fn join(&self, into: &mut String, from: &String) {
            *into = format!("({into}+{from})");
        }
        fn finish(&self, value: String) -> String {
            value
        }
    }

    /// Stops at the first look at or after `at` iterations, and looks as often as it can.
    struct StopsAt {
        at: usize,
        done: Option<usize>,
        values: Vec<Option<String>>,
    }

    impl Stops<String> for StopsAt {
        fn next(&mut self, done: usize) -> Option<usize> {
            if done >= self.at {
                self.done = Some(done);
                return None;
            }
            Some(1)
        }
        fn keep(&mut self, lane: usize, value: String) {
            self.values[lane] = Some(value);
        }
    }

    fn stops_everywhere<C: Place<N>, R: Reducer<Value = String>, const N: usize>(
        reducer: &R,
        len: usize,
        start: C,
    ) {
        let mut body =
            |place: C, distance: usize, value: &mut String| *value += &format!("{:?}", place.at(distance));
        let whole = reduce_tile(reducer, start, len, &mut body).unwrap();
        for at in 0..len {
            let mut stops = StopsAt { at, done: None, values: std::vec![None; canonical::MAX_LANES] };
            let ended = reduce_tile_with(reducer, start, len, &mut body, &mut stops);
            let Some(done) = stops.done else {
                assert_eq!(ended.as_ref(), Some(&whole), "{len} iterations, not stopped at {at}");
                continue;
            };
            assert!(ended.is_none() && (done == at || !R::COMMUTATIVE), "{done} of {len} run, not {at}");
            let live = live_lanes::<R>(len);
            for width in [1, 2, 3, 32] {
                let mut left = stops.values.clone();
                for first in (0..live).step_by(width) {
                    let (mut begun, mut run) = (left.clone(), Vec::new());
                    let lanes = first..(first + width).min(live);
                    finish_lanes(
                        reducer,
                        start,
                        len,
                        done,
                        lanes,
                        &mut body,
                        |lane| begun[lane].take(),
                        |lane, value| run.push((lane, value)),
                    );
                    run.into_iter().for_each(|(lane, value)| left[lane] = Some(value));
                }
                let joined = join_stopped(reducer, len, done, |lane| left[lane].take().expect("it has run"));
                assert_eq!(
                    joined.as_ref(),
                    Some(&whole),
                    "{len} iterations, {done} run, {width} lanes a unit"
                );
            }
        }
    }

    #[test]
    fn a_tile_that_stops_anywhere_has_the_joins_of_a_whole_one() {
        for len in [1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 70] {
            stops_everywhere(&Text::<8, true>, len, Line { index: 3 });
            stops_everywhere(&Text::<8, false>, len, Line { index: 3 });
            stops_everywhere(&Text::<64, true>, len, Line { index: 3 });
            stops_everywhere(&Text::<64, false>, len, Boxed::new([0, 1], [70, 6], 4));
            stops_everywhere(&Text::<8, true>, len, Boxed::new([0, 1], [70, 6], 4));
            stops_everywhere(&Text::<128, true>, len, Boxed::new([5], [75], 0));
        }
    }
}
