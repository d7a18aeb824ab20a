//! Reductions of the lanes of one vector.
//!
//! The lanes join by halving, as those of a tile of the canonical order do: with `h` the larger half of the lanes that remain, lane `l` joins
//! lane `l + h`, for each `l` below the smaller half, until one lane remains. Eight lanes give
//! `((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))`.

use crate::compare::{greater, lesser};
use crate::{Simd, SimdElement};

impl<T: SimdElement, const N: usize> Simd<T, N> {
    /// Joins all lanes by `join`, by halving: of 4 lanes, `join(join(0, 2), join(1, 3))`.
    ///
    /// The order depends on `N` alone, so the bits are the same on every machine.
    ///
    /// # Complexity
    /// `N - 1` joins, of which log2 `N` depend on one another.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([1, 2, 4, 8]).reduce(|a, b| 10 * a + b), 10 * (10 * 1 + 4) + (10 * 2 + 8));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn reduce<F: FnMut(T, T) -> T>(self, mut join: F) -> T {
        const { assert!(N > 0, "a vector without lanes has no reduction") };
        let mut lanes = self.0;
        let mut left = N;
        while left > 1 {
            let half = left.div_ceil(2);
            let mut lane = 0;
            while lane < left / 2 {
                lanes[lane] = join(lanes[lane], lanes[lane + half]);
                lane += 1;
            }
            left = half;
        }
        lanes[0]
    }

    /// The sum of the lanes, by halving: of 4 lanes, `(0 + 2) + (1 + 3)`. Integers wrap.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([1e16, 1.0, -1e16, 1.0]).reduce_sum(), 2.0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn reduce_sum(self) -> T {
        self.reduce(T::plus)
    }

    /// The product of the lanes, in the same order. Integers wrap.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([2, 3, 4]).reduce_product(), 24);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn reduce_product(self) -> T {
        self.reduce(T::times)
    }

    /// The least lane. NaN is ignored unless all lanes are; of equal zeros, the order of joins keeps the one that came first.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([3.0, f64::NAN, -1.0]).reduce_min(), -1.0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn reduce_min(self) -> T {
        self.reduce(lesser)
    }

    /// The greatest lane; see [`reduce_min`](Self::reduce_min).
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([3, 7, -1]).reduce_max(), 7);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn reduce_max(self) -> T {
        self.reduce(greater)
    }
}
