//! Layouts: the offset of the element at an index.
//!
//! | layout | offset of `[i0, i1, i2]` in extents `[n0, n1, n2]` | unit stride |
//! |---|---|---|
//! | [`Right`] | `(i0 * n1 + i1) * n2 + i2` | last index |
//! | [`Left`] | `i0 + n0 * (i1 + n1 * i2)` | first index |
//! | [`Stride`] | `i0 * s0 + i1 * s1 + i2 * s2`, with any strides | none known |
//!
//! The names are Kokkos's (`LayoutRight`, `LayoutLeft`, `LayoutStride`); the formulas are C++ mdspan's.

use core::fmt::Debug;

use spelt_policies::Iterate;

/// A rule that gives each index of a View its offset in memory.
///
/// # Safety
/// Implementers promise that [`offset`](Layout::offset), with the strides that [`strides`](Layout::strides)
/// returned, maps different in-bounds indices to different offsets below the product of the extents, and that
/// with any other strides it is the plain sum of `index[d] * strides[d]`. If `IN_ORDER` is true, the former
/// offsets grow in the lexicographic order of the indices. The trait is sealed: a layout that mapped two indices to the same offset would let safe
/// kernels race.
///
/// # Examples
/// ```
/// use spelt_access::{Layout, Left, Right};
/// fn offset<L: Layout>(_: L, index: [usize; 2], extents: [usize; 2]) -> usize {
///     L::offset(index, &L::strides(extents))
/// }
/// assert_eq!((offset(Right, [1, 2], [3, 4]), offset(Left, [1, 2], [3, 4])), (6, 7));
/// ```
pub unsafe trait Layout: Copy + Debug + Default + Send + Sync + 'static + sealed::Sealed {
    /// The name, for messages.
    const NAME: &'static str;
    /// The layout of the elements with one first index.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{Layout, Left, Right};
    /// assert_eq!((<Right as Layout>::Rest::NAME, <Left as Layout>::Rest::NAME), ("Right", "Stride"));
    /// ```
    type Rest: Layout;
    /// The dimension of rank `R` whose stride is always 1, if there is one.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{Layout, Left, Right, Stride};
    /// assert_eq!((Right::unit_dimension(3), Left::unit_dimension(3), Stride::unit_dimension(3)), (Some(2), Some(0), None));
    /// ```
    fn unit_dimension(rank: usize) -> Option<usize>;
    /// Whether the offsets of a dense View grow in the lexicographic order of the indices, neighbours along the last dimension by 1.
    #[doc(hidden)]
    const IN_ORDER: bool = false;
    /// The strides, in elements, of a dense array of these extents; [`Stride`] takes [`Right`]'s.
    ///
    /// The product of the extents must fit in `usize` (see [`checked_len`](spelt_policies::checked_len)).
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{Layout, Left, Right};
    /// assert_eq!((Right::strides([2, 3, 4]), Left::strides([2, 3, 4])), ([12, 4, 1], [1, 2, 6]));
    /// ```
    fn strides<const R: usize>(extents: [usize; R]) -> [usize; R];
    /// The offset, in elements, of `index`.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{Layout, Stride};
    /// assert_eq!(Stride::offset([1, 2], &[10, 3]), 16);
    /// ```
    #[must_use]
    #[inline(always)]
    fn offset<const R: usize>(index: [usize; R], strides: &[usize; R]) -> usize {
        let unit = Self::unit_dimension(R);
        let mut offset = 0_usize;
        let mut dimension = 0;
        while dimension < R {
            let step = if unit == Some(dimension) { 1 } else { strides[dimension] };
            offset = offset.wrapping_add(index[dimension].wrapping_mul(step));
            dimension += 1;
        }
        offset
    }
}

/// Row-major: the last index has stride 1, as in C and in Rust's nested arrays. The default.
///
/// # Examples
/// ```
/// use spelt_access::{Layout, Right};
/// assert_eq!(Right::strides([2, 3, 4]), [12, 4, 1]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Right;

/// Column-major: the first index has stride 1, as in Fortran.
///
/// # Examples
/// ```
/// use spelt_access::{Layout, Left};
/// assert_eq!(Left::strides([2, 3, 4]), [1, 2, 6]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left;

/// Any strides, chosen at run time. Most subviews have this layout.
///
/// # Examples
/// ```
/// use spelt_access::{Layout, Stride};
/// assert_eq!(Stride::unit_dimension(3), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stride;

// SAFETY: dense row-major strides make the offset the row-major rank of the index, which is injective.
unsafe impl Layout for Right {
    const NAME: &'static str = "Right";
    const IN_ORDER: bool = true;
    type Rest = Right;
    #[inline(always)]
    fn unit_dimension(rank: usize) -> Option<usize> {
        rank.checked_sub(1)
    }
    #[inline]
    fn strides<const R: usize>(extents: [usize; R]) -> [usize; R] {
        let mut strides = [1_usize; R];
        for dimension in (1..R).rev() {
            strides[dimension - 1] = strides[dimension].wrapping_mul(extents[dimension].max(1));
        }
        strides
    }
}

// SAFETY: dense column-major strides make the offset the column-major rank of the index, which is injective.
unsafe impl Layout for Left {
    const NAME: &'static str = "Left";
    type Rest = Stride;
    #[inline(always)]
    fn unit_dimension(rank: usize) -> Option<usize> {
        if rank == 0 { None } else { Some(0) }
    }
    #[inline]
    fn strides<const R: usize>(extents: [usize; R]) -> [usize; R] {
        let mut strides = [1_usize; R];
        for dimension in 1..R {
            strides[dimension] = strides[dimension - 1].wrapping_mul(extents[dimension - 1].max(1));
        }
        strides
    }
}

// SAFETY: the strides that it returns are `Right`'s, whose offsets are injective.
unsafe impl Layout for Stride {
    const NAME: &'static str = "Stride";
    type Rest = Stride;
    #[inline(always)]
    fn unit_dimension(_rank: usize) -> Option<usize> {
        None
    }
    #[inline]
    fn strides<const R: usize>(extents: [usize; R]) -> [usize; R] {
        Right::strides(extents)
    }
}

impl From<Left> for Iterate {
    fn from(_: Left) -> Self {
        Self::Left
    }
}

impl From<Right> for Iterate {
    fn from(_: Right) -> Self {
        Self::Right
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Right {}
    impl Sealed for super::Left {}
    impl Sealed for super::Stride {}
}

#[cfg(test)]
mod tests {
    use super::{Layout, Left, Right, Stride, sealed};

    /// A layout that is added by the recipe in CONTRIBUTING.md: the first index slowest, the second fastest, for batches of
    /// column-major matrices.
    #[derive(Clone, Copy, Debug, Default)]
    struct Batched;

    impl sealed::Sealed for Batched {}

    // SAFETY: the offset is the row-major rank of the index with its last two components exchanged, which is injective.
    unsafe impl Layout for Batched {
        const NAME: &'static str = "Batched";
        type Rest = Stride;
        fn unit_dimension(rank: usize) -> Option<usize> {
            rank.checked_sub(if rank < 2 { 1 } else { 2 })
        }
        fn strides<const R: usize>(mut extents: [usize; R]) -> [usize; R] {
            let (from, to) = (R.saturating_sub(1), R.saturating_sub(2));
            if R > 1 {
                extents.swap(from, to);
            }
            let mut strides = Right::strides(extents);
            if R > 1 {
                strides.swap(from, to);
            }
            strides
        }
    }

    /// Compares all offsets in all extents from 1 to 4 with `formula`, which must yield each offset once.
    fn check<L: Layout>(formula: impl Fn([usize; 3], [usize; 3]) -> usize) {
        for [n, m, o] in
            (0..64).map(|number| [number / 16, number / 4 % 4, number % 4].map(|digit| digit + 1))
        {
            let strides = L::strides([n, m, o]);
            let mut reached = [false; 64];
            for number in 0..n * m * o {
                let index = [number / (m * o), number / o % m, number % o];
                let offset = L::offset(index, &strides);
                assert_eq!(offset, formula(index, [n, m, o]), "{} {index:?} of {:?}", L::NAME, [n, m, o]);
                reached[offset] = true;
            }
            assert!(reached[..n * m * o].iter().all(|&reached| reached), "{} {:?}", L::NAME, [n, m, o]);
            // A View's strides are also right in the dimension that the offset leaves out.
            assert!(L::unit_dimension(3).is_none_or(|unit| strides[unit] == 1));
        }
    }

    #[test]
    fn offsets_are_those_of_the_formulas() {
        check::<Right>(|[i, j, k], [_, m, o]| (i * m + j) * o + k);
        check::<Left>(|[i, j, k], [n, m, _]| i + n * (j + m * k));
        check::<Stride>(|[i, j, k], [_, m, o]| (i * m + j) * o + k);
        check::<Batched>(|[i, j, k], [_, m, o]| (i * o + k) * m + j);
    }

    #[test]
    fn zero_extents_count_as_1_in_strides() {
        assert_eq!(Right::strides([2, 0, 3]), [3, 3, 1]);
        assert_eq!(Left::strides([2, 0, 3]), [1, 2, 2]);
    }
}
