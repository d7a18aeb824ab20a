//! Copies between boxes of which another index runs fastest on either side.

use core::mem::MaybeUninit;

use super::copy::{Loop, MAX_LOOPS, THREADS};
use super::divisor::Divisor;
use super::intrinsics::{__spelt_barrier, __spelt_block, __spelt_shared, __spelt_thread};
use super::word::Word;

/// Side of the square tiles. Unit: words. Source: a warp reads and writes one row of a tile.
pub const SIDE: u32 = 32;

/// From one row of a tile in shared memory to the next, in words: one bank longer than the row, so that the
/// words of a column lie in different banks.
const fn pitch(word: usize) -> u32 {
    const BANK_BYTES: usize = 4;
    SIDE + if word < BANK_BYTES { (BANK_BYTES / word) as u32 } else { 1 }
}

/// Rows of a tile that a block reads or writes at once.
const ROWS: u32 = THREADS / SIDE;

/// The parameters of [`transpose`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TransposeParameters {
    /// The first word of the destination.
    pub to: u64,
    /// The first word of the source.
    pub from: u64,
    /// The loop that runs fastest at the source.
    pub source: Loop,
    /// The loop that runs fastest at the destination.
    pub target: Loop,
    /// The tiles along `source`.
    pub source_tiles: Divisor,
    /// The tiles along `target`.
    pub target_tiles: Divisor,
    /// The number of loops around the two.
    pub rank: u32,
    /// These loops.
    pub loops: [Loop; MAX_LOOPS - 2],
}

impl TransposeParameters {
    /// Bytes of shared memory for words of this size.
    pub fn shared_bytes(word: usize) -> u32 {
        SIDE * pitch(word) * word as u32
    }
}

/// Copies one tile of `SIDE * SIDE` words: a warp reads a row along `source`, and writes a row along `target`.
///
/// # Safety
/// The parameters are as their documentation says; all words of the source may be read and those of the destination
/// written; there is a block of [`THREADS`] threads for each tile, with [`TransposeParameters::shared_bytes`].
#[inline(always)]
pub unsafe fn transpose<W: Word>(parameters: &TransposeParameters) {
    let pitch = pitch(core::mem::size_of::<W>());
    let tile = __spelt_shared().cast::<MaybeUninit<W>>();
    let (column, row) = (__spelt_thread() % SIDE, __spelt_thread() / SIDE);
    let (rest, source_tile) = parameters.source_tiles.divide(__spelt_block());
    let (rest, target_tile) = parameters.target_tiles.divide(rest);
    let (to, from) = places(rest, parameters);
    let to = (parameters.to as *mut MaybeUninit<W>).wrapping_add(to);
    let from = (parameters.from as *const MaybeUninit<W>).wrapping_add(from);
    let (source, target) = (&parameters.source, &parameters.target);
    let (source_begin, target_begin) = (source_tile * SIDE, target_tile * SIDE);

    let mut words: [MaybeUninit<W>; (SIDE / ROWS) as usize] = [MaybeUninit::uninit(); (SIDE / ROWS) as usize];
    let along = source_begin + column;
    let mut step = 0;
    while step < SIDE / ROWS {
        let across = target_begin + row + step * ROWS;
        if along < source.count.value() && across < target.count.value() {
            let from = from.wrapping_add(offset(along, source.from, across, target.from));
            // SAFETY: both indices are below their counts, so the source may be read there; there are as many words as
            // steps.
            unsafe { *words.get_unchecked_mut(step as usize) = from.read() };
        }
        step += 1;
    }
    // Places of the tile without a word are also written, but never read.
    let mut step = 0;
    while step < SIDE / ROWS {
        // SAFETY: row and column are below `SIDE`, so the place is in the tile, and only this thread writes it.
        unsafe {
            let word = *words.get_unchecked(step as usize);
            tile.add(((row + step * ROWS) * pitch + column) as usize).write(word);
        }
        step += 1;
    }
    __spelt_barrier();
    let along = target_begin + column;
    let mut step = 0;
    while step < SIDE / ROWS {
        let across = source_begin + row + step * ROWS;
        if along < target.count.value() && across < source.count.value() {
            // SAFETY: the place is in the tile, and was written before the barrier.
            let word = unsafe { tile.add((column * pitch + row + step * ROWS) as usize).read() };
            let to = to.wrapping_add(offset(along, target.to, across, source.to));
            // SAFETY: both indices are below their counts, so the destination may be written there.
            unsafe { to.write(word) };
        }
        step += 1;
    }
}

/// The sum of two steps, in words.
#[inline(always)]
fn offset(a: u32, a_stride: u64, b: u32, b_stride: u64) -> usize {
    u64::from(a).wrapping_mul(a_stride).wrapping_add(u64::from(b).wrapping_mul(b_stride)) as usize
}

/// The offsets of plane `rest`, in words.
#[inline(always)]
fn places(rest: u32, parameters: &TransposeParameters) -> (usize, usize) {
    let (mut to, mut from) = (0_u64, 0_u64);
    let mut rest = rest;
    let mut left = parameters.rank as usize;
    while left > 0 {
        left -= 1;
        // SAFETY: `rank` is at most the number of loops.
        let line = unsafe { parameters.loops.get_unchecked(left) };
        let (outer, step) = line.count.divide(rest);
        to = to.wrapping_add(u64::from(step).wrapping_mul(line.to));
        from = from.wrapping_add(u64::from(step).wrapping_mul(line.from));
        rest = outer;
    }
    (to as usize, from as usize)
}
