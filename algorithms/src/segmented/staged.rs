//! Segments of one tile each, by teams of a device: first all lanes of the order, then their joins.
//!
//! A team takes some segments. For one after the other, thread `l` joins the elements of lane `l` of the order, so that threads read
//! neighbours, and puts the value into scratch. Then each thread joins the lanes of one segment, from scratch. So no thread waits for another
//! within a segment, and the joins of 32 segments take the time of one.

use spelt_core::canonical;
use spelt_core::reducers::Reducer;
use spelt_core::{Element, ExecutionSpace, Result, TeamSize, ViewMut, ViewRef, parallel_for, unrolled};

use super::order::{LONG, SHORT, TILE, from_left, joined, lanes};

/// Threads of a team, and lanes of a segment of at least [`LONG`] elements. Unit: threads. Source: a warp, whose lanes wait for no other.
const LANES: usize = 32;

/// Lanes of a segment of [`SHORT`] elements and more, but fewer than [`LONG`].
const FEW_LANES: usize = 8;

/// The maximum number of segments of a team: a thread joins the lanes of one.
const SEGMENTS: usize = LANES;

/// Rows of lanes that a thread loads at a time. Unit: rows. Source: 24 warps of a multiprocessor with `f64` then have 24 KiB under way, which
/// memory needs for its full rate if a load takes 0.8 us.
const ROWS: usize = 4;

/// The threads of a space for each team that may run at a time. Unit: threads. Source: scratch of 32 segments of `f64` leaves room for 24 of
/// the 64 warps of a multiprocessor of an H100.
const THREADS_OF_SPACE: usize = 3 * LANES;

/// Whether the lanes of the order are those of a team, for values that fit in its registers and scratch.
pub(super) const fn fits<R: Reducer>() -> bool {
    R::COMMUTATIVE
        && canonical::lanes(R::LANE_BYTES) == LANES
        && lanes(R::LANE_BYTES) == FEW_LANES
        && size_of::<R::Value>() <= 16
}

/// Reduces segments of which none has more elements than a tile.
pub(super) fn reduce_tiles<S, T, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    offsets: ViewRef<'_, usize, 1, S::Memory>,
    out: &mut ViewMut<'_, R::Output, 1, S::Memory>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
    R::Output: Element,
{
    let segments = offsets.len() - 1;
    let each = (segments / (space.concurrency() / THREADS_OF_SPACE).max(1)).clamp(1, SEGMENTS);
    // SAFETY: a team writes the results of its own segments alone, each in one iteration of a loop over them.
    let out = unsafe { out.distinct() };
    // An odd number of columns, so that threads that read different rows use different banks.
    let scratch = each * (LANES + 1) * size_of::<T>();
    parallel_for(
        "segmented reduce",
        space.team(segments.div_ceil(each), TeamSize::AtMost(LANES)).scratch(scratch, 0),
        (values.lookup(), offsets.lookup(), out),
        move |team, (values, offsets, mut out)| {
            let (values, offsets) = (values.as_slice(), offsets.as_slice());
            let first = team.league_rank() * each;
            let offsets = &offsets[first..=segments.min(first + each)];
            let count = offsets.len() - 1;
            let values = &values[offsets[0]..offsets[count]];
            team.with_scratch_mut(
                [each, LANES + 1],
                |_| reducer.init(),
                |team, mut lanes| {
                    lanes.write_columns(team, 0..LANES, |lane, lanes, _| {
                        // Places within the team's elements, of which there are a few tiles, as `u32`: a device computes them in half of the
                        // instructions.
                        let (lane, count, total) = (lane as u32, count as u32, values.len() as u32);
                        let offset = |number: u32| offsets[count.min(number) as usize];
                        let place = |offset: usize| ((offset - offsets[0]) as u32).min(total);
                        let part = |begin: u32, end: u32| Part {
                            values,
                            lane,
                            begin,
                            len: end.saturating_sub(begin),
                            row: 0,
                        };
                        let [mut end, mut next] = [1, 2].map(|number| place(offset(number)));
                        let mut after = offset(3);
                        let mut this = part(0, end);
                        let mut rows = this.load(reducer.init());
                        let (mut segment, mut value) = (0, reducer.init());
                        loop {
                            // The next rows are on their way while these are joined.
                            let is_last = this.is_last();
                            let following = if is_last {
                                part(end, next)
                            } else {
                                Part { row: this.row + ROWS as u32, ..this }
                            };
                            let following_rows = following.load(reducer.init());
                            this.join(&reducer, &mut value, &rows);
                            if is_last {
                                if this.is_live() {
                                    lanes.set(segment as usize, value);
                                }
                                segment += 1;
                                if segment >= count {
                                    break;
                                }
                                (end, next, value) = (next, place(after), reducer.init());
                                // So is the end of a segment to come, which nothing uses before.
                                after = offset(segment + 3);
                            }
                            (this, rows) = (following, following_rows);
                        }
                    });
                    team.parallel_for(team.thread_range(count), |segment| {
                        let segment = segment.inner();
                        let row = lanes.row(segment);
                        let elements =
                            || &values[offsets[segment] - offsets[0]..offsets[segment + 1] - offsets[0]];
                        let len = (offsets[segment + 1] - offsets[segment]) as u32;
                        let value = if len >= LONG as u32 {
                            joined_32(&reducer, row)
                        } else if len >= SHORT as u32 {
                            joined_8(&reducer, row)
                        } else {
                            from_left(&reducer, elements())
                        };
                        out[first + segment] = reducer.finish(value);
                    });
                },
            );
        },
    )
}

/// The elements of a lane of a segment from row `row` on.
#[derive(Clone, Copy)]
struct Part<'a, T> {
    values: &'a [T],
    lane: u32,
    /// The segment has `len` of the values, from `begin` on.
    begin: u32,
    len: u32,
    row: u32,
}

impl<T: Element> Part<'_, T> {
    #[inline(always)]
    fn is_long(&self) -> bool {
        self.len >= LONG as u32
    }

    /// Whether the segment has the lane.
    #[inline(always)]
    fn is_live(&self) -> bool {
        self.is_long() || (self.len >= SHORT as u32 && self.lane < FEW_LANES as u32)
    }

    /// Whether the segment has no rows after these.
    #[inline(always)]
    fn is_last(&self) -> bool {
        let lanes = if self.is_long() { LANES } else { FEW_LANES } as u32;
        (self.row + ROWS as u32) * lanes >= self.len
    }

    /// The elements of some rows: beyond the last element of the segment, that one; `none` in a segment without lanes.
    #[inline(always)]
    fn load(&self, none: T) -> [T; ROWS] {
        if self.is_long() {
            self.load_of::<LANES>(none)
        } else if self.len >= SHORT as u32 {
            self.load_of::<FEW_LANES>(none)
        } else {
            [none; ROWS]
        }
    }

    #[inline(always)]
    fn load_of<const W: usize>(&self, none: T) -> [T; ROWS] {
        let mut rows = [none; ROWS];
        let Some(last) = self.len.checked_sub(1) else { return rows };
        unrolled::<ROWS>(|k| {
            let place = (self.lane + self.row * W as u32 + (k * W) as u32).min(last);
            // SAFETY: there is a last element, the place is not after it, and the segment is one of the values.
            rows[k] = unsafe { *self.values.get_unchecked((self.begin + place) as usize) };
        });
        rows
    }

    /// Joins the elements of rows that [`load`](Self::load) has loaded.
    #[inline(always)]
    fn join<R: Reducer<Value = T>>(&self, reducer: &R, value: &mut T, rows: &[T; ROWS]) {
        if self.is_long() {
            self.join_of::<R, LANES>(reducer, value, rows);
        } else if self.len >= SHORT as u32 {
            self.join_of::<R, FEW_LANES>(reducer, value, rows);
        }
    }

    #[inline(always)]
    fn join_of<R: Reducer<Value = T>, const W: usize>(&self, reducer: &R, value: &mut T, rows: &[T; ROWS]) {
        unrolled::<ROWS>(|k| {
            if self.lane + self.row * W as u32 + ((k * W) as u32) < self.len {
                reducer.join(value, &rows[k]);
            }
        });
    }
}

/// Joins 32 lanes by halving.
#[inline(always)]
fn joined_32<R>(reducer: &R, lanes: &[R::Value]) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let Some(lanes) = lanes.first_chunk::<LANES>() else { return reducer.init() };
    // From the last step back to the first, so that few values are kept at a time.
    let of_2 = |lane: usize| joined(reducer, lanes[lane], &lanes[lane + 16]);
    let of_4 = |lane: usize| joined(reducer, of_2(lane), &of_2(lane + 8));
    let of_8 = |lane: usize| joined(reducer, of_4(lane), &of_4(lane + 4));
    let of_16 = |lane: usize| joined(reducer, of_8(lane), &of_8(lane + 2));
    joined(reducer, of_16(0), &of_16(1))
}

/// Joins 8 lanes by halving.
#[inline(always)]
fn joined_8<R>(reducer: &R, lanes: &[R::Value]) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    let Some(lanes) = lanes.first_chunk::<FEW_LANES>() else { return reducer.init() };
    let of_2 = |lane: usize| joined(reducer, lanes[lane], &lanes[lane + 4]);
    let of_4 = |lane: usize| joined(reducer, of_2(lane), &of_2(lane + 2));
    joined(reducer, of_4(0), &of_4(1))
}

/// Otherwise the lanes of a segment would not be those of its order.
const _: () = assert!(canonical::tile_len(LANES) >= TILE, "a tile of segments is one tile of a reduction");

#[cfg(test)]
mod tests {
    use spelt_core::reducers::{Min, Reducer, Sum};
    use spelt_core::{Element, Serial, View};

    use super::{TILE, fits, reduce_tiles};
    use crate::segmented::order::join_tile;

    fn check<R>(lengths: &[usize], element: fn(usize) -> R::Value, reducer: R)
    where
        R: Reducer<Value: Element, Output: Element + PartialEq + core::fmt::Debug> + Copy + Sync,
    {
        const { assert!(fits::<R>()) };
        let mut offsets = vec![0];
        offsets.extend(lengths.iter().scan(0, |end, len| {
            *end += len;
            Some(*end)
        }));
        let n = offsets.last().copied().expect("at least one");
        let x: Vec<R::Value> = (0..n).map(element).collect();
        let each = offsets.windows(2).map(|ends| reducer.finish(join_tile(&reducer, &x[ends[0]..ends[1]])));
        let wanted: Vec<R::Output> = each.collect();
        let mut out = View::from_fn("out", [lengths.len()], |_| reducer.finish(element(5))).expect("memory");
        let offsets = View::from_vec("offsets", [offsets.len()], offsets).expect("memory");
        let x = View::from_vec("x", [n], x).expect("memory");
        reduce_tiles(&Serial::new(), x.view(), offsets.view(), &mut out.view_mut(), reducer).expect("memory");
        assert_eq!(out.to_vec(), wanted, "{lengths:?}");
    }

    #[test]
    fn segments_of_a_tile_join_in_their_order() {
        let rough = |i: usize| (i as f64 * 0.7).sin() * 10_f64.powi(i as i32 % 7);
        let all = [
            vec![0],
            vec![0; 70],
            vec![TILE; 33],
            [64, 1024, 63, 0, 16, 15, 65, 129, 96, 100, 1].repeat(9),
            (0..=TILE).collect(),
            (0..=TILE).rev().collect(),
        ];
        for lengths in &all {
            check(lengths, rough, Sum::<f64>::new());
            check(lengths, |i| (i as f32 * 0.3).sin() * 3_f32.powi(i as i32 % 5), Sum::<f32>::new());
            check(lengths, |i| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15), Sum::<u64>::new());
        }
    }

    #[test]
    fn lanes_of_teams_are_those_of_small_values_that_commute() {
        #[derive(Clone, Copy)]
        struct First;
        impl Reducer for First {
            type Value = f64;
            type Output = f64;
            const COMMUTATIVE: bool = false;
            fn init(&self) -> f64 {
                0.0
            }
            fn join(&self, _: &mut f64, _: &f64) {}
            fn finish(&self, value: f64) -> f64 {
                value
            }
        }
        assert!(fits::<Sum<f64>>() && fits::<Sum<u8>>() && fits::<Min<f64>>());
        assert!(!fits::<First>() && !fits::<Sum<[f64; 3]>>());
    }
}
