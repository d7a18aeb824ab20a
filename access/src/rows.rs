//! The accessors of `a.by_rows()` and `a.by_rows_mut()`: the rows of a matrix as slices, one for each iteration.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use crate::{Idx, Right};

use crate::RawView;
use crate::access::Brand;

/// The rows of a matrix that a kernel reads: `a[i]` is the row of the witness, without a check.
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
pub struct RowsAccess<'k, T> {
    raw: RawView<T, 2, Right>,
    brand: Brand<'k, T>,
}

/// The rows of a matrix that a kernel writes: `a[i]` is the row of the witness, without a check. No other row can be
/// accessed.
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
pub struct RowsMutAccess<'k, T> {
    raw: RawView<T, 2, Right>,
    brand: Brand<'k, T>,
}

impl<T> Clone for RowsAccess<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for RowsAccess<'_, T> {}

macro_rules! common {
    ($($name:ident)*) => {$(
        impl<T> core::fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }

        impl<T> $name<'_, T> {
            /// The number of indices in dimension `dimension`: 0 counts the rows, 1 the columns.
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

impl<'k, T> RowsAccess<'k, T> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Every witness of rank 1 branded `'k` is below the number of rows, and nothing writes the View while the launch
    /// runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, 2, Right>) -> Self {
        Self { raw, brand: PhantomData }
    }

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
    pub fn get(&self, row: usize) -> Option<&[T]> {
        // SAFETY: there is such a row, and nothing writes the View.
        (row < self.raw.extents()[0]).then(|| unsafe { &*self.raw.row(row) })
    }
}

impl<'k, T> RowsMutAccess<'k, T> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Every witness of rank 1 branded `'k` is below the number of rows, no two iterations that may run at the same
    /// time hold the same witness, rows do not overlap, and only this accessor and those of other iterations
    /// access the View while the launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, 2, Right>) -> Self {
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
        // SAFETY: the launch covers the witness, only this iteration holds it, and rows do not overlap.
        unsafe { &mut *self.raw.row(row.get()) }
    }
}
