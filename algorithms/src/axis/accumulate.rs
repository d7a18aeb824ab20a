//! The type in which a number is accumulated.

use spelt_core::Element;

/// A number as the element of a result: it is accumulated in a type that may be wider, and rounded once at the end.
///
/// Numbers are accumulated in their own type, except `half`'s, which are accumulated in `f32`. So a sum of `f32` into an `f64` result is
/// accumulated in `f64`, one of `i8` into `i32` in `i32`, and one of `f16` into `f16` in `f32`.
pub trait Accumulate: Element {
    /// The type in which the number is accumulated.
    type Accumulator: Element;
    /// The number nearest to the accumulated one.
    fn round(accumulated: Self::Accumulator) -> Self;
}

macro_rules! in_themselves {
    ($($number:ty)*) => {$(
        impl Accumulate for $number {
            type Accumulator = Self;
            #[inline(always)]
            fn round(accumulated: Self) -> Self {
                accumulated
            }
        }
    )*};
}
in_themselves!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

#[cfg(feature = "half")]
macro_rules! in_single_precision {
    ($($number:ty)*) => {$(
        impl Accumulate for $number {
            type Accumulator = f32;
            #[inline(always)]
            fn round(accumulated: f32) -> Self {
                <$number>::from_f32(accumulated)
            }
        }
    )*};
}
#[cfg(feature = "half")]
in_single_precision!(half::f16 half::bf16);
