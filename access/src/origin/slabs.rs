//! Parts of Views with an origin: slabs and rows, whose other dimensions keep their origins.

use super::{OriginAccess, OriginWitness, beyond, from_zero};
use crate::{AsIndex, Idx, Layout, Reader, RowsAccess, RowsMutAccess, Slab, SlabRef, Stride, subviews};

impl<'v, T, const R: usize, L: Layout> OriginAccess<SlabRef<'v, T, R, L>, R> {
    /// The slab with indices that begin at zero, for [`iter`](Slab::iter) and [`as_slice`](Slab::as_slice).
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OriginAccess, RawView, Ref, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { OriginAccess::new(Ref::new(raw), [-1, -1]) };
    /// // For the View [[1, 2, 3], [4, 5, 6]] from the origin [-1, -1]:
    /// assert_eq!(x.slab(0).as_slab().iter().sum::<i32>(), 15);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_slab(&self) -> &Slab<'v, T, R, L> {
        &self.access
    }
}

impl<'v, T, const R: usize, L: Layout> OriginAccess<Slab<'v, T, R, L>, R> {
    /// The slab with indices that begin at zero, for [`iter`](Slab::iter) and [`as_slice`](Slab::as_slice).
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OriginAccess, RawView, Right, RowsMutAccess, SignedIdx};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (SignedIdx::<1>::new([0]), OriginAccess::new(RowsMutAccess::new(raw), [-1, -1])) };
    /// // In the iteration with index 0, for the View [[1, 2, 3], [4, 5, 6]] from the origin [-1, -1]:
    /// assert_eq!(a.row_mut(i).as_slab().iter().sum::<i32>(), 15);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_slab(&self) -> &Slab<'v, T, R, L> {
        &self.access
    }

    /// The slab with indices that begin at zero, mutable, for [`iter_mut`](Slab::iter_mut) and [`as_mut_slice`](Slab::as_mut_slice).
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OriginAccess, RawView, Right, RowsMutAccess, SignedIdx};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (SignedIdx::<1>::new([0]), OriginAccess::new(RowsMutAccess::new(raw), [-1, -1])) };
    /// // In the iteration with index 0, for the View [[1, 2, 3], [4, 5, 6]] from the origin [-1, -1]:
    /// for element in a.row_mut(i).as_slab_mut().iter_mut() {
    ///     *element = 0;
    /// }
    /// assert_eq!(numbers, [1, 2, 3, 0, 0, 0]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_slab_mut(&mut self) -> &mut Slab<'v, T, R, L> {
        &mut self.access
    }
}

/// The origin without that of dimension `axis`.
#[inline(always)]
fn rest<const R: usize, const LESS: usize>(origin: [isize; R], axis: usize) -> [isize; LESS] {
    core::array::from_fn(|dimension| origin[if dimension < axis { dimension } else { dimension + 1 }])
}

/// `index` in dimension `axis`, counted from zero and checked.
#[inline(always)]
#[track_caller]
fn place<A: Reader<R>, const R: usize>(x: &OriginAccess<A, R>, axis: usize, [index]: [isize; 1]) -> usize {
    let [place] = from_zero([index], [x.origin[axis]]);
    if place >= x.access.raw().extents()[axis] {
        let mut all = x.origin;
        all[axis] = index;
        beyond(&x.access, all, x.origin);
    }
    place
}

macro_rules! parts {
    ($($rank:literal $less:literal)*) => {$(
        impl<A: Reader<$rank>> OriginAccess<A, $rank> {
            /// The elements with this first index: a slab of one rank less, whose dimensions keep their origins.
            ///
            /// It is checked once that there is such an index.
            ///
            /// # Panics
            /// If there is no such index.
            ///
            /// # Complexity
            /// O(1); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{OriginAccess, RawView, Ref, Right};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// # // SAFETY: nothing else uses the numbers.
            /// # let x = unsafe { OriginAccess::new(Ref::new(raw), [-1, -2]) };
            /// // For the View [[1, 2, 3], [4, 5, 6]] from the origin [-1, -2]:
            /// let row = x.slab(0);
            /// assert_eq!((row.range(0), row[-2], row[0]), (-2..1, 4, 6));
            /// ```
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn slab(
                &self,
                index: impl AsIndex<1>,
            ) -> OriginAccess<SlabRef<'_, A::Element, $less, <A::Layout as Layout>::Rest>, $less> {
                let raw = self.access.raw().at_first(place(self, 0, index.as_signed()));
                // SAFETY: there is such an index, and nothing writes the elements while the accessor is borrowed; slabs take no witness.
                unsafe { OriginAccess::new(SlabRef::new(raw, self.access.address()), rest(self.origin, 0)) }
            }

            /// The elements whose index in dimension `AXIS` is `index`: a slab of one rank less, whose dimensions keep their origins.
            ///
            /// It is checked once that there is such an index. For dimension 0, [`slab`](Self::slab) knows more of the layout. A dimension
            /// that the View does not have is a compile error.
            ///
            /// # Panics
            /// If there is no such index.
            ///
            /// # Complexity
            /// O(1); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{OriginAccess, RawView, Ref, Right};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// # // SAFETY: nothing else uses the numbers.
            /// # let x = unsafe { OriginAccess::new(Ref::new(raw), [-1, -2]) };
            /// // For the View [[1, 2, 3], [4, 5, 6]] from the origin [-1, -2], its last column:
            /// let column = x.slab_at::<1>(0);
            /// assert_eq!((column.range(0), column[-1], column[0]), (-1..1, 3, 6));
            /// ```
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn slab_at<const AXIS: usize>(
                &self,
                index: impl AsIndex<1>,
            ) -> OriginAccess<SlabRef<'_, A::Element, $less, Stride>, $less> {
                const { assert!(AXIS < $rank, "`slab_at::<AXIS>` takes a dimension of the View: one below its rank") };
                let raw = subviews::at(self.access.raw(), AXIS, place(self, AXIS, index.as_signed()));
                // SAFETY: there is such an index, and nothing writes the elements while the accessor is borrowed; slabs take no witness.
                unsafe { OriginAccess::new(SlabRef::new(raw, self.access.address()), rest(self.origin, AXIS)) }
            }
        }

        impl<'k, T, L: Layout> OriginAccess<RowsAccess<'k, T, $rank, L>, $rank> {
            /// The iteration's row: the elements with its index as the first, whose other dimensions keep their origins.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{OriginAccess, RawView, Right, RowsAccess, SignedIdx};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, a) = unsafe { (SignedIdx::<1>::new([0]), OriginAccess::new(RowsAccess::new(raw), [-1, -2])) };
            /// // In the iteration with index 0, for the View [[1, 2, 3], [4, 5, 6]] from the origin [-1, -2]:
            /// assert_eq!((a.row(i)[-2], a.row(i)[0]), (4, 6));
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn row(
                &self,
                row: impl OriginWitness<'k, 1, FromZero = Idx<'k, 1>>,
            ) -> OriginAccess<SlabRef<'_, T, $less, L::Rest>, $less> {
                // SAFETY: by the contract of `new`, the launch covers the witnesses minus the origin of the rows; slabs take no witness.
                unsafe { OriginAccess::new(self.access.row(row.minus([self.origin[0]])), rest(self.origin, 0)) }
            }
        }

        impl<'k, T, L: Layout> OriginAccess<RowsMutAccess<'k, T, $rank, L>, $rank> {
            /// The iteration's row: the elements with its index as the first, whose other dimensions keep their origins.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{OriginAccess, RawView, Right, RowsMutAccess, SignedIdx};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, a) = unsafe { (SignedIdx::<1>::new([0]), OriginAccess::new(RowsMutAccess::new(raw), [-1, -2])) };
            /// // In the iteration with index 0, for the View [[1, 2, 3], [4, 5, 6]] from the origin [-1, -2]:
            /// assert_eq!((a.row(i)[-2], a.row(i)[0]), (4, 6));
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn row(
                &self,
                row: impl OriginWitness<'k, 1, FromZero = Idx<'k, 1>>,
            ) -> OriginAccess<SlabRef<'_, T, $less, L::Rest>, $less> {
                // SAFETY: by the contract of `new`, the launch covers the witnesses minus the origin of the rows; slabs take no witness.
                unsafe { OriginAccess::new(self.access.row(row.minus([self.origin[0]])), rest(self.origin, 0)) }
            }

            /// The iteration's row, mutable: the elements with its index as the first, whose other dimensions keep their origins.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{OriginAccess, RawView, Right, RowsMutAccess, SignedIdx};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, mut a) = unsafe { (SignedIdx::<1>::new([0]), OriginAccess::new(RowsMutAccess::new(raw), [-1, -2])) };
            /// // In the iteration with index 0, for the View [[1, 2, 3], [4, 5, 6]] from the origin [-1, -2]:
            /// let mut row = a.row_mut(i);
            /// row[-2] = row[-1] + row[0];
            /// assert_eq!(numbers, [1, 2, 3, 11, 5, 6]);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn row_mut(
                &mut self,
                row: impl OriginWitness<'k, 1, FromZero = Idx<'k, 1>>,
            ) -> OriginAccess<Slab<'_, T, $less, L::Rest>, $less> {
                // SAFETY: by the contract of `new`, the launch covers the witnesses minus the origin of the rows, different ones stay
                // different, and `self`, borrowed exclusively, lends one slab at a time; slabs take no witness.
                unsafe { OriginAccess::new(self.access.row_mut(row.minus([self.origin[0]])), rest(self.origin, 0)) }
            }
        }
    )*};
}
parts!(2 1 3 2 4 3 5 4 6 5 7 6 8 7);
