//! The float types of statistics and exponentials.

use core::ops::{Add, Div, Mul, Sub};

use spelt_core::Element;
use spelt_core::reducers::{MinMaxElement, ProdElement, SumElement};
use spelt_math::Math;

/// A float: `f32` or `f64`.
///
/// Sealed: algorithms that take it promise the bits of these two.
pub trait Real:
    Element
    + Math
    + SumElement
    + ProdElement
    + MinMaxElement
    + Into<f64>
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
    /// The number nearest to another.
    fn nearest(number: f64) -> Self;
    /// The magnitude.
    #[must_use]
    fn magnitude(self) -> Self;
    /// The square root, rounded correctly.
    #[must_use]
    fn square_root(self) -> Self;
}

macro_rules! reals {
    ($($float:ident)*) => {$(
        impl sealed::Sealed for $float {}
        impl Real for $float {
            const NAN: Self = $float::NAN;
            #[inline(always)]
            fn from_count(count: u64) -> Self {
                count as $float
            }
            #[inline(always)]
            fn nearest(number: f64) -> Self {
                number as $float
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
reals!(f32 f64);

mod sealed {
    pub trait Sealed {}
}
