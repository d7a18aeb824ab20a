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

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl SampleElement for $type {
            type Scale = (f64, f64, usize);

            fn scale(low: Self, high: Self, bins: usize) -> Result<Self::Scale, &'static str> {
                let (low, high) = (f64::from(low), f64::from(high));
                // Written so that NaN is refused too.
                if low.partial_cmp(&high) != Some(core::cmp::Ordering::Less) {
                    return Err(EMPTY);
                }
                if !((high - low) * bins as f64).is_finite() {
                    return Err("its width times the number of bins is not finite");
                }
                Ok((low, high, bins))
            }

            #[inline(always)]
            fn bin(self, (low, high, bins): Self::Scale) -> usize {
                let sample = f64::from(self);
                // False for NaN.
                if sample >= low && sample < high {
                    // Just below the upper end the quotient may round up to the number of bins.
                    (((sample - low) * bins as f64 / (high - low)) as usize).min(bins - 1)
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
    use super::SampleElement;

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
