//! Communication between blocks: each share publishes one value, word by word.
//!
//! A word is stored together with a tag in one store of 64 bits, so a reader that sees the tag has the word: neither fences nor a
//! separate flag are needed, for values of any size. (Fences would empty the first-level cache, in which the closure's second
//! call finds the data that the first has read.) The form is that of NVIDIA NCCL's LL protocol.

use core::mem::MaybeUninit;
use core::ptr::copy_nonoverlapping;

use crate::failure::{give_up, has_failed};

/// Words that are loaded together. Unit: words. Source: a value of 16 bytes; the loads then wait for memory once.
const TOGETHER: usize = 4;

const WORD: usize = size_of::<u32>();

/// A word and its tag. One store or load of 64 bits is never torn.
type Tagged = MaybeUninit<u64>;

/// The number of words of a value; one for a value of no bytes, which still has a tag.
#[must_use]
pub const fn words<V>() -> usize {
    let words = size_of::<V>().div_ceil(WORD);
    if words == 0 { 1 } else { words }
}

/// The bytes of a value that are in one of its words.
#[inline(always)]
const fn bytes_in<V>(word: usize) -> usize {
    let left = size_of::<V>() - word * WORD;
    if left < WORD { left } else { WORD }
}

/// Publishes `value` at `to`.
///
/// # Safety
/// [`words`] aligned places of 64 bits are at `to`, which other threads use only through [`fetch`].
#[inline(always)]
pub(super) unsafe fn publish<V>(to: *mut u64, tag: u32, value: &V) {
    let from = core::ptr::from_ref(value).cast::<u8>();
    let mut number = 0;
    while number < const { words::<V>() } {
        let mut word = MaybeUninit::new(0_u32);
        // SAFETY: the bytes are those of the value; the word has room for them. Padding stays uninitialised: nothing reads it.
        unsafe {
            copy_nonoverlapping(from.add(number * WORD), word.as_mut_ptr().cast(), bytes_in::<V>(number));
        }
        // SAFETY: of the same size, and any bytes may be uninitialised; of little-endian words the second is the upper.
        let tagged =
            unsafe { core::mem::transmute::<[MaybeUninit<u32>; 2], Tagged>([word, MaybeUninit::new(tag)]) };
        // SAFETY: the place exists, by the contract, and a volatile access of a device is a relaxed atomic one.
        unsafe { to.cast::<Tagged>().add(number).write_volatile(tagged) }
        number += 1;
    }
}

/// Loads before a waiting thread checks whether a thread has failed. Unit: loads. Source: the answer comes across the bus, in the
/// time of a few loads from memory; waiting for a block takes much longer, or no time at all.
const LOOKS: u32 = 4096;

/// Waits for the value that is published with this tag at `from`, and copies it to `to`; ends in a trap if a thread has failed.
///
/// # Safety
/// As for [`publish`]; a value of the type `V` is or will be published there, and is valid on all threads. `to` has room.
#[inline(always)]
pub(super) unsafe fn fetch<V>(from: *const u64, tag: u32, to: *mut V) {
    let mut first = 0;
    let mut looks = 0_u32;
    while first < const { words::<V>() } {
        loop {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(LOOKS) && has_failed() {
                give_up();
            }
            let mut all = true;
            let mut seen = [const { MaybeUninit::<u32>::uninit() }; TOGETHER];
            for (number, seen) in seen.iter_mut().enumerate() {
                if first + number < const { words::<V>() } {
                    // SAFETY: the place exists, by the contract, and a volatile access of a device is a relaxed atomic one.
                    let tagged = unsafe { from.cast::<Tagged>().add(first + number).read_volatile() };
                    // SAFETY: two words have the size of `Tagged`, and a `MaybeUninit` may hold any bytes.
                    let [word, found] =
                        unsafe { core::mem::transmute::<Tagged, [MaybeUninit<u32>; 2]>(tagged) };
                    *seen = word;
                    // SAFETY: tags are always written whole.
                    all &= unsafe { found.assume_init() } == tag;
                }
            }
            if all {
                for (number, word) in seen.iter().enumerate() {
                    if first + number < const { words::<V>() } {
                        // SAFETY: the bytes of the word are bytes of the value, for which there is room.
                        unsafe {
                            copy_nonoverlapping(
                                word.as_ptr().cast::<u8>(),
                                to.cast::<u8>().add((first + number) * WORD),
                                bytes_in::<V>(first + number),
                            );
                        }
                    }
                }
                break;
            }
        }
        first += TOGETHER;
    }
}
