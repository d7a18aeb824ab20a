//! Neighbouring outputs together: for kept dimensions that lie closer in memory than the reduced ones, on a host.
//!
//! Memory is read in pieces of rows, and each lane of the canonical order has a running value for every column of the piece.
//! If there are fewer columns than threads need, tiles of rows are also distributed, or the lanes of tiles if those are few;
//! their results join in a second launch.

use core::mem::replace;
use std::sync::{Mutex, PoisonError};

use spelt_core::canonical::{lanes, run_len, tile_len};
use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, LineRef, LookupAccess, RangePolicy, Result, Stride, ViewMut, ViewRef,
    parallel_for, with_scratch,
};

use super::LABEL;
use super::even::Even;
use super::in_register::in_register;
use super::plan::Reduced;
use super::quick::{Panel, Quick};

/// The maximum size of the running values of a block. Unit: bytes. Source: half of a second-level cache of 256 KiB; pieces of rows
/// of `f32` are then 4 KiB, a page, and with 2 KiB a sum took a fifth longer.
const BLOCK_BYTES: usize = 128 << 10;

/// The minimum number of columns of a block, if there are that many. Unit: columns. Source: a cache line or more of a row.
pub(super) const MIN_COLUMNS: usize = 64;

/// Rows that are added to a lane at a time, so that its values are loaded and stored for four rows once; for twice as many where there are
/// enough.
const ROWS: usize = 4;

/// The number of elements from which several threads pay. Unit: elements. Source: the break-even size of launches.
const SHARED: usize = 1 << 15;

/// The same for cheap contributions. Unit: elements. Source: measured with sums of 100 rows of 1000 `f32` (Zen 4): 8.7 us on one thread,
/// and 9 to 12 on two, of which one finds its rows in the caches of the other.
const SHARED_IF_CHEAP: usize = 1 << 17;

/// Nodes of the tree of tiles for each thread if tiles are distributed, so that a late thread costs little. Unit: nodes.
const NODES_PER_THREAD: usize = 16;

/// The number of blocks for each thread below which their tiles are distributed as well, if there is enough work. Unit: blocks. Source: a
/// thread that is one block late is late by at most an eighth.
const BLOCKS_PER_THREAD: usize = 8;

/// The number of tiles for each thread from which their lanes are not distributed. Unit: tiles. Source: measured with sums of 10^4 rows of
/// 1000 `f32` on two threads (Zen 4): 0.7 to 0.85 ms by five tiles, 1.2 to 1.35 by ten halves of tiles, 1.05 to 1.25 by twenty parts.
const TILES_PER_THREAD: usize = 2;

/// The minimum number of elements of a unit if the lanes of tiles are distributed. Unit: elements. Source: some microseconds of work.
const UNIT: usize = 1 << 16;

/// Outputs next to each other: `columns` from `index` on.
#[derive(Clone, Copy)]
struct Block {
    index: [usize; 6],
    columns: usize,
}

/// The division of the outputs into blocks.
#[derive(Clone, Copy)]
struct Blocks {
    outputs: [usize; 6],
    width: usize,
    across: usize,
    count: usize,
}

impl Blocks {
    fn new(outputs: [usize; 6], width: usize) -> Self {
        let across = outputs[5].div_ceil(width);
        Self { outputs, width, across, count: outputs[..5].iter().product::<usize>() * across }
    }

    #[inline(always)]
    fn get(&self, number: usize) -> Block {
        let mut index = [0; 6];
        index[5] = number % self.across * self.width;
        let mut rest = number / self.across;
        for dimension in (0..5).rev() {
            index[dimension] = rest % self.outputs[dimension];
            rest /= self.outputs[dimension];
        }
        Block { index, columns: self.width.min(self.outputs[5] - index[5]) }
    }
}

/// Some lanes of a tile: `first`, and every `step`th from there. Halving joins them among themselves down to one.
#[derive(Clone, Copy)]
struct Lanes {
    first: usize,
    step: usize,
}

/// Some lanes of a tile of rows of one block; all of them if the reducer does not commute.
struct Tile<'a, 'k, T, F, R, Q> {
    x: &'a LookupAccess<'k, T, 6, Stride>,
    block: Block,
    reduced: Reduced,
    first: usize,
    len: usize,
    lanes: Lanes,
    /// All rows, one after the other, if they are so in memory.
    dense: Option<&'a [T]>,
    contribute: F,
    reducer: R,
    quick: Q,
}

impl<T, F, R, Q> Tile<'_, '_, T, F, R, Q>
where
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
    Q: Quick<T, R>,
{
    /// Contributes `N` rows, one after the other, to the values of a lane.
    #[inline(always)]
    fn add<const N: usize>(&self, values: &mut [R::Value], rows: [usize; N]) {
        self.add_to::<N, false>(values, rows);
    }

    /// [`add`](Self::add), to new values if `FRESH`, which replace those that are there.
    #[inline(always)]
    fn add_to<const N: usize, const FRESH: bool>(&self, values: &mut [R::Value], rows: [usize; N]) {
        let columns = self.block.columns;
        let values = &mut values[..columns];
        let mut slices = match self.dense {
            Some(dense) => dense_rows(dense, columns, rows),
            None => {
                let mut lines = [self.line(rows[0]); N];
                for next in 1..N {
                    lines[next] = self.line(rows[next]);
                }
                let Some(slices) = slices(&lines, columns) else {
                    if FRESH {
                        values.fill_with(|| self.reducer.init());
                    }
                    for (line, row) in lines.iter().zip(rows) {
                        for (value, x) in values.iter_mut().zip(line.iter()) {
                            (self.contribute)(value, *x, self.first + row);
                        }
                    }
                    return;
                };
                slices
            }
        };
        // Again, for both cases, and by numbers instead of an iterator of the values: a check that stays in the loop leaves the last vector
        // of columns to scalar code.
        for slice in &mut slices {
            *slice = &slice[..columns];
        }
        for column in 0..columns {
            let value = &mut values[column];
            let add = |value: &mut R::Value| {
                for (slice, row) in slices.iter().zip(rows) {
                    (self.contribute)(value, slice[column], self.first + row);
                }
            };
            if FRESH {
                let mut fresh = self.reducer.init();
                add(&mut fresh);
                *value = fresh;
            } else {
                in_register(value, add);
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
            self.add::<N>(values, places(*done + lane, w));
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
            self.add(values, [row]);
        }
    }

    /// Contributes all rows of one lane after the other, and joins it with those before, in the order of the tree: as many values are
    /// kept for a column as the tree has levels. A tile has `w` lanes, and for each of them 1 to [`ROWS`] rows.
    #[inline(always)]
    fn add_lanes_in_turn(&self, values: &mut [R::Value], w: usize) {
        let (columns, Lanes { first, step }) = (self.block.columns, self.lanes);
        let lanes = w / step;
        let mut level = 0;
        for number in 0..lanes {
            // Halving joins neighbours in the order of the reversed bits.
            let place = number.reverse_bits() >> 1 >> (usize::BITS - 1 - lanes.ilog2());
            self.add_lane(&mut values[level * columns..][..columns], first + step * place, w);
            for _ in 0..number.trailing_ones() {
                level -= 1;
                let (into, from) = values[level * columns..].split_at_mut(columns);
                join_all(&self.reducer, into, &from[..columns]);
            }
            level += 1;
        }
    }

    /// The values of all rows of a lane, which has at most `ROWS`.
    #[inline(always)]
    fn add_lane(&self, values: &mut [R::Value], lane: usize, w: usize) {
        match (self.len - lane).div_ceil(w) {
            1 => self.add_to::<1, true>(values, [lane]),
            2 => self.add_to::<2, true>(values, places(lane, w)),
            3 => self.add_to::<3, true>(values, places(lane, w)),
            _ => self.add_to::<ROWS, true>(values, places(lane, w)),
        }
    }

    /// Contributes all rows, `run` to a lane.
    #[inline(always)]
    fn add_runs(&self, values: &mut [R::Value], run: usize) {
        for (l, values) in values.chunks_exact_mut(self.block.columns).enumerate() {
            let (first, end) = (l * run, self.len.min((l + 1) * run));
            let whole = end - (end - first) % ROWS;
            for row in (first..whole).step_by(ROWS) {
                self.add::<ROWS>(values, places(row, 1));
            }
            for row in whole..end {
                self.add(values, [row]);
            }
        }
    }

    /// Joins `live` lanes into the first: those that commute by halving, others with their neighbour.
    #[inline(always)]
    fn join_lanes(&self, values: &mut [R::Value], live: usize) {
        let columns = self.block.columns;
        let mut join = |into: usize, from: usize| {
            let (left, right) = values.split_at_mut(from * columns);
            join_all(&self.reducer, &mut left[into * columns..][..columns], &right[..columns]);
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
        if R::COMMUTATIVE && (w..=ROWS * w).contains(&len) {
            let levels = (w / step).ilog2() as usize + 1;
            return with_scratch(
                levels * columns,
                |_| self.reducer.init(),
                // Otherwise it is compiled for the lowest processor.
                #[inline(always)]
                |values| {
                    self.add_lanes_in_turn(values, w);
                    values.iter_mut().take(columns).map(|value| replace(value, self.reducer.init())).collect()
                },
            );
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

/// These rows of `columns` elements each.
#[inline(always)]
fn dense_rows<T, const N: usize>(dense: &[T], columns: usize, rows: [usize; N]) -> [&[T]; N] {
    let mut slices: [&[T]; N] = [&[]; N];
    for (slice, row) in slices.iter_mut().zip(rows) {
        *slice = &dense[row * columns..][..columns];
    }
    slices
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

#[inline(always)]
fn join_all<R: Reducer>(reducer: &R, into: &mut [R::Value], from: &[R::Value]) {
    for (into, from) in into.iter_mut().zip(from) {
        reducer.join(into, from);
    }
}

/// Joins the results of the lanes from each `first` below `parts`, a power of two, by halving.
fn join_parts<R: Reducer>(
    reducer: &R,
    parts: usize,
    part: impl FnMut(usize) -> Vec<R::Value>,
) -> Vec<R::Value> {
    let mut values: Vec<_> = (0..parts).map(part).collect();
    while values.len() > 1 {
        let upper = values.split_off(values.len() / 2);
        for (into, from) in values.iter_mut().zip(&upper) {
            join_all(reducer, into, from);
        }
    }
    values.pop().unwrap_or_default()
}

/// Joins the values of `tiles` tiles pairwise by number, level by level.
fn join_tiles<R: Reducer>(
    reducer: &R,
    tiles: usize,
    mut tile: impl FnMut(usize) -> Vec<R::Value>,
) -> Vec<R::Value> {
    // A binary counter: a level for each set bit of the number of tiles so far, the largest first.
    let mut levels: Vec<Vec<R::Value>> = Vec::new();
    for number in 0..tiles {
        levels.push(tile(number));
        let joins =
            if number + 1 == tiles { levels.len() - 1 } else { (number + 1).trailing_zeros() as usize };
        for _ in 0..joins {
            let from = levels.pop().unwrap_or_default();
            if let Some(into) = levels.last_mut() {
                join_all(reducer, into, &from);
            }
        }
    }
    levels.pop().unwrap_or_default()
}

/// Reduces to blocks of neighbouring outputs.
pub(super) fn reduce_columns<S, T, F, R, Q>(
    space: &S,
    x: ViewRef<'_, T, 6, S::Memory, Stride>,
    reduced: Reduced,
    mut out: ViewMut<'_, R::Output, 6, S::Memory, Stride>,
    contribute: F,
    reducer: R,
    quick: Q,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy + Sync,
    R: Reducer<Output: Element, Value: Send> + Copy + Sync,
    Q: Quick<T, R>,
{
    let (outputs, n) = (out.extents(), reduced.count);
    let w = const { lanes(R::LANE_BYTES) };
    let tile = tile_len(w);
    let tiles = n.div_ceil(tile);
    let row_bytes = (n.min(w) * size_of::<R::Value>()).max(1);
    let mut blocks =
        Blocks::new(outputs, (BLOCK_BYTES / row_bytes).clamp(MIN_COLUMNS, outputs[5].max(MIN_COLUMNS)));
    let threads = space.concurrency();
    let elements = n.saturating_mul(out.len());
    let is_cheap = const { Q::CHEAP && size_of::<R::Value>() <= 8 };
    let shared = threads > 1 && elements >= if is_cheap { SHARED_IF_CHEAP } else { SHARED };
    // Nodes of the tree of tiles, to be distributed: a power of two of tiles each, and enough nodes for all threads.
    let group = tiles.div_ceil(NODES_PER_THREAD * threads).next_power_of_two();
    let nodes = tiles.div_ceil(group);
    // A part of a tile is every second of its lanes, or every fourth, ..: it reads whole pieces of rows, but skips the rows between them.
    let wanted = (TILES_PER_THREAD * threads).min(elements / UNIT);
    let mut parts_of_tile = 1;
    while shared
        && R::COMMUTATIVE
        && group == 1
        && parts_of_tile < w
        && tiles * blocks.count * parts_of_tile < wanted
    {
        parts_of_tile *= 2;
    }
    while shared
        && tiles * blocks.count * parts_of_tile < 2 * threads
        && blocks.width.min(outputs[5]) >= 4 * MIN_COLUMNS
    {
        blocks = Blocks::new(outputs, blocks.width / 2);
    }
    let policy = |units: usize| -> RangePolicy<&S> {
        let range = space.range(0..units);
        if shared { range.chunk(1) } else { range }
    };
    let reduce_part = move |x: &LookupAccess<'_, T, 6, Stride>, block: Block, node: usize, part: usize| {
        let (first_tile, lanes) = (node * group, Lanes { first: part, step: parts_of_tile });
        join_tiles(&reducer, group.min(tiles - first_tile), |number| {
            let first = (first_tile + number) * tile;
            let len = tile.min(n - first);
            let mut index = block.index;
            reduced.place(first, &mut index);
            let dense = if reduced.rank == 1 { x.dense(index, [(0, len), (5, block.columns)]) } else { None };
            dispatch(Tile { x, block, reduced, first, len, lanes, dense, contribute, reducer, quick })
        })
    };
    let units_of_block = nodes * parts_of_tile;
    // The results of the units, each in its place, if not only blocks are distributed.
    let few = shared && units_of_block > 1 && blocks.count < BLOCKS_PER_THREAD * threads;
    let units: Vec<Mutex<Vec<R::Value>>> =
        if few { (0..units_of_block * blocks.count).map(|_| Mutex::default()).collect() } else { Vec::new() };
    let even = if few && parts_of_tile == 1 && blocks.count == 1 {
        Even::new(nodes, threads, outputs[5])
    } else {
        None
    };
    if let Some(even) = even {
        parallel_for(LABEL, policy(even.count()), x.lookup(), |i, x| {
            let (block, (node, piece)) = (blocks.get(0), even.get(i.get()));
            let columns = piece.map_or(0..block.columns, |piece| even.columns(piece, block.columns));
            let mut part = Block { columns: columns.len(), ..block };
            part.index[5] += columns.start;
            let values = reduce_part(&x, part, node, 0);
            let mut unit = units[node].lock().unwrap_or_else(PoisonError::into_inner);
            if piece.is_none() {
                *unit = values;
                return;
            }
            // Each piece is put where its columns are.
            if unit.is_empty() {
                unit.extend((0..block.columns).map(|_| reducer.init()));
            }
            unit.iter_mut().skip(columns.start).zip(values).for_each(|(place, value)| *place = value);
        })?;
    } else if few {
        parallel_for(LABEL, policy(units.len()), x.lookup(), |i, x| {
            let (block, unit) = (blocks.get(i.get() / units_of_block), i.get() % units_of_block);
            let values = reduce_part(&x, block, unit / parts_of_tile, unit % parts_of_tile);
            *units[i.get()].lock().unwrap_or_else(PoisonError::into_inner) = values;
        })?;
    }
    // SAFETY: iteration `b` touches the outputs of block `b`, and no two blocks have one in common.
    let out = unsafe { out.distinct() };
    parallel_for(LABEL, policy(blocks.count), (x.lookup(), out), |i, (x, mut out)| {
        let block = blocks.get(i.get());
        let values = join_tiles(&reducer, nodes, |node| {
            join_parts(&reducer, parts_of_tile, |part| {
                match units.get(i.get() * units_of_block + node * parts_of_tile + part) {
                    Some(unit) => core::mem::take(&mut *unit.lock().unwrap_or_else(PoisonError::into_inner)),
                    None => reduce_part(&x, block, node, part),
                }
            })
        });
        let mut index = block.index;
        let mut values = values.into_iter();
        for _ in 0..block.columns {
            out[index] = reducer.finish(values.next().unwrap_or_else(|| reducer.init()));
            index[5] += 1;
        }
    })
}
