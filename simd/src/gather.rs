//! Elements of a slice by the indices in a vector.

use crate::{Mask, Simd, SimdElement};

impl<T: SimdElement, const N: usize> Simd<T, N> {
    /// The elements of `slice` at `indices`; a lane whose index is out of bounds is that of `or`.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let x = Simd::gather_or(&[5, 6, 7], Simd::from_array([2, 0, 9]), Simd::splat(-1));
    /// assert_eq!(x.to_array(), [7, 5, -1]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn gather_or(slice: &[T], indices: Simd<usize, N>, or: Self) -> Self {
        Self::gather_select(slice, Mask::splat(true), indices, or)
    }

    /// The same where `enable` is set; the other lanes are those of `or`.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::{Mask, Simd};
    /// let enable = Mask::from_array([true, false]);
    /// let x = Simd::gather_select(&[5, 6, 7], enable, Simd::from_array([2, 0]), Simd::splat(-1));
    /// assert_eq!(x.to_array(), [7, -1]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn gather_select(slice: &[T], enable: Mask<N>, indices: Simd<usize, N>, mut or: Self) -> Self {
        let mut lane = 0;
        while lane < N {
            if enable.test(lane)
                && let Some(element) = slice.get(indices.0[lane])
            {
                or.0[lane] = *element;
            }
            lane += 1;
        }
        or
    }

    /// Writes the lanes to the elements of `slice` at `indices`, except those out of bounds. Of equal indices, the last lane stays.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let mut numbers = [0; 3];
    /// Simd::from_array([1, 2, 3]).scatter(&mut numbers, Simd::from_array([2, 2, 9]));
    /// assert_eq!(numbers, [0, 0, 2]);
    /// ```
    #[inline(always)]
    pub fn scatter(self, slice: &mut [T], indices: Simd<usize, N>) {
        self.scatter_select(slice, Mask::splat(true), indices);
    }

    /// The same where `enable` is set.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::{Mask, Simd};
    /// let mut numbers = [0; 3];
    /// let enable = Mask::from_array([true, false]);
    /// Simd::from_array([1, 2]).scatter_select(&mut numbers, enable, Simd::from_array([2, 0]));
    /// assert_eq!(numbers, [0, 0, 1]);
    /// ```
    #[inline(always)]
    pub fn scatter_select(self, slice: &mut [T], enable: Mask<N>, indices: Simd<usize, N>) {
        let mut lane = 0;
        while lane < N {
            if enable.test(lane)
                && let Some(element) = slice.get_mut(indices.0[lane])
            {
                *element = self.0[lane];
            }
            lane += 1;
        }
    }
}
