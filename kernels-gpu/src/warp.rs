//! Exchange of values between the 32 threads of a warp.
//!
//! All threads of a warp call the shuffles together and equally often: the conditions around each call have the same value in the
//! whole warp. Values are moved as words that need not be initialised, so a thread without a value takes part with arbitrary
//! bytes.

use core::mem::MaybeUninit;
use core::ptr::copy_nonoverlapping;

use crate::intrinsics::{__spelt_shuffle, __spelt_shuffle_down, __spelt_shuffle_up, __spelt_thread, WARP};

/// All threads of a warp.
pub const ALL: u32 = u32::MAX;

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

/// The number of this thread in its warp.
#[inline(always)]
#[must_use]
pub fn lane() -> u32 {
    __spelt_thread() % WARP
}

/// The number of this thread's warp in its block.
#[inline(always)]
#[must_use]
pub fn number() -> u32 {
    __spelt_thread() / WARP
}

/// Moves a value word by word.
#[inline(always)]
pub(crate) fn by_words<T>(
    value: &MaybeUninit<T>,
    mut hand_on: impl FnMut(MaybeUninit<u32>) -> MaybeUninit<u32>,
) -> MaybeUninit<T> {
    let mut moved = MaybeUninit::<T>::uninit();
    let mut at = 0;
    while at < size_of::<T>() {
        let count = if size_of::<T>() - at < WORD { size_of::<T>() - at } else { WORD };
        let mut word = MaybeUninit::<u32>::uninit();
        // SAFETY: `count` bytes from `at` on are in the value, and the word has as many; they need not be initialised.
        unsafe {
            copy_nonoverlapping(
                value.as_ptr().cast::<MaybeUninit<u8>>().add(at),
                word.as_mut_ptr().cast(),
                count,
            );
        }
        let word = hand_on(word);
        // SAFETY: `count` bytes from `at` on are in the moved value too, and the word has as many; they need not be
        // initialised.
        unsafe {
            copy_nonoverlapping(
                word.as_ptr().cast::<MaybeUninit<u8>>(),
                moved.as_mut_ptr().cast::<MaybeUninit<u8>>().add(at),
                count,
            );
        }
        at += WORD;
    }
    moved
}

/// The value of the thread `from` of the warp.
#[inline(always)]
pub fn shuffle<T>(value: &MaybeUninit<T>, from: u32) -> MaybeUninit<T> {
    by_words(value, |word| __spelt_shuffle(ALL, word, from))
}

/// The value of the thread `delta` after this one, or this thread's own if that is beyond the warp.
#[inline(always)]
pub fn shuffle_down<T>(value: &MaybeUninit<T>, delta: u32) -> MaybeUninit<T> {
    by_words(value, |word| __spelt_shuffle_down(ALL, word, delta))
}

/// The value of the thread `delta` before this one, or this thread's own if that is before the warp.
#[inline(always)]
pub fn shuffle_up<T>(value: &MaybeUninit<T>, delta: u32) -> MaybeUninit<T> {
    by_words(value, |word| __spelt_shuffle_up(ALL, word, delta))
}
