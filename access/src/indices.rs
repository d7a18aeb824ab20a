//! The indices that accessors accept.

use crate::{Idx, NestedIdx};

/// A witness of rank `R` of the launch branded `'k`: an [`Idx`], or a [`NestedIdx`] of a team.
///
/// # Safety
/// Sealed: accessors do not check the bounds of a witness.
///
/// # Examples
/// ```
/// use spelt_access::Witness;
/// fn component<'k, const R: usize>(i: impl Witness<'k, R>, dimension: usize) -> usize {
///     i.position()[dimension]
/// }
/// # // SAFETY: there is no accessor.
/// # let i = unsafe { spelt_access::Idx::<2>::new([3, 5]) };
/// // In the iteration with index [3, 5]:
/// assert_eq!(component(i, 1), 5);
/// ```
pub unsafe trait Witness<'k, const R: usize>: Copy + sealed::Sealed {
    /// The index in every dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::Witness;
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::Idx::<2>::new([3, 5]) };
    /// // In the iteration with index [3, 5]:
    /// assert_eq!(i.position(), [3, 5]);
    /// ```
    fn position(self) -> [usize; R];
}

// SAFETY: a witness.
unsafe impl<'k, const R: usize> Witness<'k, R> for Idx<'k, R> {
    #[inline(always)]
    fn position(self) -> [usize; R] {
        self.index()
    }
}
// SAFETY: a witness.
unsafe impl<'k, const R: usize> Witness<'k, R> for NestedIdx<'k, '_, R> {
    #[inline(always)]
    fn position(self) -> [usize; R] {
        self.index()
    }
}

/// An index of a View of rank `R`: `[usize; R]`, for rank 1 also `usize`, or any witness of that rank. Accessors that accept
/// it check its bounds.
///
/// # Examples
/// ```
/// use spelt_access::AsIndex;
/// fn sum<const R: usize>(index: impl AsIndex<R>) -> usize {
///     index.as_index().iter().sum()
/// }
/// assert_eq!((sum(7), sum([3, 5])), (7, 8));
/// ```
pub trait AsIndex<const R: usize>: Copy + sealed::Sealed {
    /// The index as an array.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::AsIndex;
    /// assert_eq!((7.as_index(), [3, 5].as_index()), ([7], [3, 5]));
    /// ```
    fn as_index(self) -> [usize; R];
}

impl<const R: usize> AsIndex<R> for [usize; R] {
    #[inline(always)]
    fn as_index(self) -> [usize; R] {
        self
    }
}
impl AsIndex<1> for usize {
    #[inline(always)]
    fn as_index(self) -> [usize; 1] {
        [self]
    }
}
impl<const R: usize> AsIndex<R> for Idx<'_, R> {
    #[inline(always)]
    fn as_index(self) -> [usize; R] {
        self.index()
    }
}
impl<const R: usize> AsIndex<R> for NestedIdx<'_, '_, R> {
    #[inline(always)]
    fn as_index(self) -> [usize; R] {
        self.index()
    }
}

mod sealed {
    use crate::{Idx, NestedIdx};

    pub trait Sealed {}
    impl Sealed for usize {}
    impl<const R: usize> Sealed for [usize; R] {}
    impl<const R: usize> Sealed for Idx<'_, R> {}
    impl<const R: usize> Sealed for NestedIdx<'_, '_, R> {}
}
