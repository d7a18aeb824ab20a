//! The accessors of `x.by_rows()` and `x.by_rows_mut()` of a distributed View.

use core::fmt;
use core::ops::{Index, IndexMut};

use spelt_core::{Idx, OriginWitness, Right, RowsAccess, RowsMutAccess, Slab, SlabRef};

/// Reads the row of the witness of a distributed View, in a kernel: `a[i]` is a slice (rank 2), `a.row(i)` a slab.
///
/// The indices within a row are those of a View that is not distributed.
pub struct DistributedRowsAccess<'k, T, const R: usize> {
    rows: RowsAccess<'k, T, R, Right>,
    /// The number of this rank's first row.
    first: isize,
}

/// Writes the row of the witness of a distributed View, in a kernel: `a[i]` is a slice (rank 2), `a.row_mut(i)` a slab.
///
/// The indices within a row are those of a View that is not distributed.
pub struct DistributedRowsMutAccess<'k, T, const R: usize> {
    rows: RowsMutAccess<'k, T, R, Right>,
    /// The number of this rank's first row.
    first: isize,
}

macro_rules! accessors {
    ($($name:ident, $rows:ident;)*) => {$(
        impl<T, const R: usize> fmt::Debug for $name<'_, T, R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        impl<'k, T, const R: usize> $name<'k, T, R> {
            /// # Safety
            /// `rows` is an accessor of a launch, and its witnesses minus `first` are covered by `rows`.
            #[inline(always)]
            pub(crate) unsafe fn new(rows: $rows<'k, T, R, Right>, first: isize) -> Self {
                Self { rows, first }
            }

            #[inline(always)]
            fn local(&self, row: Idx<'k, 1>) -> Idx<'k, 1> {
                // SAFETY: the rows cover the witnesses minus the first row, by the contract of `new`, and get no others.
                unsafe { row.minus([self.first]) }
            }
        }

        impl<'k, T> Index<Idx<'k, 1>> for $name<'k, T, 2> {
            type Output = [T];
            #[inline(always)]
            fn index(&self, row: Idx<'k, 1>) -> &[T] {
                &self.rows[self.local(row)]
            }
        }
    )*};
}
accessors! {
    DistributedRowsAccess, RowsAccess;
    DistributedRowsMutAccess, RowsMutAccess;
}

impl<'k, T> IndexMut<Idx<'k, 1>> for DistributedRowsMutAccess<'k, T, 2> {
    #[inline(always)]
    fn index_mut(&mut self, row: Idx<'k, 1>) -> &mut [T] {
        let row = self.local(row);
        &mut self.rows[row]
    }
}

macro_rules! ranks {
    ($($rank:literal $less:literal)*) => {$(
        impl<'k, T> DistributedRowsAccess<'k, T, $rank> {
            /// The row of the witness.
            #[inline(always)]
            #[must_use]
            pub fn row(&self, row: Idx<'k, 1>) -> SlabRef<'_, T, $less, Right> {
                self.rows.row(self.local(row))
            }
        }
        impl<'k, T> DistributedRowsMutAccess<'k, T, $rank> {
            /// The row of the witness, to read.
            #[inline(always)]
            #[must_use]
            pub fn row(&self, row: Idx<'k, 1>) -> SlabRef<'_, T, $less, Right> {
                self.rows.row(self.local(row))
            }
            /// The row of the witness, to write.
            #[inline(always)]
            #[must_use]
            pub fn row_mut(&mut self, row: Idx<'k, 1>) -> Slab<'_, T, $less, Right> {
                let row = self.local(row);
                self.rows.row_mut(row)
            }
        }
    )*};
}
ranks! { 2 1 3 2 4 3 5 4 6 5 7 6 8 7 }
