//! The witness of a launch over indices that may be negative.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Add, Sub};

/// The index of one iteration of a launch over a signed range, and proof that no other iteration of the launch has the same index.
///
/// It is to Views with an origin what [`Idx`](crate::Idx) is to plain Views. [`get`](SignedIdx::get), `i + 1` and `i - 1` are plain `isize`, not
/// witnesses.
///
/// # Examples
/// ```
/// # // SAFETY: there is no accessor.
/// # let i = unsafe { spelt_access::SignedIdx::<1>::new([-2]) };
/// // In the iteration with index -2:
/// assert_eq!((i.get(), i + 1, i - 1), (-2, -1, -3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignedIdx<'k, const R: usize> {
    index: [isize; R],
    /// Invariant in `'k`, so that a witness cannot be used in another launch.
    brand: PhantomData<fn(&'k ()) -> &'k ()>,
}

impl<const R: usize> SignedIdx<'_, R> {
    /// The witness of `index`.
    ///
    /// # Safety
    /// During the launch branded `'k`, no other iteration that may run at the same time gets the same index, and each accessor with an
    /// origin and this brand covers it.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(index: [isize; R]) -> Self {
        Self { index, brand: PhantomData }
    }

    /// The index in every dimension, as plain numbers.
    ///
    /// # Examples
    /// ```
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::SignedIdx::<2>::new([-3, 5]) };
    /// // In the iteration with index [-3, 5]:
    /// assert_eq!(i.index(), [-3, 5]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> [isize; R] {
        self.index
    }
}

impl SignedIdx<'_, 1> {
    /// The index as a plain number.
    ///
    /// # Examples
    /// ```
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::SignedIdx::<1>::new([-2]) };
    /// // In the iteration with index -2:
    /// assert_eq!(i.get(), -2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(self) -> isize {
        self.index[0]
    }
}

macro_rules! get {
    ($($rank:literal)*) => {$(
        impl SignedIdx<'_, $rank> {
            /// The index in every dimension, as plain numbers.
            ///
            /// # Examples
            /// ```
            /// # // SAFETY: there is no accessor.
            #[doc = concat!("# let i = unsafe { spelt_access::SignedIdx::new([-7; ", stringify!($rank), "]) };")]
            #[doc = concat!("assert_eq!(i.get(), [-7; ", stringify!($rank), "]);")]
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn get(self) -> [isize; $rank] {
                self.index
            }
        }
    )*};
}
get!(2 3 4 5 6 7 8);

impl Add<isize> for SignedIdx<'_, 1> {
    type Output = isize;
    #[inline(always)]
    fn add(self, offset: isize) -> isize {
        self.index[0] + offset
    }
}

impl Sub<isize> for SignedIdx<'_, 1> {
    type Output = isize;
    #[inline(always)]
    fn sub(self, offset: isize) -> isize {
        self.index[0] - offset
    }
}

impl<const R: usize> fmt::Debug for SignedIdx<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index.fmt(f)
    }
}
