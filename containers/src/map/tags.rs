//! The tags of a table: a byte for each slot, by which searches pass over slots without reading their keys.
//!
//! The tag of place `p` in a bucket is byte `p` of the key's [`mixed`] bits, with the highest bit set. So a search compares all tags of a
//! bucket with these bits at once.

use super::key::{BUCKET, KeyBits, mixed};

/// A bit for each place of a bucket: the highest of its byte. It says that the slot is used.
const USED: u64 = 0x8080_8080_8080_8080;

/// The lowest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The tags of one bucket: 0 for an empty slot. Place 0 is the lowest byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tags(pub(super) u64);

impl Tags {
    /// Those of the keys of a bucket.
    #[inline(always)]
    pub(super) fn of_bucket<B: KeyBits>(keys: &[B; BUCKET]) -> Self {
        let mut tags = 0;
        for (place, &key) in keys.iter().enumerate() {
            // All bits if the slot is used. A branch would be predicted wrong for every third slot.
            let used = u64::from(key != B::EMPTY).wrapping_neg();
            tags |= (mixed(key) | USED) & (0xFF << (8 * place)) & used;
        }
        Self(tags)
    }

    /// That of the slot of the key with empty bits, as the only one of its bucket.
    #[inline(always)]
    pub(super) fn of_last<B: KeyBits>(slot: B) -> Self {
        Self(if slot == B::EMPTY { 0 } else { USED & 0xFF })
    }

    /// The number of slots that are used.
    #[inline(always)]
    pub(super) fn used(self) -> usize {
        (self.0 & USED).count_ones() as usize
    }

    /// Whether a slot is empty.
    #[inline(always)]
    pub(super) fn has_empty(self) -> bool {
        self.0 & USED != USED
    }

    /// The places that may have the key of these [`mixed`] bits, in ascending order: those with its tag, and now and then a place above
    /// one of these.
    #[inline(always)]
    pub(super) fn places(self, mixed: u64) -> Places {
        let differences = self.0 ^ (mixed | USED);
        // The highest bit of each byte that is 0. The subtraction borrows from the byte above such a byte alone.
        Places(differences.wrapping_sub(ONES) & !differences & USED)
    }
}

/// Places of a bucket: the highest bits of their bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places(u64);

impl Iterator for Places {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let place = (self.0 != 0).then(|| self.0.trailing_zeros() as usize / 8);
        self.0 &= self.0.wrapping_sub(1);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::key::Probe;

    #[test]
    fn places_have_the_tag() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            state >> 30
        };
        for _ in 0..20_000 {
            // Few different tags, so that many are equal, and neighbours differ by one.
            let tags: [u8; BUCKET] = std::array::from_fn(|_| [0, 0x80, 0x81, 0x82][next() as usize % 4]);
            let bytes: [u8; BUCKET] = std::array::from_fn(|_| [0, 1, 2, 0x80][next() as usize % 4]);
            let equal: Vec<usize> = (0..BUCKET).filter(|&place| tags[place] == bytes[place] | 0x80).collect();
            let word = Tags(u64::from_le_bytes(tags));
            let found: Vec<usize> = word.places(u64::from_le_bytes(bytes)).collect();
            assert!(found.is_sorted_by(|a, b| a < b), "{found:?}");
            assert!(equal.iter().all(|place| found.contains(place)), "{tags:x?} {bytes:x?} {found:?}");
            // The lowest one is right.
            assert_eq!(found.first(), equal.first(), "{tags:x?} {bytes:x?}");
            assert_eq!(word.used(), tags.iter().filter(|&&tag| tag != 0).count());
            assert_eq!(word.has_empty(), tags.contains(&0));
        }
    }

    #[test]
    fn keys_are_found_at_their_places() {
        let keys = [0, 1, 0, u64::MAX, 5, 0, 1 << 63, 7];
        let tags = Tags::of_bucket(&keys);
        assert_eq!(tags.0.to_le_bytes().map(|tag| tag >> 7), [0, 1, 0, 1, 1, 0, 1, 1]);
        assert_eq!((tags.used(), tags.has_empty()), (5, true));
        for (place, &key) in keys.iter().enumerate() {
            assert_eq!(tags.places(mixed(key)).any(|found| found == place), key != 0, "{key}");
        }
        assert!(!Tags::of_bucket(&[1_u32, 2, 3, 4, 5, 6, 7, 8]).has_empty());
        assert_eq!((Tags::of_last(0_u64).used(), Tags::of_last(1_u64).used()), (0, 1));
    }

    #[test]
    fn other_keys_of_a_bucket_rarely_have_its_tags() {
        // Of keys in a row, and of keys that are multiples of a large power of two.
        for shift in [0, 40] {
            let buckets = 64;
            let here = (1..).map(|i| i << shift).filter(|&key| Probe::new(key, buckets).bucket == 5);
            let keys: Vec<u64> = here.take(2008).collect();
            let tags = Tags::of_bucket(keys.first_chunk().expect("8 keys"));
            let taken =
                keys[BUCKET..].iter().filter(|&&key| tags.places(mixed(key)).next().is_some()).count();
            // 8 in 128 are expected: 125 of 2000.
            assert!((60..250).contains(&taken), "{taken} of 2000");
        }
    }
}
