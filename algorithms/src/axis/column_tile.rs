//! A tile of rows of one block of neighbouring outputs: each lane has a running value for every column.

use core::mem::replace;

use spelt_core::canonical::{lanes, run_len};
use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Reducer;
use spelt_core::{Element, LineRef, LookupAccess, Stride, with_scratch};

use super::plan::Reduced;
use crate::words::Words;

/// Rows that are added to a lane at a time, so that its values are loaded and stored for four rows once.
const ROWS: usize = 4;

/// Outputs next to each other: `columns` from `index` on.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) index: [usize; 6],
    pub(super) columns: usize,
}

/// Some lanes of a tile: `first`, and every `step`th from there. Halving joins them among themselves down to one.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub(super) first: usize,
    pub(super) step: usize,
}

/// Some lanes of a tile of rows of one block; all of them if the reducer does not commute.
pub(super) struct Tile<'a, 'k, T, F, R> {
    pub(super) x: &'a LookupAccess<'k, T, 6, Stride>,
    pub(super) block: Block,
    pub(super) reduced: Reduced,
    pub(super) first: usize,
    pub(super) len: usize,
    pub(super) lanes: Lanes,
    pub(super) contribute: F,
    pub(super) reducer: R,
}

/// The running values of neighbouring columns, in memory.
trait Columns<V>: Sized {
    /// The number of columns.
    const WIDTH: usize;

    /// Each column holds `init()`.
    fn new(init: impl Fn() -> V) -> Self;

    /// Calls `body` with the value of each column below `count`, and the column.
    fn each(&mut self, count: usize, body: impl FnMut(usize, &mut V));

    /// Moves a value out; another takes its place.
    fn replace(&mut self, column: usize, value: V) -> V;

    /// Joins each column below `count` with that of `from`.
    fn join<R: Reducer<Value = V>>(&mut self, from: &Self, count: usize, reducer: &R);
}

/// The values of as many columns as a register of 512 bits has numbers of 4 bytes.
type Vectors<V> = Words<V, 16>;

impl<V> Columns<V> for Vectors<V> {
    const WIDTH: usize = 16;

    #[inline(always)]
    fn new(init: impl Fn() -> V) -> Self {
        Words::new(|_| init())
    }

    /// Values are moved out: the compiler does not know that the rows lie elsewhere, so that it would store a value after each of them.
    #[inline(always)]
    fn each(&mut self, count: usize, mut body: impl FnMut(usize, &mut V)) {
        if count == Self::WIDTH {
            let mut local = self.copied();
            for column in 0..Self::WIDTH {
                let mut value = local.get(column);
                body(column, &mut value);
                local.put(column, value);
            }
            *self = local;
        } else {
            for column in 0..count {
                let mut value = self.get(column);
                body(column, &mut value);
                self.put(column, value);
            }
        }
    }

    #[inline(always)]
    fn replace(&mut self, column: usize, value: V) -> V {
        let old = self.get(column);
        self.put(column, value);
        old
    }

    #[inline(always)]
    fn join<R: Reducer<Value = V>>(&mut self, from: &Self, count: usize, reducer: &R) {
        self.each(count, |column, value| reducer.join(value, &from.get(column)));
    }
}

/// A value that owns memory, or is large.
struct Single<V>(V);

impl<V> Columns<V> for Single<V> {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn new(init: impl Fn() -> V) -> Self {
        Self(init())
    }

    #[inline(always)]
    fn each(&mut self, count: usize, mut body: impl FnMut(usize, &mut V)) {
        if count > 0 {
            body(0, &mut self.0);
        }
    }

    #[inline(always)]
    fn replace(&mut self, _column: usize, value: V) -> V {
        replace(&mut self.0, value)
    }

    #[inline(always)]
    fn join<R: Reducer<Value = V>>(&mut self, from: &Self, count: usize, reducer: &R) {
        self.each(count, |_, value| reducer.join(value, &from.0));
    }
}

impl<T, F, R> Tile<'_, '_, T, F, R>
where
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
{
    /// One value for each column; none if the tile is too short for these lanes.
    pub(super) fn reduce(&self) -> Vec<R::Value> {
        if const { Vectors::<R::Value>::COPIES } {
            self.reduce_in::<Vectors<R::Value>>()
        } else {
            self.reduce_in::<Single<R::Value>>()
        }
    }

    fn reduce_in<C: Columns<R::Value>>(&self) -> Vec<R::Value> {
        let (w, len, columns) = (const { lanes(R::LANE_BYTES) }, self.len, self.block.columns);
        let run = run_len(len, w);
        let live = if R::COMMUTATIVE {
            len.min(w).saturating_sub(self.lanes.first).div_ceil(self.lanes.step)
        } else {
            len.div_ceil(run)
        };
        if live == 0 {
            return Vec::new();
        }
        // As large as a block may be: otherwise each tile would take this memory from the system again.
        with_scratch(
            live * columns.div_ceil(C::WIDTH),
            |_| C::new(|| self.reducer.init()),
            |values| {
                dispatch(Contributions { tile: self, values: &mut *values, w, run, live });
                let value =
                    |column: usize| values[column / C::WIDTH].replace(column % C::WIDTH, self.reducer.init());
                (0..columns).map(value).collect()
            },
        )
    }

    /// Contributes `N` rows, one after the other, to the values of a lane.
    #[inline(always)]
    fn add<C: Columns<R::Value>, const N: usize>(&self, values: &mut [C], rows: [usize; N]) {
        let (columns, contribute, first) = (self.block.columns, self.contribute, self.first);
        let mut lines = [self.line(rows[0]); N];
        for next in 1..N {
            lines[next] = self.line(rows[next]);
        }
        if let Some(slices) = slices(&lines, columns) {
            for (number, values) in values.iter_mut().enumerate() {
                let begin = number * C::WIDTH;
                let count = C::WIDTH.min(columns - begin);
                let mut pieces: [&[T]; N] = [&[]; N];
                for (piece, slice) in pieces.iter_mut().zip(slices) {
                    *piece = &slice[begin..begin + count];
                }
                values.each(count, |column, value| {
                    for (piece, row) in pieces.iter().zip(rows) {
                        contribute(value, piece[column], first + row);
                    }
                });
            }
        } else {
            for (line, row) in lines.iter().zip(rows) {
                let mut elements = line.iter();
                for values in values.iter_mut() {
                    values.each(C::WIDTH.min(elements.len()), |_, value| {
                        if let Some(x) = elements.next() {
                            contribute(value, *x, first + row);
                        }
                    });
                }
            }
        }
    }

    /// The columns of a row of the tile.
    #[inline(always)]
    fn line(&self, row: usize) -> LineRef<'_, T> {
        let mut index = self.block.index;
        self.reduced.place(self.first + row, &mut index);
        self.x.line(index, 5).part(0, self.block.columns).expect("the columns lie in the extent")
    }

    /// Contributes the next `N` rows of each lane; a tile has `w`.
    #[inline(always)]
    fn add_panel<C: Columns<R::Value>, const N: usize>(&self, values: &mut [C], done: &mut usize, w: usize) {
        let lanes = (self.lanes.first..w).step_by(self.lanes.step);
        for (lane, values) in lanes.zip(values.chunks_exact_mut(self.block.columns.div_ceil(C::WIDTH))) {
            self.add::<C, N>(values, places(*done + lane, w));
        }
        *done += N * w;
    }

    /// Contributes all rows of the lanes, of which a tile has `w`.
    #[inline(always)]
    fn add_lanes<C: Columns<R::Value>>(&self, values: &mut [C], w: usize) {
        let mut done = 0;
        while self.len - done >= ROWS * w {
            self.add_panel::<C, ROWS>(values, &mut done, w);
        }
        match (self.len - done) / w {
            3 => self.add_panel::<C, 3>(values, &mut done, w),
            2 => self.add_panel::<C, 2>(values, &mut done, w),
            1 => self.add_panel::<C, 1>(values, &mut done, w),
            _ => {}
        }
        let rows = (done + self.lanes.first..self.len).step_by(self.lanes.step);
        for (row, values) in rows.zip(values.chunks_exact_mut(self.block.columns.div_ceil(C::WIDTH))) {
            self.add(values, [row]);
        }
    }

    /// Contributes all rows, `run` to a lane.
    #[inline(always)]
    fn add_runs<C: Columns<R::Value>>(&self, values: &mut [C], run: usize) {
        let stored = self.block.columns.div_ceil(C::WIDTH);
        for (l, values) in values.chunks_exact_mut(stored).enumerate() {
            let (first, end) = (l * run, self.len.min((l + 1) * run));
            let whole = end - (end - first) % ROWS;
            for row in (first..whole).step_by(ROWS) {
                self.add::<C, ROWS>(values, places(row, 1));
            }
            for row in whole..end {
                self.add(values, [row]);
            }
        }
    }

    /// Joins `live` lanes into the first: those that commute by halving, others with their neighbour.
    #[inline(always)]
    fn join_lanes<C: Columns<R::Value>>(&self, values: &mut [C], live: usize) {
        let columns = self.block.columns;
        let stored = columns.div_ceil(C::WIDTH);
        let mut join = |into: usize, from: usize| {
            let (left, right) = values.split_at_mut(from * stored);
            let pairs = left[into * stored..][..stored].iter_mut().zip(&right[..stored]);
            for (number, (into, from)) in pairs.enumerate() {
                into.join(from, C::WIDTH.min(columns - number * C::WIDTH), &self.reducer);
            }
        };
        if R::COMMUTATIVE {
            let mut half = live.next_power_of_two() / 2;
            while half > 0 {
                (0..half.min(live - half)).for_each(|l| join(l, l + half));
                half /= 2;
            }
        } else {
            let mut step = 1;
            while step < live {
                (0..live - step).step_by(2 * step).for_each(|l| join(l, l + step));
                step *= 2;
            }
        }
    }
}

/// The contributions of a tile to the values of its lanes, and their join. A whole tile has `w` lanes, of which `live` have values.
///
/// Work of its own: `with_scratch` may call its closure, which is then compiled for the lowest level of instructions.
struct Contributions<'t, 'a, 'k, T, F, R, C> {
    tile: &'t Tile<'a, 'k, T, F, R>,
    values: &'t mut [C],
    w: usize,
    run: usize,
    live: usize,
}

impl<T, F, R, C> Work for Contributions<'_, '_, '_, T, F, R, C>
where
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
    C: Columns<R::Value>,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { tile, values, w, run, live } = self;
        if R::COMMUTATIVE {
            tile.add_lanes(values, w);
        } else {
            tile.add_runs(values, run);
        }
        tile.join_lanes(values, live);
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

/// Joins the values of each column.
#[inline(always)]
pub(super) fn join_all<R: Reducer>(reducer: &R, into: &mut [R::Value], from: &[R::Value]) {
    for (into, from) in into.iter_mut().zip(from) {
        reducer.join(into, from);
    }
}
