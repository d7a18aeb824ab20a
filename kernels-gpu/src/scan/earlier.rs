//! The values of earlier shares, which a share fetches and joins.
//!
//! A share's number is read in digits of five bits, as many values as the lanes of a warp. Share `s` publishes one value: that of the
//! last 32^k shares up to and including itself, where k is the number of the lowest digits of `s` that are 31. So each level of
//! digits stands for published values: as many as the digit says, of 32^level shares each. A warp fetches those of a level
//! together and joins them in the tree of the canonical order, which has a node for each bit that is set in the digit. The value before
//! a share joins these nodes, that of the most shares first.
//!
//! ```text
//! share      0    1   ..   30   31     32   33  ..   63       70 = 2 * 32 + 6: the value before it is
//! publishes  0    1   ..   30   0-31   32   33  ..   32-63    0-63, joined with 64-67, joined with 68-69
//! ```
//!
//! So each share publishes once, and waits only for shares before it: to publish, most of them for none, and none for more
//! than a logarithm to the base 32 of the number of shares, one after the other.

use core::mem::MaybeUninit;
use core::ptr::copy_nonoverlapping;

use spelt_reducers::Reducer;

use super::area::Area;
use super::published::{fetch, publish, words};
use crate::intrinsics::{__spelt_warp_barrier, WARP};
use crate::warp::{ALL, shuffle_down};

/// The bits of a digit: as many values as the lanes of a warp.
const DIGIT_BITS: u32 = WARP.ilog2();

/// The board on which shares publish, and the tag of this launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    pub(super) words: *mut u64,
    pub(super) tag: u32,
}

impl Board {
    #[inline(always)]
    fn place<V>(&self, share: usize) -> *mut u64 {
        self.words.wrapping_add(share * const { words::<V>() })
    }

    /// Publishes the value of a share.
    ///
    /// # Safety
    /// The share exists, and publishes once.
    #[inline(always)]
    pub(super) unsafe fn publish<V>(&self, share: usize, value: &V) {
        // SAFETY: the board has places for each share, which others use only to fetch.
        unsafe { publish(self.place::<V>(share), self.tag, value) }
    }
}

/// The number of levels whose values precede a share.
#[inline(always)]
pub(super) fn levels(number: u32) -> u32 {
    (u32::BITS - number.leading_zeros()).div_ceil(DIGIT_BITS)
}

/// The levels whose values are in the one that a share publishes: those of its lowest digits, up to the first that is not the greatest.
#[inline(always)]
pub(super) fn levels_to_publish(number: u32) -> u32 {
    number.trailing_ones() / DIGIT_BITS
}

/// The bits of the lowest levels.
#[inline(always)]
pub(super) fn bits_of_levels(levels: u32) -> u32 {
    (1 << (levels * DIGIT_BITS)) - 1
}

/// The share that publishes value `place` of those that a level of `number` stands for.
#[inline(always)]
fn publisher(number: u32, level: u32, place: u32) -> u32 {
    let shift = level * DIGIT_BITS;
    let first = number >> shift & !(WARP - 1);
    ((first + place + 1) << shift) - 1
}

/// The value of a digit.
#[inline(always)]
fn digit(number: u32, level: u32) -> u32 {
    number >> (level * DIGIT_BITS) & (WARP - 1)
}

/// Fetches the published values that a level of a share's number stands for, and stores their joined value for each bit that is set.
///
/// # Safety
/// The lanes of one warp call it together, for a share that exists and one of its [`levels`]; nothing else uses the places of these bits meanwhile.
#[inline(always)]
pub(super) unsafe fn fetch_level<R: Reducer>(
    reducer: &R,
    area: Area<R>,
    board: Board,
    number: u32,
    level: u32,
    lane: u32,
) {
    let count = digit(number, level);
    let mut value = MaybeUninit::<R::Value>::uninit();
    if lane < count {
        let place = board.place::<R::Value>(publisher(number, level, lane) as usize);
        // SAFETY: an earlier share publishes this value there.
        unsafe { fetch(place, board.tag, value.as_mut_ptr()) }
    }
    __spelt_warp_barrier(ALL);
    // Lanes at multiples of 2^bit have the joined value of so many, as far as there are so many.
    for bit in 0..DIGIT_BITS {
        if count >> bit & 1 == 1 && lane == ((count >> bit) - 1) << bit {
            // SAFETY: this lane has fetched a value, being below `count`, and only it writes the place.
            unsafe { copy_nonoverlapping(value.as_ptr(), area.fetched(level * DIGIT_BITS + bit), 1) }
        }
        let right = shuffle_down(&value, 1 << bit);
        if lane.is_multiple_of(2 << bit) && lane + (2 << bit) <= count {
            // SAFETY: both lanes are below `count`, so that both have values, without drop glue.
            unsafe { reducer.join(value.assume_init_mut(), right.assume_init_ref()) }
        }
    }
    __spelt_warp_barrier(ALL);
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::{DIGIT_BITS, bits_of_levels, digit, levels, levels_to_publish, publisher};

    /// The shares whose value a share publishes.
    fn published(number: u32) -> core::ops::RangeInclusive<u32> {
        number - bits_of_levels(levels_to_publish(number))..=number
    }

    #[test]
    fn the_values_of_all_levels_are_those_of_all_shares_before() {
        let last = [u32::MAX >> 1, (1 << 30) - 1, 1 << 30, (1 << 20) + 31, (1 << 20) - 1];
        for number in (0..5000).chain(last) {
            let mut next = 0;
            for level in (0..levels(number)).rev() {
                for place in 0..digit(number, level) {
                    let shares = published(publisher(number, level, place));
                    assert_eq!(*shares.start(), next, "{number}");
                    assert_eq!(shares.end() - shares.start() + 1, 1 << (level * DIGIT_BITS), "{number}");
                    next = shares.end() + 1;
                }
            }
            assert_eq!(next, number);
        }
    }

    #[test]
    fn values_are_published_after_a_logarithm_of_the_shares() {
        // The number of values that were published one after the other until that of a share is.
        let mut depths: Vec<u32> = Vec::new();
        for number in 0..1_u32 << 15 {
            let before = (0..levels_to_publish(number)).flat_map(|level| {
                (0..digit(number, level)).map(move |place| publisher(number, level, place))
            });
            let depth = before.map(|share| depths[share as usize]).max().unwrap_or(0);
            depths.push(1 + depth);
        }
        assert_eq!(depths.iter().max(), Some(&4));
    }
}
