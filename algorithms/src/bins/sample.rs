//! The elements that `histogram_even` accepts, and their bins.

use core::fmt::Debug;

use spelt_core::Element;

/// A number that [`histogram_even`](crate::histogram_even) sorts into bins: the primitive integers up to 64 bits, `f32`, `f64`.
///
/// The trait is sealed, because the same sample must fall into the same bin each time.
pub trait SampleElement: Element + Debug + sealed::Sealed {
    /// The start and the width of the bins.
    #[doc(hidden)]
    type Scale: Copy + Send + Sync;

    /// The scale of `bins` bins, at least 1, from `low` to before `high`, or the error.
    ///
    /// # Errors
    /// A sentence.
    #[doc(hidden)]
    fn scale(low: Self, high: Self, bins: usize) -> Result<Self::Scale, &'static str>;

    /// The bin, or `usize::MAX` for samples outside.
    #[doc(hidden)]
    fn bin(self, scale: Self::Scale) -> usize;
}

mod sealed {
    pub trait Sealed {}
}

/// The error of a range without a number in it.
const EMPTY: &str = "its lower end is not below its upper end";

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl SampleElement for $type {
            type Scale = (Self, Self, u64, u64);

            fn scale(low: Self, high: Self, bins: usize) -> Result<Self::Scale, &'static str> {
                if low >= high {
                    return Err(EMPTY);
                }
                let (width, bins) = (high.abs_diff(low) as u64, bins as u64);
                match (width - 1).checked_mul(bins) {
                    Some(_) => Ok((low, high, width, bins)),
                    None => Err("its width times the number of bins does not fit in 64 bits"),
                }
            }

            #[inline(always)]
            fn bin(self, (low, high, width, bins): Self::Scale) -> usize {
                if self < low || self >= high {
                    return usize::MAX;
                }
                (self.abs_diff(low) as u64 * bins / width) as usize
            }
        }
    )*};
}
integers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

/// The reciprocal of a power of two, which is one as well; 0 for other widths, whose reciprocals are rounded, and for those whose
/// reciprocal is too large or too small for a normal number.
fn exact_reciprocal(width: f64) -> f64 {
    const FRACTION: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
    let reciprocal = 1.0 / width;
    if width.is_normal() && reciprocal.is_normal() && width.to_bits() & FRACTION == 0 {
        reciprocal
    } else {
        0.0
    }
}

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl SampleElement for $type {
            // Low, high, the width, its reciprocal where that is exact and otherwise 0, and the number of bins.
            type Scale = (Self, Self, [f64; 2], usize);

            fn scale(low: Self, high: Self, bins: usize) -> Result<Self::Scale, &'static str> {
                // Written so that NaN is refused too.
                if low.partial_cmp(&high) != Some(core::cmp::Ordering::Less) {
                    return Err(EMPTY);
                }
                let width = f64::from(high) - f64::from(low);
                if !(width * bins as f64).is_finite() {
                    return Err("its width times the number of bins is not finite");
                }
                Ok((low, high, [width, exact_reciprocal(width)], bins))
            }

            #[inline(always)]
            fn bin(self, (low, high, [width, reciprocal], bins): Self::Scale) -> usize {
                // False for NaN. The sample itself is compared, so that a mispredicted branch is known before the conversion.
                if self >= low && self < high {
                    let product = (f64::from(self) - f64::from(low)) * bins as f64;
                    // The same bits: both round the same number.
                    let bin = if reciprocal > 0.0 { product * reciprocal } else { product / width };
                    // Just below the upper end the quotient may round up to the number of bins.
                    (bin as usize).min(bins - 1)
                } else {
                    usize::MAX
                }
            }
        }
    )*};
}
floats! { f32 f64 }

#[cfg(test)]
mod tests {
    use super::{SampleElement, exact_reciprocal};

    /// Powers of two, and their neighbours, for which a product with a rounded reciprocal would be another number.
    #[test]
    fn quotients_by_powers_of_two_are_products() {
        for exponent in -1100..1024 {
            let width = 2.0_f64.powi(exponent);
            assert_eq!(exact_reciprocal(width), if exponent.abs() <= 1022 { 1.0 / width } else { 0.0 });
            assert_eq!(exact_reciprocal(width.next_up()), 0.0);
        }
        assert_eq!(exact_reciprocal(f64::MAX), 0.0);
        for width in [0.25, 3.0, 1024.0, 1e-3] {
            let scale = f64::scale(0.0, width, 1000).unwrap();
            for k in 0..10_000 {
                let sample = width * k as f64 / 10_000.0;
                assert_eq!(sample.bin(scale), (sample * 1000.0 / width) as usize, "{sample} of {width}");
            }
        }
    }

    /// The widest range for this number of bins: the product at the upper end itself would overflow.
    #[test]
    fn the_upper_end_is_outside_of_the_widest_range_too() {
        let high = 1_u64 << 63;
        let scale = u64::scale(0, high, 2).unwrap();
        let bins = [0, high / 2 - 1, high / 2, high - 1, high, u64::MAX].map(|sample| sample.bin(scale));
        assert_eq!(bins, [0, 0, 1, 1, usize::MAX, usize::MAX]);
        assert!(u64::scale(0, high + 2, 2).is_err());
        let scale = i8::scale(i8::MIN, i8::MAX, 3).unwrap();
        assert_eq!(
            [i8::MIN, -44, -43, i8::MAX - 1, i8::MAX].map(|sample| sample.bin(scale)),
            [0, 0, 1, 2, usize::MAX]
        );
    }
}
