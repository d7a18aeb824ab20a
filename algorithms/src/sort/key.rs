//! Keys that can be sorted by their digits.

use spelt_core::Element;
use spelt_core::reducers::BitElement;

/// A key that a radix sort orders: plain data with a map to an unsigned integer that keeps the order.
///
/// Implemented for the integers of 8 to 64 bits, `bool`, `char`, `f32` and `f64`, and with the feature `half` for its
/// numbers. The order of floats is that of `total_cmp`: -NaN, -inf, .., -0.0, 0.0, .., inf, NaN. Two keys have the same
/// bits exactly if they are the same, so equal keys cannot be distinguished if only keys are sorted.
///
/// It is sealed, because the places of a sort rely on a key mapping to the same bits each time. Sort other types by a
/// View of keys, with [`sort_by_key`](crate::sort_by_key) or [`argsort`](crate::argsort).
///
/// # Examples
/// ```
/// use spelt_algorithms::RadixKey;
/// assert!((-1.5_f32).to_radix() < (-0.0_f32).to_radix());
/// assert!((-0.0_f32).to_radix() < 0.0_f32.to_radix());
/// assert!(i8::MIN.to_radix() < 0_i8.to_radix());
/// ```
pub trait RadixKey: Element + sealed::Sealed {
    /// The unsigned integer.
    type Bits: RadixBits;

    /// The bits that order this key.
    #[must_use]
    fn to_radix(self) -> Self::Bits;
}

/// An unsigned integer that a [`RadixKey`] maps to: `u8`, `u16`, `u32` or `u64`. Sealed.
pub trait RadixBits: Element + Ord + BitElement + sealed::Sealed {
    /// The bits in which two of them differ.
    #[doc(hidden)]
    #[must_use]
    fn differences(self, other: Self) -> Self;

    /// The lowest bits after a shift; `shift` is below the width.
    #[doc(hidden)]
    #[must_use]
    fn digit(self, shift: u32) -> u8;

    /// The same number.
    #[doc(hidden)]
    #[must_use]
    fn to_u64(self) -> u64;

    /// Its lowest bits.
    #[doc(hidden)]
    #[must_use]
    fn from_u64(bits: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! unsigned {
    ($($bits:ident)*) => {$(
        impl sealed::Sealed for $bits {}

        impl RadixBits for $bits {
            #[inline(always)]
            fn differences(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn digit(self, shift: u32) -> u8 {
                (self >> shift) as u8
            }

            #[inline(always)]
            fn to_u64(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                bits as Self
            }
        }

        impl RadixKey for $bits {
            type Bits = Self;

            #[inline(always)]
            fn to_radix(self) -> Self {
                self
            }
        }
    )*};
}
unsigned! { u8 u16 u32 u64 }

macro_rules! keys {
    ($($(#[$meta:meta])* $key:ty => $bits:ident, |$value:ident| $map:expr;)*) => {$(
        $(#[$meta])*
        impl sealed::Sealed for $key {}

        $(#[$meta])*
        impl RadixKey for $key {
            type Bits = $bits;

            #[inline(always)]
            fn to_radix(self) -> $bits {
                let $value = self;
                $map
            }
        }
    )*};
}
// The sign of integers is flipped, so that negative ones come first; of negative floats all other bits too, so that the
// larger magnitude comes first.
keys! {
    usize => u64, |key| key as u64;
    i8 => u8, |key| key as u8 ^ 1 << 7;
    i16 => u16, |key| key as u16 ^ 1 << 15;
    i32 => u32, |key| key as u32 ^ 1 << 31;
    i64 => u64, |key| key as u64 ^ 1 << 63;
    isize => u64, |key| key as i64 as u64 ^ 1 << 63;
    f32 => u32, |key| key.to_bits() ^ (((key.to_bits() as i32) >> 31) as u32 | 1 << 31);
    f64 => u64, |key| key.to_bits() ^ (((key.to_bits() as i64) >> 63) as u64 | 1 << 63);
    bool => u8, |key| key as u8;
    char => u32, |key| key as u32;
    #[cfg(feature = "half")]
    half::f16 => u16, |key| key.to_bits() ^ (((key.to_bits() as i16) >> 15) as u16 | 1 << 15);
    #[cfg(feature = "half")]
    half::bf16 => u16, |key| key.to_bits() ^ (((key.to_bits() as i16) >> 15) as u16 | 1 << 15);
}

/// Ascending or descending: a mask over the bits of keys. Descending is ascending by the complements, so it is equally stable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direction<B> {
    mask: B,
}

impl<B: RadixBits> Direction<B> {
    pub(crate) fn new(descending: bool) -> Self {
        Self { mask: if descending { B::ALL_BITS } else { B::NO_BITS } }
    }

    /// The bits by which `key` is sorted: smaller ones come first.
    #[inline(always)]
    pub(crate) fn bits<K: RadixKey<Bits = B>>(self, key: K) -> B {
        key.to_radix().differences(self.mask)
    }

    /// The digit of `key` at `shift`.
    #[inline(always)]
    pub(crate) fn digit<K: RadixKey<Bits = B>>(self, key: K, shift: u32) -> usize {
        usize::from(self.bits(key).digit(shift))
    }

    /// The bits by which the digit of a key, at any shift, differs from that of its [`RadixKey::to_radix`]. Of a digit that reaches beyond the width
    /// they are also those beyond, which all keys have, so that the order is the same.
    pub(crate) fn flip(self) -> u32 {
        self.mask.digit(0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, RadixKey};

    #[test]
    fn small_integers_keep_their_order() {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                assert_eq!(a.cmp(&b), a.to_radix().cmp(&b.to_radix()));
                let down = Direction::new(true);
                assert_eq!(b.cmp(&a), down.bits(a).cmp(&down.bits(b)));
            }
        }
    }

    #[test]
    fn floats_have_their_total_order() {
        let words = (0..=u16::MAX)
            .map(|high| u32::from(high) << 16 | u32::from(high).wrapping_mul(40_503) >> 7 & 0xFFFF);
        let mut floats: Vec<f32> = words.map(f32::from_bits).collect();
        floats.sort_by(f32::total_cmp);
        assert!(floats.windows(2).all(|pair| pair[0].to_radix() <= pair[1].to_radix()));
        let mut floats: Vec<f64> =
            floats.into_iter().map(|float| f64::from_bits(u64::from(float.to_bits()) << 32)).collect();
        floats.sort_by(f64::total_cmp);
        assert!(floats.windows(2).all(|pair| pair[0].to_radix() <= pair[1].to_radix()));
    }

    #[cfg(feature = "half")]
    #[test]
    fn halves_have_their_total_order() {
        let mut halves: Vec<half::f16> = (0..=u16::MAX).map(half::f16::from_bits).collect();
        halves.sort_by(half::f16::total_cmp);
        assert!(halves.windows(2).all(|pair| pair[0].to_radix() < pair[1].to_radix()));
        let mut halves: Vec<half::bf16> = (0..=u16::MAX).map(half::bf16::from_bits).collect();
        halves.sort_by(half::bf16::total_cmp);
        assert!(halves.windows(2).all(|pair| pair[0].to_radix() < pair[1].to_radix()));
    }
}
