//! In which type a number is accumulated, and what statistics need of it.

use core::ops::{Add, Div, Mul, Sub};

use spelt_core::Element;
use spelt_core::reducers::{MinMaxElement, ProdElement, SumElement};

/// A number as the element of a result: it is accumulated in a type that may be wider, and rounded once at the end.
///
/// Numbers are accumulated in themselves, except `half`'s, which are in `f32`. So a sum of `f32` into an `f64` result is
/// accumulated in `f64`, one of `i8` into `i32` in `i32`, and one of `f16` into `f16` in `f32`.
pub trait Accumulate: Element {
    /// What the number is accumulated in.
    type Accumulator: Element;
    /// The number nearest to what was accumulated.
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

/// A floating-point number in which means, variances and norms are accumulated: `f32` or `f64`.
///
/// Sealed: nothing but floats rounds and divides as these statistics expect.
pub trait Real:
    Element
    + SumElement
    + ProdElement
    + MinMaxElement
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + sealed::Sealed
{
    /// Not a number.
    const NAN: Self;
    /// The number nearest to a count.
    fn from_count(count: u64) -> Self;
    /// The magnitude.
    #[must_use]
    fn magnitude(self) -> Self;
    /// The square root, rounded correctly.
    #[must_use]
    fn square_root(self) -> Self;
}

macro_rules! real {
    ($($float:ident)*) => {$(
        impl sealed::Sealed for $float {}
        impl Real for $float {
            const NAN: Self = $float::NAN;
            #[inline(always)]
            fn from_count(count: u64) -> Self {
                count as $float
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn square_root(self) -> Self {
                self.sqrt()
            }
        }
    )*};
}
real!(f32 f64);

mod sealed {
    pub trait Sealed {}
}
