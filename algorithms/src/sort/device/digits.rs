//! Counts of digits: those of each lane of a team, in scratch, and their sums.

use spelt_core::Element;

use super::tiles::LANES;

/// Bits of a digit. Unit: bits. Source: estimated: with fewer there are more passes, and with more the counts of
/// lanes leave room for fewer teams.
pub(super) const BITS: u32 = 8;

/// The number of values of a digit.
pub(super) const DIGITS: usize = 1 << BITS;

/// The number of [`Bytes`] that count all digits.
pub(super) const WORDS: usize = DIGITS / 4;

/// Lanes whose counts are added up in a byte. Unit: lanes. Source: fewer take more scratch, and more leave a lane fewer keys.
pub(super) const GROUP: usize = 4;

/// The groups of a team.
pub(super) const GROUPS: usize = LANES / GROUP;

/// The counts of all lanes.
pub(super) const QUADS: usize = WORDS * GROUPS;

/// The counts of four neighbouring digits of each lane of a group: byte `d` of word `l` is that of digit `d` in lane `l`. So each lane counts in
/// a bank of shared memory of its own.
#[derive(Clone, Copy, Element)]
#[element(crate = "spelt_core")]
#[repr(C, align(16))]
pub(super) struct Quad(pub(super) [u32; GROUP]);

/// Numbers of keys with each of four neighbouring digits, or ranks, each in two bytes.
#[derive(Clone, Copy, Element)]
#[element(crate = "spelt_core")]
#[repr(C, align(8))]
pub(super) struct Counts(u64);

impl Counts {
    pub(super) const ZERO: Self = Self(0);

    /// The counts in the bytes of a word.
    #[inline(always)]
    pub(super) fn of(word: u32) -> Self {
        let pair = |word: u32| u64::from(word & 0xFF | (word & 0xFF00) << 8);
        Self(pair(word) | pair(word >> 16) << 32)
    }

    /// The sums, none of which exceeds two bytes.
    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The counts of digits 0 to 3.
    #[inline(always)]
    pub(super) fn each(self) -> [u32; 4] {
        let (low, high) = (self.0 as u32, (self.0 >> 32) as u32);
        [low & 0xFFFF, low >> 16, high & 0xFFFF, high >> 16]
    }
}

/// The place of a digit's count among the bytes of all [`Quad`]s, from the first one of the lane on.
#[inline(always)]
fn byte_of(digit: usize) -> usize {
    let digit = digit as u32;
    ((digit & !3) << 5 | digit & 3) as usize
}

/// Counts a digit in the bytes of a lane, and returns the count before.
///
/// # Safety
/// There are [`QUADS`], of which the bytes begin at `counts - 4 * lane`; no other thread uses this lane's.
#[inline(always)]
pub(super) unsafe fn increment(counts: *mut u8, digit: usize) -> u8 {
    // SAFETY: the lane has a byte for each digit, as this function asks.
    unsafe {
        let count = counts.add(byte_of(digit % DIGITS));
        let before = count.read();
        count.write(before.wrapping_add(1));
        before
    }
}

/// The place of the counts of a word in a group. The groups of neighbouring words begin at others, as 8 lanes at a time load quads from
/// different banks of shared memory.
#[inline(always)]
pub(super) fn turned(word: usize, group: usize) -> usize {
    word * GROUPS + group_of(word, group)
}

/// The group that a word comes to as its `number`th.
#[inline(always)]
pub(super) fn group_of(word: usize, number: usize) -> usize {
    (word + number) % GROUPS
}
