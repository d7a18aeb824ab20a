//! The floats that some algorithms here work on.

use core::ops::{Add, Div, Mul, Sub};

use spelt_core::Element;
use spelt_math::Math;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A float: `f32` or `f64`.
///
/// Sealed: algorithms that take it promise the bits of these two.
pub trait Real:
    Element
    + Math
    + PartialOrd
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + sealed::Sealed
{
    /// Zero.
    #[doc(hidden)]
    const ZERO: Self;
    /// One.
    #[doc(hidden)]
    const ONE: Self;
    /// What is below all other numbers.
    #[doc(hidden)]
    const NEG_INFINITY: Self;
    /// The size.
    #[doc(hidden)]
    fn size(self) -> Self;
    /// The nearest.
    #[doc(hidden)]
    fn nearest(number: f64) -> Self;
}

macro_rules! reals {
    ($($float:ident)*) => {$(
        impl Real for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NEG_INFINITY: Self = $float::NEG_INFINITY;
            #[inline(always)]
            fn size(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn nearest(number: f64) -> Self {
                number as $float
            }
        }
    )*};
}
reals!(f32 f64);
