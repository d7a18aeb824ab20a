//! The origin of accessors that check every index: part of their types, so that a View without one pays nothing.

use core::fmt::Debug;

use super::{from_zero, signed};
use crate::MAX_RANK;

/// The first indices of a View: [`AtZero`], or `[isize; R]` for a View with an origin.
///
/// Sealed. It is a parameter of [`AtomicAccess`](crate::AtomicAccess) and [`ScatterAccess`](crate::ScatterAccess), which take any index
/// and check it. From an origin, an unsigned index above `isize::MAX` is the negative number with the same bits.
///
/// # Examples
/// ```
/// # use spelt_access::{AtomicAccess, AtomicNumber, Origin, Right};
/// /// Marks a cell of a grid with or without ghost cells.
/// fn mark<T: AtomicNumber, O: Origin<2>>(grid: &AtomicAccess<'_, T, 2, Right, O>, cell: [isize; 2]) {
///     grid.inc(cell);
/// }
/// ```
pub trait Origin<const R: usize>: Copy + Debug + Send + Sync + sealed::Sealed {
    /// `index` counted from zero; one outside is above an extent.
    #[doc(hidden)]
    fn place(self, index: [usize; R]) -> [usize; R];

    /// The origin in the form of a [`Description`](crate::Description).
    #[doc(hidden)]
    fn described(self) -> Option<[isize; MAX_RANK]>;
}

/// The origin of a View whose indices begin at zero.
///
/// # Examples
/// ```
/// # use spelt_access::{AtZero, AtomicAccess, Right};
/// fn count(bins: &AtomicAccess<'_, u32, 1, Right, AtZero>, bin: usize) {
///     bins.inc(bin);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AtZero;

impl<const R: usize> Origin<R> for AtZero {
    #[inline(always)]
    fn place(self, index: [usize; R]) -> [usize; R] {
        index
    }
    #[inline(always)]
    fn described(self) -> Option<[isize; MAX_RANK]> {
        None
    }
}

impl<const R: usize> Origin<R> for [isize; R] {
    #[inline(always)]
    fn place(self, index: [usize; R]) -> [usize; R] {
        from_zero(signed(index), self)
    }
    #[inline(always)]
    fn described(self) -> Option<[isize; MAX_RANK]> {
        let mut all = [0; MAX_RANK];
        all[..R].copy_from_slice(&self);
        Some(all)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::AtZero {}
    impl<const R: usize> Sealed for [isize; R] {}
}
