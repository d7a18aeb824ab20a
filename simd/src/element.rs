//! The types of lanes.

use core::fmt::Debug;

use spelt_core::Element;
use spelt_core::reducers::{MinMaxElement, ProdElement, SumElement};

/// The operations on one lane that [`Simd`](crate::Simd) needs; those of integers wrap.
pub(crate) mod sealed {
    pub trait Lane: Copy {
        fn minus(self, other: Self) -> Self;
        fn divided_by(self, other: Self) -> Self;
        fn remainder(self, other: Self) -> Self;
    }
    pub trait Signed: Copy {
        fn negated(self) -> Self;
        fn magnitude(self) -> Self;
    }
    pub trait Float: Copy {
        fn root(self) -> Self;
        fn times_plus(self, factor: Self, summand: Self) -> Self;
        fn with_sign(self, sign: Self) -> Self;
    }
    pub trait Integer: Copy {
        fn and(self, other: Self) -> Self;
        fn or(self, other: Self) -> Self;
        fn xor(self, other: Self) -> Self;
        fn not(self) -> Self;
        fn left(self, bits: u32) -> Self;
        fn right(self, bits: u32) -> Self;
    }
}

/// A type of the lanes of a [`Simd`](crate::Simd): `f32`, `f64`, and the integers of up to 64 bits.
///
/// The trait is sealed, as each type defines what its lanes do.
///
/// # Examples
/// ```
/// use spelt_simd::{Simd, SimdElement};
/// fn twice<T: SimdElement, const N: usize>(x: Simd<T, N>) -> Simd<T, N> {
///     x + x
/// }
/// assert_eq!(twice(Simd::from_array([1, 2])).to_array(), [2, 4]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of the lanes of a `Simd`",
    note = "lanes are `f32`, `f64`, or integers of up to 64 bits"
)]
pub trait SimdElement:
    Element + Debug + Default + PartialOrd + SumElement + ProdElement + MinMaxElement + sealed::Lane
{
}

/// A type of lanes with negative values: floats and signed integers.
///
/// # Examples
/// ```
/// use spelt_simd::{Simd, SimdSigned};
/// fn distance<T: SimdSigned, const N: usize>(x: Simd<T, N>, y: Simd<T, N>) -> Simd<T, N> {
///     (x - y).abs()
/// }
/// assert_eq!(distance(Simd::from_array([1, 5]), Simd::from_array([4, 4])).to_array(), [3, 1]);
/// ```
pub trait SimdSigned: SimdElement + sealed::Signed {}

/// A type of lanes with square roots: `f32` and `f64`.
///
/// # Examples
/// ```
/// use spelt_simd::{Simd, SimdFloat};
/// fn length<T: SimdFloat, const N: usize>(x: Simd<T, N>, y: Simd<T, N>) -> Simd<T, N> {
///     (x * x + y * y).sqrt()
/// }
/// assert_eq!(length(Simd::from_array([3.0, 0.0]), Simd::from_array([4.0, 1.0])).to_array(), [5.0, 1.0]);
/// ```
pub trait SimdFloat: SimdSigned + sealed::Float {}

/// A type of lanes with operations on bits: the integers of up to 64 bits.
///
/// # Examples
/// ```
/// use spelt_simd::{Simd, SimdInteger};
/// fn common<T: SimdInteger, const N: usize>(x: Simd<T, N>, y: Simd<T, N>) -> Simd<T, N> {
///     x & y
/// }
/// assert_eq!(common(Simd::from_array([6, 5]), Simd::from_array([3, 4])).to_array(), [2, 4]);
/// ```
pub trait SimdInteger: SimdElement + sealed::Integer {}

macro_rules! floats {
    ($($float:ident)*) => {$(
        impl sealed::Lane for $float {
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn divided_by(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                self % other
            }
        }
        impl sealed::Signed for $float {
            #[inline(always)]
            fn negated(self) -> Self {
                -self
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
        }
        impl sealed::Float for $float {
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn times_plus(self, factor: Self, summand: Self) -> Self {
                self.mul_add(factor, summand)
            }
            #[inline(always)]
            fn with_sign(self, sign: Self) -> Self {
                self.copysign(sign)
            }
        }
        impl SimdElement for $float {}
        impl SimdSigned for $float {}
        impl SimdFloat for $float {}
    )*};
}
floats! { f32 f64 }

macro_rules! integers {
    ($($int:ident)*) => {$(
        impl sealed::Lane for $int {
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn divided_by(self, other: Self) -> Self {
                self.wrapping_div(other)
            }
            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                self.wrapping_rem(other)
            }
        }
        impl sealed::Integer for $int {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn left(self, bits: u32) -> Self {
                self.wrapping_shl(bits)
            }
            #[inline(always)]
            fn right(self, bits: u32) -> Self {
                self.wrapping_shr(bits)
            }
        }
        impl SimdElement for $int {}
        impl SimdInteger for $int {}
    )*};
}
integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

macro_rules! signed_integers {
    ($($int:ident)*) => {$(
        impl sealed::Signed for $int {
            #[inline(always)]
            fn negated(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.wrapping_abs()
            }
        }
        impl SimdSigned for $int {}
    )*};
}
signed_integers! { i8 i16 i32 i64 isize }
