//! The witnesses that accessors with an origin accept.

use super::{from_zero, signed};
use crate::{Idx, NestedIdx, SignedIdx, Witness};

/// A witness that accessors with an origin accept: [`Idx`], [`NestedIdx`] and [`SignedIdx`].
///
/// # Safety
/// Sealed: accessors do not check the bounds of a witness.
///
/// # Examples
/// ```
/// # use spelt_access::{Around, HaloAccess, OriginAccess, OriginWitness, RawView, Right, SignedIdx};
/// fn slope<'k>(
///     x: OriginAccess<HaloAccess<'k, f64, 1, Around<1>>, 1>,
///     i: impl OriginWitness<'k, 1>,
/// ) -> f64 {
///     (x.at(i, [1]) - x.at(i, [-1])) / 2.0
/// }
/// # let mut numbers = [1.0, 4.0, 9.0];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, x) = unsafe { (SignedIdx::<1>::new([0]), OriginAccess::new(HaloAccess::new(raw), [-1])) };
/// // In the iteration with index 0, for the View [1, 4, 9] from the origin [-1]:
/// assert_eq!(slope(x, i), 4.0);
/// ```
pub unsafe trait OriginWitness<'k, const R: usize>: Copy + sealed::Sealed {
    /// The witness of the same iteration, counted from zero.
    #[doc(hidden)]
    type FromZero: Witness<'k, R>;

    /// The witness minus `origin`.
    ///
    /// # Safety
    /// The result is used for accessors that cover it, which take no other witness than those minus `origin`.
    #[doc(hidden)]
    unsafe fn minus(self, origin: [isize; R]) -> Self::FromZero;
}

// SAFETY: a witness; different ones minus the same origin stay different.
unsafe impl<'k, const R: usize> OriginWitness<'k, R> for Idx<'k, R> {
    type FromZero = Idx<'k, R>;
    #[inline(always)]
    unsafe fn minus(self, origin: [isize; R]) -> Idx<'k, R> {
        // SAFETY: subtracting one origin maps distinct indices to distinct ones, and the caller's accessors cover them.
        unsafe { Idx::new(from_zero(signed(self.index()), origin)) }
    }
}
// SAFETY: a witness; different ones minus the same origin stay different.
unsafe impl<'k, 'j, const R: usize> OriginWitness<'k, R> for NestedIdx<'k, 'j, R> {
    type FromZero = NestedIdx<'k, 'j, R>;
    #[inline(always)]
    unsafe fn minus(self, origin: [isize; R]) -> NestedIdx<'k, 'j, R> {
        // SAFETY: subtracting one origin maps distinct indices to distinct ones, and the caller's accessors cover them.
        unsafe { NestedIdx::new(from_zero(signed(self.index()), origin)) }
    }
}
// SAFETY: a witness; different ones minus the same origin stay different. A launch has either these or `Idx`, never both.
unsafe impl<'k, const R: usize> OriginWitness<'k, R> for SignedIdx<'k, R> {
    type FromZero = Idx<'k, R>;
    #[inline(always)]
    unsafe fn minus(self, origin: [isize; R]) -> Idx<'k, R> {
        // SAFETY: subtracting one origin maps distinct indices to distinct ones, and the caller's accessors cover them.
        unsafe { Idx::new(from_zero(self.index(), origin)) }
    }
}

mod sealed {
    use crate::{Idx, NestedIdx, SignedIdx};

    pub trait Sealed {}
    impl<const R: usize> Sealed for Idx<'_, R> {}
    impl<const R: usize> Sealed for NestedIdx<'_, '_, R> {}
    impl<const R: usize> Sealed for SignedIdx<'_, R> {}
}
