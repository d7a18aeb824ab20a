//! Reductions of values that consist of columns, as those of [`Columns`](spelt_reducers::Columns), in the canonical order.
//!
//! The number of columns is known when a kernel is launched, not when it is compiled, so values lie in device memory: one for each lane of
//! as many tiles as the launch says. A thread runs one lane. Further launches join neighbouring values in place: first the lanes of each tile,
//! then 64 tiles at a time, and so on. A thread of these joins one column.

extern crate alloc;

use alloc::boxed::Box;
use core::mem::ManuallyDrop;
use core::ops::Range;
use core::ptr::slice_from_raw_parts_mut;

use spelt_order::canonical;
use spelt_reducers::{ColumnsVisitor, Reducer, seal};

use crate::index_space::IndexSpace;
use crate::intrinsics::{__spelt_block, __spelt_block_threads, __spelt_thread};

/// Some tiles of a reduction, and the memory for the values of their lanes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// The iterations of the whole reduction.
    pub n: usize,
    /// The first tile.
    pub first: usize,
    /// The number of tiles.
    pub tiles: usize,
    /// The columns of all lanes, one lane after the other.
    pub values: *mut u8,
}

/// A join of values in groups of neighbours: the first of a group gets the result.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Groups {
    /// The columns of the first value.
    pub values: *mut u8,
    /// The distance between values. Unit: values.
    pub distance: usize,
    /// The number of values.
    pub count: usize,
    /// The values of a group, a power of two; the last group may have fewer.
    pub size: usize,
    /// Whether values join by halving, as the lanes of a tile, and not pairwise by number.
    pub by_halves: bool,
}

/// The number of this thread in the launch.
#[inline(always)]
fn thread() -> usize {
    __spelt_block() as usize * __spelt_block_threads() as usize + __spelt_thread() as usize
}

/// The iterations of one lane in its tile: the first one's place, and their number. They are `lanes` apart for a reducer that commutes, otherwise
/// neighbours.
#[inline(always)]
fn of_lane(commutative: bool, lane: usize, lanes: usize, len: usize) -> (usize, usize) {
    if commutative {
        return (lane, len.saturating_sub(lane).div_ceil(lanes));
    }
    let run = canonical::run_len(len, lanes);
    let left = len.saturating_sub(lane * run);
    (lane * run, if left < run { left } else { run })
}

/// The lanes that have an iteration, of a tile of `len` iterations: the first ones.
#[must_use]
pub const fn live_lanes(commutative: bool, lanes: usize, len: usize) -> usize {
    if !commutative {
        return if len == 0 { 0 } else { len.div_ceil(canonical::run_len(len, lanes)) };
    }
    if len < lanes { len } else { lanes }
}

/// Runs the iterations of the lanes, each by one thread.
///
/// # Safety
/// The launch has a thread for each lane of the tiles, which have an iteration each. The memory has room for the values of all lanes, is
/// aligned for a column, and only this launch uses it. `indices` was made for the stride of `R`'s lanes; `body` may be called once for each
/// iteration of the tiles.
#[inline(always)]
pub unsafe fn run<R, S, F>(reducer: &R, indices: &S, lanes: &Lanes, body: &F)
where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
{
    reducer.by_columns(RunLane { indices, lanes, body }, seal());
}

/// The work of [`run`], whose contract holds.
struct RunLane<'a, S, F> {
    indices: &'a S,
    lanes: &'a Lanes,
    body: &'a F,
}

impl<R, S, F> ColumnsVisitor<R> for RunLane<'_, S, F>
where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
{
    type Output = ();

    #[inline(always)]
    fn visit<C: Reducer>(
        self,
        column: &C,
        len: usize,
        value: impl Fn(Box<[C::Value]>) -> R::Value,
        columns: impl Fn(&R::Value) -> Range<*const C::Value>,
    ) {
        let Self { indices, lanes: &Lanes { n, first, tiles, values }, body } = self;
        let (lanes, number) = (const { canonical::lanes(R::LANE_BYTES) }, thread());
        if number >= tiles * lanes {
            return;
        }
        let from = (first + number / lanes) * canonical::tile_len(lanes);
        let in_tile = (n - from).min(canonical::tile_len(lanes));
        let (place, count) = of_lane(R::COMMUTATIVE, number % lanes, lanes, in_tile);
        if count == 0 {
            return;
        }
        let start = values.cast::<C::Value>().wrapping_add(number * len);
        for number in 0..len {
            // SAFETY: the memory has room for this lane's columns, which only this thread uses.
            unsafe { start.add(number).write(column.init()) };
        }
        // SAFETY: the columns are initialised, aligned and this thread's alone. A box owns them, which is never dropped: no allocator has
        // made them, and device code that could free a box is refused.
        let own = unsafe { Box::from_raw(slice_from_raw_parts_mut(start, len)) };
        let mut own = ManuallyDrop::new(value(own));
        let mut place = indices.start(from + place);
        for _ in 0..count {
            body(indices.index(&place), &mut own);
            if R::COMMUTATIVE {
                step_by_lanes::<R, S>(indices, &mut place)
            } else {
                indices.step::<1>(&mut place)
            }
        }
        if columns(&own) != (start.cast_const()..start.cast_const().wrapping_add(len)) {
            replaced();
        }
    }
}

/// A step to the lane's next iteration.
#[inline(always)]
fn step_by_lanes<R: Reducer, S: IndexSpace>(indices: &S, place: &mut S::Place) {
    // The match is on a constant: one arm is compiled.
    match const { canonical::lanes(R::LANE_BYTES) } {
        32 => indices.step::<32>(place),
        16 => indices.step::<16>(place),
        8 => indices.step::<8>(place),
        4 => indices.step::<4>(place),
        2 => indices.step::<2>(place),
        _ => indices.step::<1>(place),
    }
}

#[cold]
#[inline(never)]
fn replaced() -> ! {
    panic!("the kernel replaced a running value of columns: on a device it may only change the columns")
}

/// Joins the values of each group.
///
/// # Safety
/// The launch has a thread for each column of each group. The values were written, and only this launch uses them.
#[inline(always)]
pub unsafe fn join<R: Reducer>(reducer: &R, groups: &Groups) {
    reducer.by_columns(JoinGroup { groups, number: thread() }, seal());
}

/// The work of [`join`], whose contract holds.
struct JoinGroup<'a> {
    groups: &'a Groups,
    /// The number of the column, counted through all groups.
    number: usize,
}

impl<R: Reducer> ColumnsVisitor<R> for JoinGroup<'_> {
    type Output = ();

    #[inline(always)]
    fn visit<C: Reducer>(
        self,
        column: &C,
        len: usize,
        _value: impl Fn(Box<[C::Value]>) -> R::Value,
        _columns: impl Fn(&R::Value) -> Range<*const C::Value>,
    ) {
        let Self { groups: &Groups { values, distance, count, size, by_halves }, number } = self;
        if len == 0 || number / len * size >= count {
            return;
        }
        let (first, place) = (number / len * size, number % len);
        let here = size.min(count - first);
        let join = |into: usize, from: usize| {
            let at = |number: usize| {
                values.cast::<C::Value>().wrapping_add((first + number) * distance * len + place)
            };
            // SAFETY: both values are among the written ones, and differ; only this thread uses their columns `place`.
            unsafe { column.join(&mut *at(into), &*at(from)) };
        };
        if by_halves {
            let mut half = size / 2;
            while half > 0 {
                (0..half.min(here.saturating_sub(half))).for_each(|number| join(number, number + half));
                half /= 2;
            }
        } else {
            let mut step = 1;
            while step < here {
                (0..here - step).step_by(2 * step).for_each(|number| join(number, number + step));
                step *= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use spelt_reducers::{Columns, custom};
    use std::string::String;
    use std::vec;
    use std::vec::Vec;

    /// The text of the joins of a group of `count` values, by all columns.
    fn joined(count: usize, size: usize, by_halves: bool) -> Vec<String> {
        let texts = &custom(String::new(), |into: &mut String, from: &String| {
            *into = std::format!("({into}{from})");
        });
        let mut values: Vec<String> =
            (0..2 * count).map(|number| std::format!("{}", char::from(b'a' + (number / 2) as u8))).collect();
        let groups = Groups { values: values.as_mut_ptr().cast(), distance: 1, count, size, by_halves };
        for number in 0..2 * count.div_ceil(size) + 3 {
            Columns::new(texts, 2).by_columns(JoinGroup { groups: &groups, number }, seal());
        }
        assert!(values.chunks(2).all(|columns| columns[0] == columns[1]));
        values.into_iter().step_by(2 * size).collect()
    }

    #[test]
    fn groups_join_as_tiles_and_lanes_do() {
        assert_eq!(joined(5, 8, false), ["(((ab)(cd))e)"]);
        assert_eq!(joined(7, 4, false), ["((ab)(cd))", "((ef)g)"]);
        assert_eq!(joined(4, 4, true), ["((ac)(bd))"]);
        assert_eq!(joined(3, 4, true), ["((ac)b)"]);
        assert_eq!(joined(6, 4, true), ["((ac)(bd))", "(ef)"]);
        assert_eq!(joined(1, 1, true), ["a"]);
    }

    #[test]
    fn every_iteration_of_a_tile_has_a_lane() {
        for (lanes, len) in [(32, 2048), (32, 1), (32, 31), (32, 33), (32, 2047), (8, 300), (1, 64), (1, 5)] {
            for commutative in [true, false] {
                let mut runs = vec![0; len];
                let live = live_lanes(commutative, lanes, len);
                for lane in 0..lanes {
                    let (first, count) = of_lane(commutative, lane, lanes, len);
                    assert_eq!(count > 0, lane < live, "{lanes} {len} {commutative} {lane}");
                    let by = if commutative { lanes } else { 1 };
                    (0..count).for_each(|number| runs[first + number * by] += 1);
                }
                assert!(runs.iter().all(|&runs| runs == 1), "{lanes} {len} {commutative}: {runs:?}");
            }
        }
    }
}
