//! Neighbouring outputs together: for kept dimensions that lie closer in memory than the reduced ones, on a host.
//!
//! Memory is read in pieces of rows, and each lane of the canonical order has a running value for every column of the piece; few rows
//! are reduced by [groups](super::groups) of columns instead.
//! If there are fewer columns than threads need, tiles of rows are also distributed, or the lanes of tiles if those are few;
//! their results join in a second launch.

use std::sync::{Mutex, PoisonError};

use spelt_core::canonical::{lanes, tile_len};
use spelt_core::isa::dispatch;
use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, LookupAccess, RangePolicy, Result, Stride, ViewMut, ViewRef, parallel_for,
};

use super::LABEL;
use super::even::Even;
use super::plan::Reduced;
use super::quick::Quick;
use super::tile::{Block, Lanes, Tile, join_all};

/// The maximum size of the running values of a block. Unit: bytes. Source: half of a second-level cache of 256 KiB; pieces of rows
/// of `f32` are then 4 KiB, a page, and with 2 KiB a sum took a fifth longer.
const BLOCK_BYTES: usize = 128 << 10;

/// The minimum number of columns of a block, if there are that many. Unit: columns. Source: a cache line or more of a row.
pub(super) const MIN_COLUMNS: usize = 64;

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

/// Joins the results of the lanes from each `first` below `parts`, a power of two, by halving.
fn join_parts<R: Reducer>(
    reducer: &R,
    parts: usize,
    mut part: impl FnMut(usize) -> Vec<R::Value>,
) -> Vec<R::Value> {
    if parts == 1 {
        return part(0);
    }
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
    if tiles == 1 {
        return tile(0);
    }
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
        if let Some(line) = out.line_mut(block.index, 5, block.columns)
            && values.len() == line.len()
        {
            line.iter_mut().zip(values).for_each(|(place, value)| *place = reducer.finish(value));
            return;
        }
        let mut index = block.index;
        let mut values = values.into_iter();
        for _ in 0..block.columns {
            out[index] = reducer.finish(values.next().unwrap_or_else(|| reducer.init()));
            index[5] += 1;
        }
    })
}
