//! The meaning of "equal", the edge values, and the interesting sizes.

use spelt::canonical;
use spelt::reducers::*;

/// Everything that distinguishes two values, as words.
pub(crate) trait Bits {
    fn push_bits(&self, words: &mut Vec<u64>);
    fn bits(&self) -> Vec<u64> {
        let mut words = Vec::new();
        self.push_bits(&mut words);
        words
    }
}

/// Fails unless two values are the same to the last bit.
#[track_caller]
pub(crate) fn assert_same<T: Bits + std::fmt::Debug>(found: &T, wanted: &T, what: impl std::fmt::Display) {
    let (found_bits, wanted_bits) = (found.bits(), wanted.bits());
    if found_bits != wanted_bits {
        let at = found_bits.iter().zip(&wanted_bits).position(|(a, b)| a != b);
        let (found, wanted) = (format!("{found:?}"), format!("{wanted:?}"));
        let short = |text: &str| text.chars().take(200).collect::<String>();
        panic!(
            "{what}: found {}, wanted {} (first difference at word {at:?})",
            short(&found),
            short(&wanted)
        );
    }
}

macro_rules! words {
    ($($type:ty: |$value:ident| $word:expr;)*) => {$(
        impl Bits for $type {
            fn push_bits(&self, words: &mut Vec<u64>) {
                let $value = *self;
                words.push($word);
            }
        }
    )*};
}
words! {
    f64: |value| value.to_bits();
    f32: |value| u64::from(value.to_bits());
    u8: |value| u64::from(value);
    u32: |value| u64::from(value);
    u64: |value| value;
    usize: |value| value as u64;
    i8: |value| value as u64;
    i16: |value| value as u64;
    i32: |value| value as u64;
    i64: |value| value as u64;
    bool: |value| u64::from(value);
    u128: |value| (value as u64) ^ ((value >> 64) as u64).rotate_left(1);
}
#[cfg(feature = "half")]
words! {
    half::f16: |value| u64::from(value.to_bits());
    half::bf16: |value| u64::from(value.to_bits());
}
impl<T: Bits> Bits for [T] {
    fn push_bits(&self, words: &mut Vec<u64>) {
        self.iter().for_each(|value| value.push_bits(words));
    }
}
impl<T: Bits, const N: usize> Bits for [T; N] {
    fn push_bits(&self, words: &mut Vec<u64>) {
        self[..].push_bits(words);
    }
}
impl<T: Bits> Bits for Vec<T> {
    fn push_bits(&self, words: &mut Vec<u64>) {
        self[..].push_bits(words);
    }
}
impl<T: Bits> Bits for Option<T> {
    fn push_bits(&self, words: &mut Vec<u64>) {
        words.push(u64::from(self.is_some()));
        self.iter().for_each(|value| value.push_bits(words));
    }
}
impl<A: Bits, B: Bits> Bits for (A, B) {
    fn push_bits(&self, words: &mut Vec<u64>) {
        self.0.push_bits(words);
        self.1.push_bits(words);
    }
}
impl<A: Bits, B: Bits, C: Bits> Bits for (A, B, C) {
    fn push_bits(&self, words: &mut Vec<u64>) {
        self.0.push_bits(words);
        self.1.push_bits(words);
        self.2.push_bits(words);
    }
}

macro_rules! fields {
    ($($name:ident<$($part:ident),*> { $($field:ident),* })*) => {$(
        impl<$($part: Bits),*> Bits for $name<$($part),*> {
            fn push_bits(&self, words: &mut Vec<u64>) {
                $(self.$field.push_bits(words);)*
            }
        }
    )*};
}
fields! {
    MinMaxValue<T> { min_val, max_val }
    MinLocValue<T, L> { val, loc }
    MaxLocValue<T, L> { val, loc }
    MinMaxLocValue<T, L> { min_val, max_val, min_loc, max_loc }
    MinMaxFirstLastLocValue<T, L> { min_val, max_val, min_loc, max_loc }
    FirstLocValue<L> { min_loc_true, found }
    LastLocValue<L> { max_loc_true, found }
    FailuresValue<E, L> { count, loc, failure }
}

/// The values of `f64` that reveal shortcuts.
pub(crate) const EDGES: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::MIN_POSITIVE,
    f64::MIN_POSITIVE / 4.0,
    -f64::MIN_POSITIVE / 8.0,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    9_007_199_254_740_993.0,
    f64::EPSILON,
];

/// Numbers of iterations around every border of the canonical order, for values of `bytes` bytes: lanes, rows, tiles,
/// the levels of the tree.
pub(crate) fn borders(bytes: usize) -> Vec<usize> {
    let lanes = canonical::lanes(bytes);
    let tile = canonical::tile_len(lanes);
    let mut sizes = vec![0, 1, 2, 3];
    for border in [lanes / 2, lanes, 2 * lanes, tile, 2 * tile, 3 * tile] {
        sizes.extend([border.saturating_sub(1), border, border + 1]);
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Numbers of iterations for which launches use several threads: about the break-even size, and several units.
pub(crate) const SHARED_OUT: [usize; 4] = [8191, 8192, 20_000, 33_333];

/// More iterations than places for partial results; values are the size of tiles.
pub(crate) const MANY: usize = 100_003;

/// Noise: a number in [-1, 1) with a full mantissa, for each index.
pub(crate) fn noise(index: usize) -> f64 {
    let mut word = (index as u64).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word ^= word >> 31;
    word = word.wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^= word >> 29;
    (word >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Noise of widely differing sizes, so that every other order of additions gives other bits.
pub(crate) fn rough(index: usize) -> f64 {
    noise(index) * f64::powi(2.0, (index * 7 % 61) as i32 - 30)
}
