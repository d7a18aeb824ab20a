//! Magnitudes, signs, square roots and fused products, lane by lane.

use crate::element::sealed::{Float, Signed};
use crate::simd::keep_lanes_together;
use crate::{Simd, SimdFloat, SimdSigned};

impl<T: SimdSigned, const N: usize> Simd<T, N> {
    /// The absolute values; the least integer stays as it is.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([-1.5, 2.0]).abs().to_array(), [1.5, 2.0]);
    /// assert_eq!(Simd::from_array([i8::MIN, -1]).abs().to_array(), [i8::MIN, 1]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn abs(self) -> Self {
        self.map(Signed::magnitude)
    }
}

impl<T: SimdFloat, const N: usize> Simd<T, N> {
    /// The square roots, correctly rounded.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([4.0, 2.25]).sqrt().to_array(), [2.0, 1.5]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn sqrt(self) -> Self {
        self.map(Float::root)
    }

    /// `self * factor + summand`, rounded once.
    ///
    /// The bits are the same on every machine, but processors without such an instruction call a slow function for each lane: write a
    /// product and a sum where one rounding more does no harm.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let (x, e) = (Simd::from_array([1.0 + f64::EPSILON]), f64::EPSILON);
    /// assert_eq!(x.mul_add(x, Simd::splat(-1.0)).to_array(), [2.0 * e + e * e]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn mul_add(mut self, factor: Self, summand: Self) -> Self {
        keep_lanes_together::<T, N>();
        let mut lane = 0;
        while lane < N {
            self.0[lane] = Float::times_plus(self.0[lane], factor.0[lane], summand.0[lane]);
            lane += 1;
        }
        self
    }

    /// The magnitudes of `self` with the signs of `sign`.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::splat(2.0).copysign(Simd::from_array([-0.0, 1.0])).to_array(), [-2.0, 2.0]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn copysign(self, sign: Self) -> Self {
        self.zip_map(sign, Float::with_sign)
    }
}
