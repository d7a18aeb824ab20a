//! The first pass over keys: the bits that vary, whether the keys are in order, and the number with each prefix.

use core::ops::Range;

use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::BitElement;

use super::key::{Direction, RadixBits, RadixKey};

/// The maximum number of bits of a prefix. Source: counts of all prefixes take 32 KB, most of a first cache.
pub(super) const WIDEST: u32 = 13;

/// Keys that are compared and then counted. Source: they stay in the first cache.
const TILE: usize = 1 << 10;

/// The highest bits that vary, by which keys are split.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix {
    pub(super) shift: u32,
    pub(super) width: u32,
}

impl Prefix {
    /// No bits.
    pub(super) const NONE: Self = Self { shift: 0, width: 0 };

    /// The highest of `bits`, at most `width` of them.
    pub(super) fn of(bits: &Range<u32>, width: u32) -> Self {
        let width = width.min(bits.end - bits.start).min(WIDEST);
        Self { shift: bits.end - width, width }
    }

    /// Their number.
    pub(super) fn values(self) -> usize {
        1 << self.width
    }

    #[inline(always)]
    pub(super) fn of_key<K: RadixKey>(self, key: K, direction: Direction<K::Bits>) -> usize {
        (direction.bits(key).to_u64() >> self.shift) as usize & ((1 << self.width) - 1)
    }
}

/// Counts the prefixes of keys.
pub(super) struct Count<'a, K: RadixKey> {
    pub(super) keys: &'a [K],
    pub(super) direction: Direction<K::Bits>,
    pub(super) prefix: Prefix,
    pub(super) counts: &'a mut [u32],
}

impl<K: RadixKey> Work for Count<'_, K> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for &key in self.keys {
            if let Some(count) = self.counts.get_mut(self.prefix.of_key(key, self.direction)) {
                *count += 1;
            }
        }
    }
}

/// Compares keys, and counts their prefixes if there are any.
struct Look<'a, K: RadixKey>(Count<'a, K>, Option<K>);

impl<K: RadixKey> Work for Look<'_, K> {
    type Output = (K::Bits, K::Bits);
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self(Count { keys, direction, prefix, counts }, before) = self;
        let one = K::Bits::from_u64(1);
        let (mut varying, mut descents) = (K::Bits::NO_BITS, K::Bits::NO_BITS);
        let mut compare = |a: K, b: K| {
            let (a, b) = (direction.bits(a), direction.bits(b));
            varying = varying.or(a.differences(b));
            descents = descents.or(if a > b { one } else { K::Bits::NO_BITS });
        };
        let mut before = before;
        for tile in keys.chunks(TILE) {
            if let (Some(before), Some(&first)) = (before, tile.first()) {
                compare(before, first);
            }
            // Two slices, so that the compiler makes vectors of it.
            for (&a, &b) in tile.iter().zip(&tile[1..]) {
                compare(a, b);
            }
            before = tile.last().copied();
            if prefix.width > 0 {
                Count { keys: tile, direction, prefix, counts: &mut *counts }.run();
            }
        }
        (varying, descents)
    }
}

/// The bits in which neighbouring keys differ, and non-zero if any key is smaller than the one before it; also counts prefixes.
pub(super) fn look<K: RadixKey>(
    keys: &[K],
    before: Option<K>,
    direction: Direction<K::Bits>,
    prefix: Prefix,
    counts: &mut [u32],
) -> (K::Bits, K::Bits) {
    dispatch(Look(Count { keys, direction, prefix, counts }, before))
}

#[cfg(test)]
mod tests {
    use super::{Direction, Prefix, TILE, look};

    /// Keys that differ where one tile ends and the next begins, and nowhere else.
    #[test]
    fn borders_of_tiles_are_looked_at() {
        for (border, len) in [(TILE, TILE + 1), (2 * TILE, 3 * TILE), (TILE - 1, TILE), (TILE + 1, 2 * TILE)]
        {
            for (low, high, descends) in [(3_u32, 5, false), (5, 3, true)] {
                let keys: Vec<u32> = (0..len).map(|i| if i < border { low } else { high }).collect();
                let (varying, descents) = look(&keys, None, Direction::new(false), Prefix::NONE, &mut []);
                assert_eq!((varying, descents != 0), (6, descends), "{low} and {high} at {border} of {len}");
            }
        }
    }

    #[test]
    fn the_key_before_the_first_is_looked_at() {
        let mut counts = [0; 4];
        let prefix = Prefix::of(&(0..2), 2);
        let found = look(&[1_u8, 3, 3], Some(2), Direction::new(false), prefix, &mut counts);
        assert_eq!((found, counts), ((3, 1), [0, 1, 0, 2]));
        assert_eq!(look(&[1_u8, 3, 3], None, Direction::new(false), prefix, &mut counts), (2, 0));
    }
}
