//! The accessors of `a.by_rows()` and `a.by_rows_mut()`: the elements with one first index, one row for each iteration.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use crate::access::Brand;
use crate::{AsIndex, Idx, Layout, RawView, Right, Slab, SlabRef};

/// The rows of a View that a kernel reads, without a check: of a matrix in layout [`Right`] the row of the witness, `a[i]`, is a
/// slice. Of any View of rank 2 or more, `a.row(i)` is a slab.
///
/// # Examples
/// ```
/// # use spelt_access::{Idx, RawView, Right, RowsAccess};
/// # let mut numbers = [1, 2, 3, 4, 5, 6];
/// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, a) = unsafe { (Idx::<1>::new([1]), RowsAccess::new(raw)) };
/// // In the iteration with index 1, for the View [[1, 2, 3], [4, 5, 6]]:
/// assert_eq!(a[i], [4, 5, 6]);
/// ```
pub struct RowsAccess<'k, T, const R: usize = 2, L = Right> {
    raw: RawView<T, R, L>,
    brand: Brand<'k, T>,
}

/// The rows of a View that a kernel writes, without a check: of a matrix in layout [`Right`] the row of the witness, `a[i]`, is a
/// slice. Of any View of rank 2 or more, `a.row_mut(i)` is a slab. No other row can be accessed.
///
/// # Examples
/// ```
/// # use spelt_access::{Idx, RawView, Right, RowsMutAccess};
/// # let mut numbers = [1, 2, 3, 4, 5, 6];
/// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
/// // In the iteration with index 1, for the View [[1, 2, 3], [4, 5, 6]]:
/// a[i].reverse();
/// assert_eq!(a[i], [6, 5, 4]);
/// ```
pub struct RowsMutAccess<'k, T, const R: usize = 2, L = Right> {
    raw: RawView<T, R, L>,
    brand: Brand<'k, T>,
}

impl<T, const R: usize, L> Clone for RowsAccess<'_, T, R, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L> Copy for RowsAccess<'_, T, R, L> {}

macro_rules! common {
    ($($name:ident)*) => {$(
        impl<T, const R: usize, L> core::fmt::Debug for $name<'_, T, R, L> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }

        impl<T, const R: usize, L: Layout> $name<'_, T, R, L> {
            /// The number of indices in dimension `dimension`: 0 counts the rows.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{RawView, Right, ", stringify!($name), "};")]
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// # // SAFETY: nothing else uses the numbers.
            #[doc = concat!("# let a = unsafe { ", stringify!($name), "::new(raw) };")]
            /// // For the View [[1, 2, 3], [4, 5, 6]]:
            /// assert_eq!((a.extent(0), a.extent(1)), (2, 3));
            /// ```
            #[inline(always)]
            pub fn extent(&self, dimension: usize) -> usize {
                self.raw.extents()[dimension]
            }
        }
    )*};
}
common!(RowsAccess RowsMutAccess);

impl<T, const R: usize, L: Layout> RowsAccess<'_, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Every witness of rank 1 branded `'k` is below the number of rows, and nothing writes the View while the launch
    /// runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }
}

impl<T> RowsAccess<'_, T> {
    /// Row `row`, or `None` if there is no such row.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right, RowsAccess};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let a = unsafe { RowsAccess::new(raw) };
    /// // For the View [[1, 2, 3], [4, 5, 6]]:
    /// assert_eq!((a.get(1), a.get(2)), (Some(&[4, 5, 6][..]), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, row: impl AsIndex<1>) -> Option<&[T]> {
        let [row] = row.as_index();
        // SAFETY: there is such a row, and nothing writes the View.
        (row < self.raw.extents()[0]).then(|| unsafe { &*self.raw.row(row) })
    }
}

impl<T, const R: usize, L: Layout> RowsMutAccess<'_, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Every witness of rank 1 branded `'k` is below the number of rows, no two iterations that may run at the same
    /// time hold the same witness, the strides are injective, and only this accessor and those of other iterations
    /// access the View while the launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }
}

impl<'k, T> Index<Idx<'k, 1>> for RowsAccess<'k, T> {
    type Output = [T];
    #[inline(always)]
    fn index(&self, row: Idx<'k, 1>) -> &[T] {
        // SAFETY: the launch covers the witness, and nothing writes the View.
        unsafe { &*self.raw.row(row.get()) }
    }
}

impl<'k, T> Index<Idx<'k, 1>> for RowsMutAccess<'k, T> {
    type Output = [T];
    #[inline(always)]
    fn index(&self, row: Idx<'k, 1>) -> &[T] {
        // SAFETY: the launch covers the witness, and only this iteration holds it.
        unsafe { &*self.raw.row(row.get()) }
    }
}

impl<'k, T> IndexMut<Idx<'k, 1>> for RowsMutAccess<'k, T> {
    #[inline(always)]
    fn index_mut(&mut self, row: Idx<'k, 1>) -> &mut [T] {
        // SAFETY: the launch covers the witness, only this iteration holds it, and rows of injective strides do not overlap.
        unsafe { &mut *self.raw.row(row.get()) }
    }
}

macro_rules! slabs {
    ($($rank:literal $less:literal)*) => {$(
        impl<'k, T, L: Layout> RowsAccess<'k, T, $rank, L> {
            /// The row of the witness.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{Idx, Left, RawView, RowsAccess};
            /// # let mut numbers = [1, 4, 2, 5, 3, 6];
            /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, a) = unsafe { (Idx::<1>::new([1]), RowsAccess::new(raw)) };
            /// // In the iteration with index 1, for the View [[1, 2, 3], [4, 5, 6]] in layout Left:
            /// assert_eq!(a.row(i)[2], 6);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn row(&self, row: Idx<'k, 1>) -> SlabRef<'_, T, $less, L::Rest> {
                // SAFETY: the launch covers the witness, and nothing writes the View.
                unsafe { SlabRef::new(self.raw.at_first(row.get()), self.raw.pointer() as usize) }
            }
        }

        impl<'k, T, L: Layout> RowsMutAccess<'k, T, $rank, L> {
            /// The row of the witness, to read.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
            /// # let mut numbers = [1, 4, 2, 5, 3, 6];
            /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
            /// // In the iteration with index 1, for the View [[1, 2, 3], [4, 5, 6]] in layout Left:
            /// assert_eq!(a.row(i)[2], 6);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn row(&self, row: Idx<'k, 1>) -> SlabRef<'_, T, $less, L::Rest> {
                // SAFETY: the launch covers the witness; only this iteration holds it, and writes by an exclusive borrow of the
                // accessor.
                unsafe { SlabRef::new(self.raw.at_first(row.get()), self.raw.pointer() as usize) }
            }

            /// The row of the witness.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
            /// # let mut numbers = [1, 4, 2, 5, 3, 6];
            /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
            /// // In the iteration with index 1, for the View [[1, 2, 3], [4, 5, 6]] in layout Left:
            /// a.row_mut(i)[2] = 7;
            /// assert_eq!(numbers, [1, 4, 2, 5, 3, 7]);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn row_mut(&mut self, row: Idx<'k, 1>) -> Slab<'_, T, $less, L::Rest> {
                // SAFETY: the launch covers the witness; only this iteration holds it, of which `self`, borrowed exclusively, lends
                // one slab at a time; rows of injective strides do not overlap.
                unsafe { Slab::new(self.raw.at_first(row.get()), self.raw.pointer() as usize) }
            }
        }
    )*};
}
slabs!(2 1 3 2 4 3 5 4 6 5 7 6 8 7);
