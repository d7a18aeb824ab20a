//! Index witnesses: proof that an iteration owns its index.

use core::{
    fmt,
    marker::PhantomData,
    ops::{Add, Sub},
};

/// Invariant in `'k`, so that a witness cannot be used in another launch.
type Brand<'k> = PhantomData<fn(&'k ()) -> &'k ()>;

/// The index of one iteration, and proof that no other iteration of the launch has the same index.
///
/// Only a launch makes witnesses, one per iteration; the lifetime `'k` keeps each inside its iteration. A write
/// accessor accepts only a witness, so `y[i] = ..` cannot race, and needs no bounds check: the launch has
/// compared the policy with the View's extents. [`get`](Idx::get) and `i + 1` are plain `usize`, not
/// witnesses.
///
/// # Examples
/// ```
/// # // SAFETY: there is no accessor.
/// # let i = unsafe { spelt_access::Idx::<1>::new([7]) };
/// // In the iteration with index 7:
/// assert_eq!((i.get(), i + 1, i - 1), (7, 8, 6));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Idx<'k, const R: usize> {
    index: [usize; R],
    brand: Brand<'k>,
}

impl<const R: usize> Idx<'_, R> {
    /// The witness of `index`.
    ///
    /// # Safety
    /// The caller is the dispatcher of a launch: during the launch branded `'k`, no other iteration that may
    /// run at the same time gets the same index of the same rank, and each accessor with this brand covers it.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(index: [usize; R]) -> Self {
        Self { index, brand: PhantomData }
    }

    /// The index in every dimension, as plain numbers.
    ///
    /// # Examples
    /// ```
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::Idx::<2>::new([3, 5]) };
    /// // In the iteration with index [3, 5]:
    /// assert_eq!(i.index(), [3, 5]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> [usize; R] {
        self.index
    }
}

impl Idx<'_, 1> {
    /// The index as a plain number.
    ///
    /// # Examples
    /// ```
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::Idx::<1>::new([7]) };
    /// // In the iteration with index 7:
    /// assert_eq!(i.get(), 7);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(self) -> usize {
        self.index[0]
    }
}

/// The index of one iteration of a loop nested in a team, with the league index first.
///
/// `'k` is the team's brand and `'j` the loop's: the witness cannot escape the team or the loop. With rank 2 it is the pair
/// (league index, `j`), with rank 3 (league index, `j`, `v`).
///
/// # Examples
/// ```
/// # // SAFETY: there is no accessor.
/// # let i = unsafe { spelt_access::NestedIdx::<2>::new([3, 5]) };
/// // In the team with league index 3, in its iteration 5:
/// assert_eq!((i.get(), i.inner()), ([3, 5], 5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NestedIdx<'k, 'j, const R: usize> {
    index: [usize; R],
    brand: Brand<'k>,
    nested: Brand<'j>,
}

impl<const R: usize> NestedIdx<'_, '_, R> {
    /// The witness of `index` in a nested loop.
    ///
    /// # Safety
    /// As for [`Idx::new`], among all loops nested in the teams of the launch; a barrier separates any
    /// two loops that may give the same index to different threads.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(index: [usize; R]) -> Self {
        Self { index, brand: PhantomData, nested: PhantomData }
    }

    /// The index in every dimension, the league index first, as plain numbers.
    ///
    /// # Examples
    /// ```
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::NestedIdx::<2>::new([3, 5]) };
    /// // In the team with league index 3, in its iteration 5:
    /// assert_eq!(i.index(), [3, 5]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> [usize; R] {
        self.index
    }

    /// The index without the league index: `j` of a pair, `v` of a triple.
    ///
    /// # Examples
    /// ```
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::NestedIdx::<2>::new([3, 5]) };
    /// // In the team with league index 3, in its iteration 5:
    /// assert_eq!(i.inner(), 5);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn inner(self) -> usize {
        self.index[R - 1]
    }
}

/// The pair (league index, `j`) of a loop over all lanes of a team whose threads have vector lanes.
///
/// Only `.flat()` arguments accept it: another lane owns the [`NestedIdx`] pair with the same numbers.
///
/// # Examples
/// ```
/// # // SAFETY: there is no accessor.
/// # let i = unsafe { spelt_access::FlatIdx::new([3, 5]) };
/// // In the team with league index 3, in its iteration 5:
/// assert_eq!((i.get(), i.inner()), ([3, 5], 5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlatIdx<'k, 'j> {
    index: [usize; 2],
    brand: Brand<'k>,
    nested: Brand<'j>,
}

impl FlatIdx<'_, '_> {
    /// The witness of `index` in a flat loop.
    ///
    /// # Safety
    /// As for [`NestedIdx::new`], among the flat loops of the launch.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(index: [usize; 2]) -> Self {
        Self { index, brand: PhantomData, nested: PhantomData }
    }

    /// League index and `j`, as plain numbers.
    ///
    /// # Examples
    /// ```
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::FlatIdx::new([3, 5]) };
    /// // In the team with league index 3, in its iteration 5:
    /// assert_eq!(i.get(), [3, 5]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(self) -> [usize; 2] {
        self.index
    }

    /// `j`, as a plain number.
    ///
    /// # Examples
    /// ```
    /// # // SAFETY: there is no accessor.
    /// # let i = unsafe { spelt_access::FlatIdx::new([3, 5]) };
    /// // In the team with league index 3, in its iteration 5:
    /// assert_eq!(i.inner(), 5);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn inner(self) -> usize {
        self.index[1]
    }
}

impl fmt::Debug for FlatIdx<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index.fmt(f)
    }
}

macro_rules! get {
    ($($rank:literal)*) => {$(
        impl Idx<'_, $rank> {
            /// The index in every dimension, as plain numbers.
            ///
            /// # Examples
            /// ```
            /// # // SAFETY: there is no accessor.
            #[doc = concat!("# let i = unsafe { spelt_access::Idx::new([7; ", stringify!($rank), "]) };")]
            #[doc = concat!("assert_eq!(i.get(), [7; ", stringify!($rank), "]);")]
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn get(self) -> [usize; $rank] {
                self.index
            }
        }
        impl NestedIdx<'_, '_, $rank> {
            /// The index in every dimension, the league index first, as plain numbers.
            ///
            /// # Examples
            /// ```
            /// # // SAFETY: there is no accessor.
            #[doc = concat!("# let i = unsafe { spelt_access::NestedIdx::new([7; ", stringify!($rank), "]) };")]
            #[doc = concat!("assert_eq!(i.get(), [7; ", stringify!($rank), "]);")]
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn get(self) -> [usize; $rank] {
                self.index
            }
        }
    )*};
}
get!(2 3 4 5 6 7 8);

impl Add<usize> for Idx<'_, 1> {
    type Output = usize;
    #[inline(always)]
    fn add(self, offset: usize) -> usize {
        self.index[0] + offset
    }
}

impl Sub<usize> for Idx<'_, 1> {
    type Output = usize;
    #[inline(always)]
    fn sub(self, offset: usize) -> usize {
        self.index[0] - offset
    }
}

impl<const R: usize> fmt::Debug for Idx<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index.fmt(f)
    }
}

impl<const R: usize> fmt::Debug for NestedIdx<'_, '_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index.fmt(f)
    }
}
