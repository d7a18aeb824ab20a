//! What accessors take as an index.

use crate::{Idx, NestedIdx};

/// A witness of rank `R` of the launch branded `'k`: an [`Idx`], or a [`NestedIdx`] of a team.
///
/// # Safety
/// Sealed: accessors leave out their checks for what is a witness.
pub unsafe trait Witness<'k, const R: usize>: Copy + sealed::Sealed {
    /// The index in every dimension.
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

/// Whatever names an index of a View of rank `R`: `[usize; R]`, for rank 1 a plain `usize`, or any witness of that
/// rank. Accessors that take it check it.
pub trait AsIndex<const R: usize>: Copy + sealed::Sealed {
    /// The index as an array.
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
