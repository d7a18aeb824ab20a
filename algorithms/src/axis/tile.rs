//! Some lanes of a tile of rows, reduced to a value for each of neighbouring columns.

use core::mem::replace;

use arrayvec::ArrayVec;
use spelt_core::canonical::{MAX_LANES, lanes, run_len};
use spelt_core::isa::Work;
use spelt_core::reducers::Reducer;
use spelt_core::{Element, LineRef, LookupAccess, Stride, with_scratch};

use super::exclusive::exclusively;
use super::groups::{self, Groups};
use super::in_register::in_register;
use super::plan::Reduced;
use super::quick::{Panel, Quick};

/// Rows that are added to a lane at a time, so that its values are loaded and stored for four rows once; for twice as many where there are
/// enough.
const ROWS: usize = 4;

/// Values that are joined at a time: a loop over one value of two numbers at a time would be left as it is, by halves of the shortest vectors.
const JOINS: usize = 4;

/// Outputs next to each other: `columns` from `index` on.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) index: [usize; 6],
    pub(super) columns: usize,
}

/// Some lanes of a tile: `first`, and every `step`th from there. Halving joins them among themselves down to one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    pub(super) first: usize,
    pub(super) step: usize,
}

/// Some lanes of a tile of rows of one block; all of them if the reducer does not commute.
pub(super) struct Tile<'a, 'k, T, F, R, Q> {
    pub(super) x: &'a LookupAccess<'k, T, 6, Stride>,
    pub(super) block: Block,
    pub(super) reduced: Reduced,
    pub(super) first: usize,
    pub(super) len: usize,
    pub(super) lanes: Lanes,
    /// All rows, one after the other, if they are so in memory.
    pub(super) dense: Option<&'a [T]>,
    pub(super) contribute: F,
    pub(super) reducer: R,
    pub(super) quick: Q,
}

impl<T, F, R, Q> Tile<'_, '_, T, F, R, Q>
where
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
    Q: Quick<T, R>,
{
    /// Contributes `N` rows, from `first` on every `step`th, one after the other, to the values of a lane.
    #[inline(always)]
    fn add<const N: usize>(&self, values: &mut [R::Value], first: usize, step: usize) {
        let columns = self.block.columns;
        let values = &mut values[..columns];
        let rows: [usize; N] = places(first, step);
        let slices = match self.dense {
            Some(dense) => self.dense_rows(dense, first, step),
            None => {
                let mut lines = [self.line(rows[0]); N];
                for next in 1..N {
                    lines[next] = self.line(rows[next]);
                }
                let Some(mut slices) = slices(&lines, columns) else {
                    for (line, row) in lines.iter().zip(rows) {
                        for (value, x) in values.iter_mut().zip(line.iter()) {
                            (self.contribute)(value, *x, self.first + row);
                        }
                    }
                    return;
                };
                // Again, and by numbers instead of an iterator of the values: a check that stays in the loop leaves the last vector of columns to
                // scalar code.
                for slice in &mut slices {
                    *slice = &slice[..columns];
                }
                slices
            }
        };
        exclusively(
            values,
            // Otherwise it is compiled for the lowest processor.
            #[inline(always)]
            move |values| {
                for column in 0..columns {
                    let value = &mut values[column];
                    in_register(value, |value| {
                        for (slice, row) in slices.iter().zip(rows) {
                            (self.contribute)(value, slice[column], self.first + row);
                        }
                    });
                }
            },
        );
    }

    /// `N` rows of `dense`, the elements of all rows of the tile, from `first` on every `step`th.
    #[inline(always)]
    fn dense_rows<'d, const N: usize>(&self, dense: &'d [T], first: usize, step: usize) -> [&'d [T]; N] {
        let columns = self.block.columns;
        // Once for all rows: a check of each took as long as a quarter of the loop over 64 columns.
        assert!(first < self.len && (N - 1).saturating_mul(step) < self.len - first);
        assert!(self.len.checked_mul(columns) == Some(dense.len()));
        let mut slices: [&[T]; N] = [&[]; N];
        for (number, slice) in slices.iter_mut().enumerate() {
            let row = first + number * step;
            // SAFETY: by the assertions, the row is one of `len`, which have `columns` elements each.
            *slice = unsafe { dense.get_unchecked(row * columns..(row + 1) * columns) };
        }
        slices
    }

    /// The columns of a row of the tile.
    #[inline(always)]
    fn line(&self, row: usize) -> LineRef<'_, T> {
        let mut index = self.block.index;
        self.reduced.place(self.first + row, &mut index);
        self.x.line(index, 5).part(0, self.block.columns).expect("the columns lie in the extent")
    }

    /// The same as a slice; `None` if the columns are apart in memory.
    #[inline(always)]
    fn slice(&self, row: usize) -> Option<&[T]> {
        let columns = self.block.columns;
        match self.dense {
            Some(dense) => dense[row * columns..].get(..columns),
            None => self.line(row).as_slice(),
        }
    }

    /// Contributes the next `N` rows of each lane; a tile has `w`.
    #[inline(always)]
    fn add_panel<const N: usize>(&self, values: &mut [R::Value], done: &mut usize, w: usize) {
        let lanes = (self.lanes.first..w).step_by(self.lanes.step);
        for (lane, values) in lanes.zip(values.chunks_exact_mut(self.block.columns)) {
            self.add::<N>(values, *done + lane, w);
        }
        *done += N * w;
    }

    /// Contributes all rows of the lanes, of which a tile has `w`.
    #[inline(always)]
    fn add_lanes(&self, values: &mut [R::Value], w: usize) {
        let mut done = 0;
        while self.len - done >= 2 * ROWS * w {
            self.add_panel::<{ 2 * ROWS }>(values, &mut done, w);
        }
        while self.len - done >= ROWS * w {
            self.add_panel::<ROWS>(values, &mut done, w);
        }
        match (self.len - done) / w {
            3 => self.add_panel::<3>(values, &mut done, w),
            2 => self.add_panel::<2>(values, &mut done, w),
            1 => self.add_panel::<1>(values, &mut done, w),
            _ => {}
        }
        let rows = (done + self.lanes.first..self.len).step_by(self.lanes.step);
        for (row, values) in rows.zip(values.chunks_exact_mut(self.block.columns)) {
            self.add::<1>(values, row, 1);
        }
    }

    /// A value for each column, by groups of columns; `None` if columns are apart in memory, or values too large. A tile has `w` lanes.
    #[inline(always)]
    fn groups(&self, w: usize) -> Option<Vec<R::Value>> {
        let mut rows = ArrayVec::<&[T], { groups::ROWS_OF_LANE * MAX_LANES }>::new();
        for row in 0..self.len {
            rows.push(self.slice(row)?);
        }
        let Self { first, lanes, contribute, ref reducer, block: Block { columns, .. }, .. } = *self;
        Groups { rows: &rows, first, columns, lanes, w, contribute, reducer }.reduce()
    }

    /// Contributes all rows, `run` to a lane.
    #[inline(always)]
    fn add_runs(&self, values: &mut [R::Value], run: usize) {
        for (l, values) in values.chunks_exact_mut(self.block.columns).enumerate() {
            let (first, end) = (l * run, self.len.min((l + 1) * run));
            let whole = end - (end - first) % ROWS;
            for row in (first..whole).step_by(ROWS) {
                self.add::<ROWS>(values, row, 1);
            }
            for row in whole..end {
                self.add::<1>(values, row, 1);
            }
        }
    }

    /// Joins one lane into another before it.
    #[inline(always)]
    fn join_lane(&self, values: &mut [R::Value], into: usize, from: usize) {
        let columns = self.block.columns;
        let (left, right) = values.split_at_mut(from * columns);
        join_all(&self.reducer, &mut left[into * columns..][..columns], &right[..columns]);
    }

    /// Joins `live` lanes into the first: those that commute by halving, others with their neighbour.
    #[inline(always)]
    fn join_lanes(&self, values: &mut [R::Value], live: usize) {
        if R::COMMUTATIVE {
            let mut half = live.next_power_of_two() / 2;
            while half > 0 {
                // No `for_each`: it may stay a function of its own, compiled for the lowest processor.
                for l in 0..half.min(live - half) {
                    self.join_lane(values, l, l + half);
                }
                half /= 2;
            }
        } else {
            let mut step = 1;
            while step < live {
                for l in (0..live - step).step_by(2 * step) {
                    self.join_lane(values, l, l + step);
                }
                step *= 2;
            }
        }
    }
}

impl<T, F, R, Q> Work for Tile<'_, '_, T, F, R, Q>
where
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
    Q: Quick<T, R>,
{
    type Output = Vec<R::Value>;

    /// One value for each column; none if the tile is too short for these lanes.
    #[inline(always)]
    fn run(self) -> Vec<R::Value> {
        let (w, len, columns) = (const { lanes(R::LANE_BYTES) }, self.len, self.block.columns);
        let Lanes { first, step } = self.lanes;
        let panel = Panel { len, columns, lanes: w, first, step };
        if R::COMMUTATIVE
            && let Some(values) = self.quick.columns(panel, |row| self.slice(row))
        {
            return values;
        }
        if R::COMMUTATIVE
            && len <= groups::ROWS_OF_LANE * w
            && let Some(values) = self.groups(w)
        {
            return values;
        }
        let run = run_len(len, w);
        let live = if R::COMMUTATIVE {
            len.min(w).saturating_sub(self.lanes.first).div_ceil(self.lanes.step)
        } else {
            len.div_ceil(run)
        };
        // As large as a block may be: otherwise each tile would take this memory from the system again.
        with_scratch(
            live * columns,
            |_| self.reducer.init(),
            // As above.
            #[inline(always)]
            |values| {
                if R::COMMUTATIVE {
                    self.add_lanes(values, w);
                } else {
                    self.add_runs(values, run);
                }
                self.join_lanes(values, live);
                values.iter_mut().take(columns).map(|value| replace(value, self.reducer.init())).collect()
            },
        )
    }
}

/// The lines as slices of `len` elements; `None` if one of them is not contiguous.
#[inline(always)]
fn slices<'a, T, const N: usize>(lines: &[LineRef<'a, T>; N], len: usize) -> Option<[&'a [T]; N]> {
    let mut slices: [&[T]; N] = [&[]; N];
    for (slice, line) in slices.iter_mut().zip(lines) {
        *slice = line.as_slice()?.get(..len)?;
    }
    Some(slices)
}

/// `N` places from `first` on. No closure: it would be compiled again for each kernel.
#[inline(always)]
fn places<const N: usize>(first: usize, step: usize) -> [usize; N] {
    let mut places = [first; N];
    for (number, place) in places.iter_mut().enumerate() {
        *place += number * step;
    }
    places
}

/// Joins each value with the one at its place, of as many.
#[inline(always)]
pub(super) fn join_all<R: Reducer>(reducer: &R, into: &mut [R::Value], from: &[R::Value]) {
    let ((groups, rest), (other_groups, other_rest)) =
        (into.as_chunks_mut::<JOINS>(), from.as_chunks::<JOINS>());
    for (group, others) in groups.iter_mut().zip(other_groups) {
        in_register(group, |group| {
            for (into, from) in group.iter_mut().zip(others) {
                reducer.join(into, from);
            }
        });
    }
    for (into, from) in rest.iter_mut().zip(other_rest) {
        reducer.join(into, from);
    }
}
