//! Copies of boxes with any strides.

use core::mem::MaybeUninit;

use super::divisor::Divisor;
use super::intrinsics::{__spelt_block, __spelt_thread};
use super::word::Word;

/// Threads of a block of [`copy`] and [`fill`](super::fill()). Unit: threads. Source: a multiple of a warp of which eight fill
/// a multiprocessor; not measured.
pub const THREADS: u32 = 256;

/// Words that a thread of [`copy`] and [`fill`](super::fill()) moves. Unit: words. Source: that many loads are under way at
/// once; not measured.
pub const ITEMS: u32 = 4;

/// The most loops of a copy: six dimensions, and the words of an element.
pub const MAX_LOOPS: usize = 7;

/// One loop of a copy: how often, and how far apart on either side, in words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// The number of steps.
    pub count: Divisor,
    /// From one step to the next at the destination.
    pub to: u64,
    /// From one step to the next at the source.
    pub from: u64,
}

/// The parameters of [`copy`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CopyParameters {
    /// The first word of the destination.
    pub to: u64,
    /// The first word of the source.
    pub from: u64,
    /// The number of words: the product of the counts, below 2^31.
    pub words: u32,
    /// The number of loops.
    pub rank: u32,
    /// The loops; the last one runs fastest.
    pub loops: [Loop; MAX_LOOPS],
}

/// Copies the words of a box: each block `THREADS * ITEMS` of them.
///
/// # Safety
/// The parameters are as their documentation says; all words of the source may be read and those of the destination
/// written; blocks of [`THREADS`] threads cover the words.
#[inline(always)]
pub unsafe fn copy<W: Word>(parameters: &CopyParameters) {
    let first = __spelt_block() * (THREADS * ITEMS) + __spelt_thread();
    let mut to: [*mut MaybeUninit<W>; ITEMS as usize] = [core::ptr::null_mut(); ITEMS as usize];
    let mut words: [MaybeUninit<W>; ITEMS as usize] = [MaybeUninit::uninit(); ITEMS as usize];
    // Two loops, so that all loads are in flight before the first store waits for one.
    let mut item = 0;
    while item < ITEMS as usize {
        let at = first.wrapping_add(item as u32 * THREADS);
        if at < parameters.words {
            let (to_words, from_words) = places(at, parameters);
            let from = (parameters.from as *const MaybeUninit<W>).wrapping_add(from_words as usize);
            // SAFETY: `at` is below the number of words, so the source may be read and the destination written at its
            // places; `item` is below `ITEMS`.
            unsafe {
                *to.get_unchecked_mut(item) =
                    (parameters.to as *mut MaybeUninit<W>).wrapping_add(to_words as usize);
                *words.get_unchecked_mut(item) = from.read();
            }
        }
        item += 1;
    }
    let mut item = 0;
    while item < ITEMS as usize {
        if first.wrapping_add(item as u32 * THREADS) < parameters.words {
            // SAFETY: the item is one whose word and place were set in the first loop, under the same condition; the
            // destination may be written there.
            unsafe { to.get_unchecked(item).write(*words.get_unchecked(item)) };
        }
        item += 1;
    }
}

/// The offsets of word `at`, in words.
#[inline(always)]
fn places(at: u32, parameters: &CopyParameters) -> (u64, u64) {
    let (mut to, mut from) = (0_u64, 0_u64);
    let mut rest = at;
    let mut left = parameters.rank as usize;
    while left > 1 {
        left -= 1;
        // SAFETY: `rank` is at most the number of loops.
        let line = unsafe { parameters.loops.get_unchecked(left) };
        let (outer, step) = line.count.divide(rest);
        to = to.wrapping_add(u64::from(step).wrapping_mul(line.to));
        from = from.wrapping_add(u64::from(step).wrapping_mul(line.from));
        rest = outer;
    }
    // SAFETY: there are loops.
    let line = unsafe { parameters.loops.get_unchecked(0) };
    let to = to.wrapping_add(u64::from(rest).wrapping_mul(line.to));
    let from = from.wrapping_add(u64::from(rest).wrapping_mul(line.from));
    (to, from)
}
