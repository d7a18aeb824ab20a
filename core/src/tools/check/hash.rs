//! A hash of bytes, of 64 bits.

/// The multiplier. Source: 2^64 divided by the golden ratio, made odd, as in Fibonacci hashing.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of bytes. It depends on the bytes alone, not on how they are cut into slices.
///
/// A word enters by steps that can be undone, so bytes of one length that differ in a single word of eight never have the same hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hash {
    state: u64,
    /// The last bytes, fewer than a word.
    rest: u64,
    length: u64,
}

impl Hash {
    /// Adds bytes.
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        while !self.length.is_multiple_of(8)
            && let Some((first, others)) = bytes.split_first()
        {
            self.add_byte(*first);
            bytes = others;
        }
        let (words, others) = bytes.as_chunks::<8>();
        for word in words {
            self.add_word(u64::from_le_bytes(*word));
        }
        self.length += 8 * words.len() as u64;
        for byte in others {
            self.add_byte(*byte);
        }
    }

    fn add_byte(&mut self, byte: u8) {
        self.rest |= u64::from(byte) << (8 * (self.length % 8));
        self.length += 1;
        if self.length.is_multiple_of(8) {
            let word = core::mem::take(&mut self.rest);
            self.add_word(word);
        }
    }

    fn add_word(&mut self, word: u64) {
        let mixed = self.state.rotate_left(29) ^ word;
        // A product moves bits upwards only: the shift brings the upper ones, such as signs, below first.
        self.state = (mixed ^ (mixed >> 32)).wrapping_mul(MULTIPLIER);
    }

    /// The hash of the bytes so far.
    pub(super) fn value(mut self) -> u64 {
        let rest = self.rest;
        self.add_word(rest);
        let length = self.length;
        self.add_word(length);
        // All bits of the words reach all bits of the hash.
        let folded = (self.state ^ (self.state >> 32)).wrapping_mul(MULTIPLIER);
        folded ^ (folded >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::Hash;

    fn hash(bytes: &[u8]) -> u64 {
        let mut hash = Hash::default();
        hash.add(bytes);
        hash.value()
    }

    #[test]
    fn slices_do_not_count() {
        let bytes: Vec<u8> = (0..100).map(|i: u8| i.wrapping_mul(37)).collect();
        for size in 1..20 {
            let mut sliced = Hash::default();
            bytes.chunks(size).for_each(|chunk| sliced.add(chunk));
            assert_eq!(sliced.value(), hash(&bytes), "{size}");
        }
    }

    #[test]
    fn every_bit_the_order_and_the_length_count() {
        let bytes = [0; 41];
        let mut seen = vec![hash(&bytes)];
        for bit in 0..8 * bytes.len() {
            let mut other = bytes;
            other[bit / 8] ^= 1 << (bit % 8);
            seen.push(hash(&other));
        }
        seen.extend((0..41).map(|length| hash(&bytes[..length])));
        seen.push(hash(&[1, 2]));
        seen.push(hash(&[2, 1]));
        let number = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), number);
    }
}
