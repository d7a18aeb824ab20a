//! Fills of boxes with any strides.

use core::mem::MaybeUninit;

use super::copy::{ITEMS, Loop, MAX_LOOPS, THREADS};
use super::intrinsics::{__spelt_block, __spelt_thread};
use super::word::Word;

/// The parameters of [`fill`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FillParameters {
    /// The word, repeated.
    pub pattern: MaybeUninit<u128>,
    /// The first word.
    pub to: u64,
    /// The number of words: the product of the counts, below 2^31.
    pub words: u32,
    /// The number of loops.
    pub rank: u32,
    /// The loops; the last one runs fastest. Their sources are not looked at.
    pub loops: [Loop; MAX_LOOPS],
}

/// Writes one word to all words of a box: each block `THREADS * ITEMS` of them.
///
/// # Safety
/// The parameters are as their documentation says; all words may be written; blocks of [`THREADS`] threads cover them.
#[inline(always)]
pub unsafe fn fill<W: Word>(parameters: &FillParameters) {
    // SAFETY: the pattern has sixteen bytes, at least as many as a word, and its alignment.
    let word = unsafe { (&parameters.pattern as *const MaybeUninit<u128>).cast::<MaybeUninit<W>>().read() };
    let first = __spelt_block() * (THREADS * ITEMS) + __spelt_thread();
    let mut item = 0;
    while item < ITEMS {
        let at = first.wrapping_add(item * THREADS);
        if at < parameters.words {
            let to = (parameters.to as *mut MaybeUninit<W>).wrapping_add(place(at, parameters) as usize);
            // SAFETY: `at` is below the number of words, all of which may be written.
            unsafe { to.write(word) };
        }
        item += 1;
    }
}

/// The offset of word `at`, in words.
#[inline(always)]
fn place(at: u32, parameters: &FillParameters) -> u64 {
    let mut to = 0_u64;
    let mut rest = at;
    let mut left = parameters.rank as usize;
    while left > 1 {
        left -= 1;
        // SAFETY: `rank` is at most the number of loops.
        let line = unsafe { parameters.loops.get_unchecked(left) };
        let (outer, step) = line.count.divide(rest);
        to = to.wrapping_add(u64::from(step).wrapping_mul(line.to));
        rest = outer;
    }
    // SAFETY: there are loops.
    let line = unsafe { parameters.loops.get_unchecked(0) };
    to.wrapping_add(u64::from(rest).wrapping_mul(line.to))
}
