//! Conversions of numbers, lane by lane.

use crate::{Simd, SimdElement};

/// A type of lanes that [`Simd::cast`] converts to another.
///
/// # Examples
/// ```
/// use spelt_simd::{Simd, SimdCast};
/// fn to_f64<T: SimdCast<f64>, const N: usize>(x: Simd<T, N>) -> Simd<f64, N> {
///     x.cast()
/// }
/// assert_eq!(to_f64(Simd::from_array([1_u8, 2])).to_array(), [1.0, 2.0]);
/// ```
pub trait SimdCast<U>: SimdElement + sealed::Cast<U> {}

mod sealed {
    pub trait Cast<U> {
        fn cast(self) -> U;
    }
}

macro_rules! casts {
    ($($from:ident)*) => {$(
        casts! { @$from: f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    )*};
    (@$from:ident: $($to:ident)*) => {$(
        impl sealed::Cast<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                self as $to
            }
        }
        impl SimdCast<$to> for $from {}
    )*};
}
casts! { f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl<T: SimdElement, const N: usize> Simd<T, N> {
    /// Each lane `as U`: integers wrap, floats round, and floats beyond the range of an integer become its nearest value, NaN 0.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([1.9, -1.0, f64::NAN]).cast::<u8>().to_array(), [1, 0, 0]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn cast<U: SimdElement>(self) -> Simd<U, N>
    where
        T: SimdCast<U>,
    {
        self.map(sealed::Cast::cast)
    }
}
