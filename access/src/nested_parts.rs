//! The accessors of blocks and segments in teams: one part for each team, one of its elements for each nested iteration.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use crate::access::Brand;
use crate::{CheckedIndex, Division, Layout, NestedIdx, OwnRows, RawView, failure};

/// A View with its division along the first dimension: of the whole league, then of one team.
///
/// # Examples
/// ```
/// use spelt_access::{RawBlocks, RawNestedParts, RawView, Right};
/// let mut numbers = [1, 2, 3, 4, 5];
/// let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
/// // SAFETY: blocks are not empty, and there is a block 2.
/// let (_, own) = unsafe { RawNestedParts::new(raw, RawBlocks::new(2, 5)).of(2) };
/// assert_eq!(own.rows(2), 1);
/// ```
#[derive(Debug)]
pub struct RawNestedParts<T, const R: usize, L, D> {
    raw: RawView<T, R, L>,
    division: D,
    /// The View's address, for messages.
    view: usize,
}

impl<T, const R: usize, L, D: Copy> Clone for RawNestedParts<T, R, L, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L, D: Copy> Copy for RawNestedParts<T, R, L, D> {}

impl<T, const R: usize, L: Layout, D: Division> RawNestedParts<T, R, L, D> {
    /// The parts of `raw`.
    ///
    /// # Safety
    /// The division is one of the View's first extent.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{RawBlocks, RawNestedParts, RawView, Right};
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
    /// // SAFETY: blocks are not empty, and the numbers of elements agree.
    /// let parts = unsafe { RawNestedParts::new(raw, RawBlocks::new(2, 5)) };
    /// ```
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(raw: RawView<T, R, L>, division: D) -> Self {
        Self { raw, division, view: raw.pointer() as usize }
    }

    /// The part of team `league`, and its number of rows.
    ///
    /// # Safety
    /// There is such a part, and the memory of the View and of the division lives.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{RawBlocks, RawNestedParts, RawView, Right};
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
    /// // SAFETY: blocks are not empty, and there is a block 1.
    /// let (_, own) = unsafe { RawNestedParts::new(raw, RawBlocks::new(2, 5)).of(1) };
    /// assert_eq!(own.rows(2), 2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub unsafe fn of(&self, league: usize) -> (Self, OwnRows) {
        // SAFETY: there is such a part, as `of` asks.
        let range = unsafe { self.division.range(league) };
        let own = OwnRows::of(R + 1, range.end - range.start);
        (Self { raw: self.raw.rows(range), ..*self }, own)
    }
}

/// The team's part of a View that a kernel reads: `x[rj]` is element `j` of the part, without a check.
///
/// The witness has one component more than the View: the league index, then the index in the part, whose rows count from 0. Indexing by
/// integers (rank 1) or arrays of them, counted in the same way, is checked.
///
/// # Examples
/// ```
/// # use spelt_access::{NestedIdx, NestedPartsAccess, RawBlocks, RawNestedParts, RawView, Right};
/// # let mut numbers = [1, 2, 3, 4, 5];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
/// # // SAFETY: there is one iteration, whose index is that of an element of the block, and nothing else uses the numbers.
/// # let (rj, x) = unsafe {
/// #     let (own, _) = RawNestedParts::new(raw, RawBlocks::new(2, 5)).of(1);
/// #     (NestedIdx::<2>::new([1, 0]), NestedPartsAccess::new(own))
/// # };
/// // In team 1, in its iteration 0, for the View [1, 2, 3, 4, 5] by blocks of 2:
/// assert_eq!((x[rj], x[1], x.len()), (3, 4, 2));
/// ```
pub struct NestedPartsAccess<'k, T, const R: usize, L, D> {
    own: RawNestedParts<T, R, L, D>,
    brand: Brand<'k, T>,
}

/// The team's part of a View that a kernel writes: `y[rj]` is element `j` of the part, without a check.
///
/// The witness has one component more than the View: the league index, then the index in the part, whose rows count from 0.
///
/// # Examples
/// ```
/// # use spelt_access::{NestedIdx, NestedPartsMutAccess, RawBlocks, RawNestedParts, RawView, Right};
/// # let mut numbers = [1, 2, 3, 4, 5];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
/// # // SAFETY: there is one iteration, whose index is that of an element of the block, and nothing else uses the numbers.
/// # let (rj, mut y) = unsafe {
/// #     let (own, _) = RawNestedParts::new(raw, RawBlocks::new(2, 5)).of(1);
/// #     (NestedIdx::<2>::new([1, 0]), NestedPartsMutAccess::new(own))
/// # };
/// // In team 1, in its iteration 0, for the View [1, 2, 3, 4, 5] by blocks of 2:
/// y[rj] += 10;
/// # assert_eq!(numbers, [1, 2, 13, 4, 5]);
/// ```
pub struct NestedPartsMutAccess<'k, T, const R: usize, L, D> {
    own: RawNestedParts<T, R, L, D>,
    brand: Brand<'k, T>,
}

impl<T, const R: usize, L, D: Copy> Clone for NestedPartsAccess<'_, T, R, L, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L, D: Copy> Copy for NestedPartsAccess<'_, T, R, L, D> {}

macro_rules! common {
    ($($name:ident)*) => {$(
        impl<T, const R: usize, L, D> core::fmt::Debug for $name<'_, T, R, L, D> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }

        impl<T, const R: usize, L: Layout, D> $name<'_, T, R, L, D> {
            /// The accessor of a team's own part.
            ///
            /// # Safety
            /// The part is that of the team branded `'k`, whose nested loops are below its number of rows, and below the View's extents
            /// in the other dimensions. Nothing writes the View while the launch runs; or only the accessors of this argument use it, its
            /// strides are injective, and each team runs on one thread or gives each nested index to one.
            #[doc(hidden)]
            #[inline(always)]
            pub unsafe fn new(own: RawNestedParts<T, R, L, D>) -> Self {
                Self { own, brand: PhantomData }
            }

            /// The number of indices of the team's part in dimension `dimension`: its rows in dimension 0.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{", stringify!($name), ", RawBlocks, RawNestedParts, RawView, Right};")]
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [3, 2], [2, 1]);
            /// # // SAFETY: nothing else uses the numbers.
            #[doc = concat!("# let x = unsafe { ", stringify!($name), "::new(RawNestedParts::new(raw, RawBlocks::new(2, 3)).of(1).0) };")]
            /// // In team 1, for the View [[1, 2], [3, 4], [5, 6]] by blocks of 2:
            /// assert_eq!((x.extent(0), x.extent(1)), (1, 2));
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn extent(&self, dimension: usize) -> usize {
                self.own.raw.extents()[dimension]
            }

            /// The number of indices of the team's part in each dimension, for a `thread_md_range` over all of it.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{", stringify!($name), ", RawBlocks, RawNestedParts, RawView, Right};")]
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [3, 2], [2, 1]);
            /// # // SAFETY: nothing else uses the numbers.
            #[doc = concat!("# let x = unsafe { ", stringify!($name), "::new(RawNestedParts::new(raw, RawBlocks::new(2, 3)).of(1).0) };")]
            /// // In team 1, for the View [[1, 2], [3, 4], [5, 6]] by blocks of 2:
            /// assert_eq!(x.extents(), [1, 2]);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn extents(&self) -> [usize; R] {
                self.own.raw.extents()
            }
        }

        impl<T, L: Layout, D> $name<'_, T, 1, L, D> {
            /// The number of elements of the team's part.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{", stringify!($name), ", RawBlocks, RawNestedParts, RawView, Right};")]
            /// # let mut numbers = [1, 2, 3, 4, 5];
            /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
            /// # // SAFETY: nothing else uses the numbers.
            #[doc = concat!("# let x = unsafe { ", stringify!($name), "::new(RawNestedParts::new(raw, RawBlocks::new(2, 5)).of(2).0) };")]
            /// // In team 2, for the View [1, 2, 3, 4, 5] by blocks of 2:
            /// assert_eq!(x.len(), 1);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn len(&self) -> usize {
                self.extent(0)
            }

            /// Whether the team's part has no elements.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{", stringify!($name), ", RawBlocks, RawNestedParts, RawView, Right};")]
            /// # let mut numbers = [1, 2, 3, 4, 5];
            /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
            /// # // SAFETY: nothing else uses the numbers.
            #[doc = concat!("# let x = unsafe { ", stringify!($name), "::new(RawNestedParts::new(raw, RawBlocks::new(2, 5)).of(2).0) };")]
            /// // In team 2, for the View [1, 2, 3, 4, 5] by blocks of 2:
            /// assert!(!x.is_empty());
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    )*};
}
common!(NestedPartsAccess NestedPartsMutAccess);

macro_rules! indices {
    ($($rank:literal $with_league:literal)*) => {$(
        indices!(NestedPartsAccess $rank $with_league);
        indices!(NestedPartsMutAccess $rank $with_league);

        impl<'k, T, L: Layout, D> IndexMut<NestedIdx<'k, '_, $with_league>> for NestedPartsMutAccess<'k, T, $rank, L, D> {
            #[inline(always)]
            fn index_mut(&mut self, index: NestedIdx<'k, '_, $with_league>) -> &mut T {
                let [_, own @ ..] = index.get();
                // SAFETY: the team has compared its loop with the rows of its part, and with the View's extents; one thread owns the
                // witness, and the strides are injective, so no other index has this element.
                unsafe { &mut *self.own.raw.at(own) }
            }
        }
    )*};
    ($name:ident $rank:literal $with_league:literal) => {
        impl<'k, T, L: Layout, D> Index<NestedIdx<'k, '_, $with_league>> for $name<'k, T, $rank, L, D> {
            type Output = T;
            #[inline(always)]
            fn index(&self, index: NestedIdx<'k, '_, $with_league>) -> &T {
                let [_, own @ ..] = index.get();
                // SAFETY: the team has compared its loop with the rows of its part, and with the View's extents; nothing else writes
                // the element while `self` is borrowed, because one thread owns the witness.
                unsafe { &*self.own.raw.at(own) }
            }
        }
    };
}
indices!(1 2 2 3 3 4 4 5 5 6 6 7 7 8);

impl<T, I: CheckedIndex<R>, const R: usize, L: Layout, D> Index<I> for NestedPartsAccess<'_, T, R, L, D> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        let (own, place) = (&self.own.raw, index.as_index());
        if !own.contains(place) {
            failure::beyond_slab(self.own.view, place, own.extents(), [0; R]);
        }
        // SAFETY: in bounds of the part by the test, and nothing writes the View while the launch runs.
        unsafe { &*own.at(place) }
    }
}
