//! Comparisons, lane by lane, and the lesser and greater lanes.

use crate::simd::keep_lanes_together;
use crate::{Mask, Simd, SimdElement};

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident: $sign:tt;)*) => {
        impl<T: SimdElement, const N: usize> Simd<T, N> {$(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name(self, other: Self) -> Mask<N> {
                keep_lanes_together::<T, N>();
                let mut lanes = [false; N];
                let mut lane = 0;
                while lane < N {
                    lanes[lane] = self.0[lane] $sign other.0[lane];
                    lane += 1;
                }
                Mask::from_array(lanes)
            }
        )*}
    };
}
comparisons! {
    /// Whether the lanes are equal: zeros of both signs are, NaN equals nothing.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let x = Simd::from_array([0.0, f64::NAN]);
    /// assert_eq!(x.simd_eq(Simd::from_array([-0.0, f64::NAN])).to_array(), [true, false]);
    /// ```
    simd_eq: ==;
    /// Whether the lanes are unequal: `x.simd_ne(x)` finds NaN.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let x = Simd::from_array([0.0, f64::NAN]);
    /// assert_eq!(x.simd_ne(x).to_array(), [false, true]);
    /// ```
    simd_ne: !=;
    /// Whether the lanes are less; with NaN, never.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([1, 2]).simd_lt(Simd::splat(2)).to_array(), [true, false]);
    /// ```
    simd_lt: <;
    /// Whether the lanes are less or equal; with NaN, never.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([2, 3]).simd_le(Simd::splat(2)).to_array(), [true, false]);
    /// ```
    simd_le: <=;
    /// Whether the lanes are greater; with NaN, never.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([2, 3]).simd_gt(Simd::splat(2)).to_array(), [false, true]);
    /// ```
    simd_gt: >;
    /// Whether the lanes are greater or equal; with NaN, never.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([1, 2]).simd_ge(Simd::splat(2)).to_array(), [false, true]);
    /// ```
    simd_ge: >=;
}

impl<T: SimdElement, const N: usize> Simd<T, N> {
    /// The lesser lanes of the two.
    ///
    /// As the reducer `Min` joins: NaN gives way to anything else, and of equal lanes, zeros of both signs included, that of `self` stays.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let x = Simd::from_array([1.0, f64::NAN, 0.0]);
    /// let least = x.simd_min(Simd::from_array([2.0, 3.0, -0.0]));
    /// assert_eq!(least.to_array().map(f64::to_bits), [1.0, 3.0, 0.0].map(f64::to_bits));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn simd_min(self, other: Self) -> Self {
        self.zip_map(other, lesser)
    }

    /// The greater lanes of the two; see [`simd_min`](Self::simd_min) for NaN and zeros.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([1, 5]).simd_max(Simd::splat(3)).to_array(), [3, 5]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn simd_max(self, other: Self) -> Self {
        self.zip_map(other, greater)
    }

    /// The lanes, within `low` and `high`: `self.simd_max(low).simd_min(high)`, so NaN becomes `low`.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let x = Simd::from_array([-3, 2, 9]);
    /// assert_eq!(x.simd_clamp(Simd::splat(0), Simd::splat(5)).to_array(), [0, 2, 5]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn simd_clamp(self, low: Self, high: Self) -> Self {
        self.simd_max(low).simd_min(high)
    }
}

/// The lesser of two: `new` if it is less than `kept`, or `kept` is NaN and `new` is not.
#[expect(clippy::eq_op, clippy::neg_cmp_op_on_partial_ord, reason = "both decide what happens to NaN")]
#[inline(always)]
pub(crate) fn lesser<T: SimdElement>(kept: T, new: T) -> T {
    core::hint::select_unpredictable(!(kept <= new) & (new == new), new, kept)
}

/// The greater of two, in the same way.
#[expect(clippy::eq_op, clippy::neg_cmp_op_on_partial_ord, reason = "both decide what happens to NaN")]
#[inline(always)]
pub(crate) fn greater<T: SimdElement>(kept: T, new: T) -> T {
    core::hint::select_unpredictable(!(kept >= new) & (new == new), new, kept)
}
