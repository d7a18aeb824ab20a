//! Searches in the words of a set of bits.

use super::BITS;

/// The first set bit of `len` at `from` or after it. Bits beyond `len` are not set.
#[inline(always)]
pub(super) fn next_set(words: &[u64], len: usize, from: usize) -> Option<usize> {
    search(words, len, from, 0)
}

/// The first bit of `len` at `from` or after it that is not set.
#[inline(always)]
pub(super) fn next_unset(words: &[u64], len: usize, from: usize) -> Option<usize> {
    search(words, len, from, u64::MAX)
}

/// The first bit of `len` at `from` or after it that differs from those of `passed`.
#[inline(always)]
fn search(words: &[u64], len: usize, from: usize, passed: u64) -> Option<usize> {
    let (mut word, mut mask) = (from / BITS, u64::MAX << (from % BITS));
    while word < words.len() {
        let found = (words[word] ^ passed) & mask;
        if found != 0 {
            let bit = word * BITS + found.trailing_zeros() as usize;
            return (bit < len).then_some(bit);
        }
        (word, mask) = (word + 1, u64::MAX);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_find_the_first_bit_of_any_place() {
        for len in [0_usize, 1, 63, 64, 65, 127, 128, 200] {
            for pattern in 0..8_usize {
                let is_set = |bit: usize| match pattern {
                    0 => false,
                    1 => true,
                    2 => bit % 64 == 63,
                    3 => !bit.is_multiple_of(64),
                    _ => bit.wrapping_mul(0x9E37_79B9).wrapping_shr(7).is_multiple_of(pattern),
                };
                let mut words = vec![0_u64; len.div_ceil(BITS)];
                for bit in (0..len).filter(|&bit| is_set(bit)) {
                    words[bit / BITS] |= 1 << (bit % BITS);
                }
                for from in (0..len + 70).chain([usize::MAX, usize::MAX - 63]) {
                    assert_eq!(
                        next_set(&words, len, from),
                        (from..len).find(|&bit| is_set(bit)),
                        "{len} {pattern} {from}"
                    );
                    assert_eq!(
                        next_unset(&words, len, from),
                        (from..len).find(|&bit| !is_set(bit)),
                        "{len} {pattern} {from}"
                    );
                }
            }
        }
    }
}
