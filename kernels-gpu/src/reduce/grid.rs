//! Reductions of a whole launch, in the canonical order.
//!
//! A tile of `W` lanes is run by `W` neighbouring threads, so a warp runs `32 / W` tiles side by side: a row. Each warp
//! runs a power of two of rows, each block a power of two of warps; so a warp, and a block, joins a subtree of the tree of
//! tiles, and the values of the blocks also join pairwise by number. The block that finishes last joins them; the result does
//! not depend on which block that is.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering};

use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::block::Exchange;
use super::tuning::{ROWS_AT_ONCE, ReduceShape, partials_at_once};
use super::warp::{Row, join_first, join_halves, join_pairs};
use crate::index_space::IndexSpace;
use crate::intrinsics::{__spelt_block, __spelt_fence, __spelt_thread, WARP};
use crate::warp;

/// Memory that the blocks of a launch share.
#[repr(C)]
#[derive(Debug)]
pub struct Partials<V> {
    /// One place for each block; not used by a launch of one block.
    pub values: *mut MaybeUninit<V>,
    /// The number of blocks that have finished: 0 before the launch, and after it.
    pub done: *mut AtomicU32,
}

impl<V> Clone for Partials<V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<V> Copy for Partials<V> {}

/// Reduces all iterations of a launch and calls `end` with the result, once, in one thread.
///
/// # Safety
/// All threads of a launch of `shape` call it, in blocks that have the [`Exchange`] of their warps and nothing else in
/// dynamic shared memory; `partials` is memory that only this launch uses. `indices` has `shape.n` iterations and was made for the
/// stride of `R`'s lanes. `body` may be called once for each.
#[inline(always)]
pub unsafe fn reduce<R, S, F, E>(
    reducer: &R,
    indices: &S,
    shape: &ReduceShape,
    partials: &Partials<R::Value>,
    body: &F,
    end: E,
) where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
    E: FnOnce(R::Value),
{
    // The match is on a constant: one arm is compiled.
    // SAFETY: `reduce_block` has the contract of this function, and each arm has the number of lanes for which `walk`
    // was made.
    let value = unsafe {
        match const { canonical::lanes(R::LANE_BYTES) } {
            32 => reduce_block::<32, R, S, F>(reducer, indices, shape, body),
            16 => reduce_block::<16, R, S, F>(reducer, indices, shape, body),
            8 => reduce_block::<8, R, S, F>(reducer, indices, shape, body),
            4 => reduce_block::<4, R, S, F>(reducer, indices, shape, body),
            2 => reduce_block::<2, R, S, F>(reducer, indices, shape, body),
            _ => reduce_block::<1, R, S, F>(reducer, indices, shape, body),
        }
    };
    // SAFETY: all threads call this with partials that only this launch uses, as the contract asks; thread 0 has its block's value,
    // as every block has a tile unless the launch is empty.
    if let Some(value) = unsafe { join_blocks(reducer, shape, partials, value) } {
        // SAFETY: the joined value of all blocks.
        end(if shape.n == 0 { reducer.init() } else { unsafe { value.assume_init() } });
    }
}

/// `number / power`, rounded up, where `power` is a power of two: a division takes a device about a hundred instructions, and a
/// test for 0.
#[inline(always)]
const fn in_powers(number: usize, power: usize) -> usize {
    (number + (power - 1)) >> power.trailing_zeros()
}

/// Joins the values of the blocks, each given by its thread 0; the result is `Some` in one thread of the launch.
///
/// # Safety
/// As for [`reduce`]; thread 0 of each block has a value, unless there is one block, whose value is only passed through.
#[inline(always)]
pub unsafe fn join_blocks<R: Reducer>(
    reducer: &R,
    shape: &ReduceShape,
    partials: &Partials<R::Value>,
    value: MaybeUninit<R::Value>,
) -> Option<MaybeUninit<R::Value>> {
    let first = __spelt_thread() == 0;
    if shape.blocks == 1 {
        return first.then_some(value);
    }
    // SAFETY: all threads of the block call this, with an `Exchange` of their warps in shared memory, as the contract
    // asks; `reduce_block` has left the memory.
    let exchange = unsafe { Exchange::<R::Value>::new() };
    let mut last = 0;
    if first {
        // SAFETY: there is a place for each block, which only this thread writes; the counter is valid.
        let done = unsafe {
            partials.values.add(__spelt_block() as usize).write(value);
            __spelt_fence();
            (*partials.done).fetch_add(1, Ordering::Relaxed)
        };
        __spelt_fence();
        last = u32::from(done == shape.blocks - 1);
    }
    // SAFETY: the whole block is here.
    if unsafe { exchange.tell(last) } == 0 {
        return None;
    }
    if first {
        // SAFETY: every block has counted itself.
        unsafe { (*partials.done).store(0, Ordering::Relaxed) };
    }
    let at_once = const { partials_at_once(size_of::<R::Value>()) };
    let count = shape.blocks as usize;
    // The number of values that a warp joins in one step. Each warp takes a power of two of steps.
    let row = WARP as usize * at_once;
    let steps = in_powers(count, row * shape.warps as usize).next_power_of_two();
    let from = warp::number() as usize * steps * row;
    let mut joined = Row::new();
    let mut step = 0;
    while step < steps && from + step * row < count {
        let place = from + step * row + warp::lane() as usize * at_once;
        // SAFETY: the places below `count` were written before their blocks counted themselves.
        let mut value = unsafe { join_neighbours(reducer, partials.values, place, at_once, count) };
        let threads = (count - from - step * row).div_ceil(at_once).min(WARP as usize) as u32;
        // SAFETY: the first `threads` threads have a value, and there is at least one.
        unsafe {
            join_first(reducer, &mut value, threads);
            joined.push(reducer, &value);
        }
        step += 1;
    }
    let joined = joined.join(reducer);
    let warps = in_powers(count, steps * row) as u32;
    // SAFETY: the first `warps` warps have had a partial result, and there is at least one.
    let joined = unsafe { exchange.join(reducer, joined, shape.warps, warps) };
    first.then_some(joined)
}

/// Joins the partial results `place..place + most` below `count`, pairwise by number; unspecified if there are none. `most` is 1
/// or 4.
///
/// # Safety
/// The partial results below `count` are written.
#[inline(always)]
unsafe fn join_neighbours<R: Reducer>(
    reducer: &R,
    values: *const MaybeUninit<R::Value>,
    place: usize,
    most: usize,
    count: usize,
) -> MaybeUninit<R::Value> {
    // One by one: an array behind a loop would lie in local memory unless the loop is unrolled.
    let read = |number: usize| {
        if number < most && place + number < count {
            // SAFETY: `place + number` is below `count`, and the partial results below that are written.
            unsafe { values.add(place + number).read() }
        } else {
            MaybeUninit::uninit()
        }
    };
    let (mut first, second, mut third, fourth) = (read(0), read(1), read(2), read(3));
    // SAFETY: the joined values lie at places below `count` and `most`, so they are written.
    unsafe {
        if most > 1 && place + 1 < count {
            reducer.join(first.assume_init_mut(), second.assume_init_ref());
        }
        if most > 3 && place + 3 < count {
            reducer.join(third.assume_init_mut(), fourth.assume_init_ref());
        }
        if most > 2 && place + 2 < count {
            reducer.join(first.assume_init_mut(), third.assume_init_ref());
        }
    }
    first
}

/// Reduces this block's tiles; the result is valid in thread 0.
///
/// # Safety
/// As for [`reduce`].
#[inline(always)]
unsafe fn reduce_block<const W: usize, R, S, F>(
    reducer: &R,
    indices: &S,
    shape: &ReduceShape,
    body: &F,
) -> MaybeUninit<R::Value>
where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
{
    let side_by_side = WARP as usize / W;
    let tiles = canonical::tile_count(shape.n, W);
    let of_warp = shape.steps as usize * side_by_side;
    let first = __spelt_block() as usize * shape.warps as usize * of_warp;
    // SAFETY: all threads of the block call this, and the rows of a warp are tiles of `walk` that no other warp has;
    // `walk` was made for the stride of `W` lanes, as the contract of `reduce` asks.
    let value = unsafe {
        reduce_rows::<W, R, S, F>(
            reducer,
            indices,
            shape,
            first + warp::number() as usize * of_warp,
            tiles,
            body,
        )
    };
    let warps = in_powers(tiles.saturating_sub(first), of_warp).min(shape.warps as usize) as u32;
    // SAFETY: that many warps have had a tile. The exchange is the block's.
    unsafe { Exchange::new().join(reducer, value, shape.warps, warps) }
}

/// Reduces this warp's rows from tile `first` on; the result is valid in its thread 0.
///
/// # Safety
/// As for [`reduce`].
#[inline(always)]
unsafe fn reduce_rows<const W: usize, R, S, F>(
    reducer: &R,
    indices: &S,
    shape: &ReduceShape,
    first: usize,
    tiles: usize,
    body: &F,
) -> MaybeUninit<R::Value>
where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
{
    let side_by_side = WARP as usize / W;
    let tile_len = canonical::tile_len(W);
    let (group, member) = (warp::lane() as usize / W, warp::lane() as usize % W);
    let mut joined = Row::new();
    let mut step = 0;
    while step < shape.steps as usize {
        let row = first + step * side_by_side;
        if row >= tiles {
            break;
        }
        let from = (row + group) * tile_len;
        let whole = (row + side_by_side) * tile_len <= shape.n;
        let len = if whole { tile_len } else { shape.n.saturating_sub(from).min(tile_len) };
        let mut value = MaybeUninit::uninit();
        if R::COMMUTATIVE {
            if whole {
                value.write(whole_lane::<W, R, S, F>(reducer, indices, from + member, body));
            } else if member < len {
                let count = (len - member).div_ceil(W);
                value.write(part_of_lane::<W, R, S, F>(reducer, indices, from + member, count, body));
            }
            // SAFETY: each lane of the tile that has an iteration has a value.
            unsafe { join_halves::<W, R>(reducer, &mut value, len.min(W) as u32) };
        } else {
            let run = canonical::run_len(len, W);
            if member * run < len {
                let count = run.min(len - member * run);
                value.write(part_of_lane::<1, R, S, F>(reducer, indices, from + member * run, count, body));
            }
            let live = if len == 0 { 0 } else { len.div_ceil(run) };
            // SAFETY: each lane of the tile that has an iteration has a value.
            unsafe { join_pairs(reducer, &mut value, 1, W as u32, live as u32) };
        }
        let there = (tiles - row).min(side_by_side) as u32;
        // SAFETY: the first of each tile's threads has its value, and the row has at least one tile.
        unsafe {
            join_pairs(reducer, &mut value, W as u32, side_by_side as u32, there);
            joined.push(reducer, &value);
        }
        step += 1;
    }
    joined.join(reducer)
}

/// Reduces one lane of a whole tile.
#[inline(always)]
fn whole_lane<const W: usize, R, S, F>(reducer: &R, indices: &S, offset: usize, body: &F) -> R::Value
where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
{
    let mut value = reducer.init();
    let mut place = indices.start(offset);
    // Loops of constant length, the inner one short enough to be unrolled: its loads then start together.
    for _ in 0..canonical::ROWS / ROWS_AT_ONCE {
        for _ in 0..ROWS_AT_ONCE {
            body(indices.index(&place), &mut value);
            indices.step::<W>(&mut place);
        }
    }
    value
}

/// Reduces `count` iterations from `offset` on, at a distance of `BY`.
#[inline(always)]
fn part_of_lane<const BY: usize, R, S, F>(
    reducer: &R,
    indices: &S,
    offset: usize,
    count: usize,
    body: &F,
) -> R::Value
where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
{
    let mut value = reducer.init();
    let mut place = indices.start(offset);
    for _ in 0..count {
        body(indices.index(&place), &mut value);
        indices.step::<BY>(&mut place);
    }
    value
}
