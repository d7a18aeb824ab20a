//! The accessors of `x.by_rows()` and `x.by_rows_mut()` of a distributed View.

use core::fmt;
use core::ops::{Index, IndexMut};

use spelt_core::{Idx, OriginWitness, Right, RowsAccess, RowsMutAccess, Slab, SlabRef};

/// Reads the row of the witness of a distributed View, in a kernel: `a[i]` is a slice (rank 2), `a.row(i)` a slab.
///
/// The indices within a row are those of a View that is not distributed.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{Communicator, Mpi};
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let a = space.view_from_fn("a", [4, 3], |[i, j]| (i * j) as f64)?;
/// let mut sums = space.zeros_on::<f64, 1>(a.partition(), "sums", [4])?;
/// parallel_for("sums", space.range(0..4), (a.by_rows(), &mut sums), |i, (a, mut sums)| sums[i] = a[i].iter().sum())?;
/// assert_eq!(sums.own().as_view().to_vec(), [0.0, 3.0, 6.0, 9.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct DistributedRowsAccess<'k, T, const R: usize> {
    rows: RowsAccess<'k, T, R, Right>,
    /// The number of this rank's first row.
    first: isize,
}

/// Writes the row of the witness of a distributed View, in a kernel: `a[i]` is a slice (rank 2), `a.row_mut(i)` a slab.
///
/// The indices within a row are those of a View that is not distributed.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{Communicator, Mpi};
/// let ranks = Communicator::alone();
/// let space = Mpi::new(&ranks, Serial::new());
/// let mut a = space.zeros::<usize, 2>("a", [2, 3])?;
/// parallel_for("fill", space.range(0..2), a.by_rows_mut(), |i, mut a| a[i].fill(i.get()))?;
/// assert_eq!(a.own().as_view().to_vec(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
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
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{Serial, parallel_reduce, reducers::Sum};
            /// use spelt_mpi::{Communicator, Mpi};
            /// let ranks = Communicator::alone();
            /// let space = Mpi::new(&ranks, Serial::new());
            /// let a = space.view_from_fn("a", [4, 3], |[i, j]| i * j)?;
            /// let sum = parallel_reduce("sum", space.range(0..4), a.by_rows(), |i, sum, a| *sum += a.row(i)[2], Sum::<usize>::new())?;
            /// assert_eq!(sum, 12);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn row(&self, row: Idx<'k, 1>) -> SlabRef<'_, T, $less, Right> {
                self.rows.row(self.local(row))
            }
        }
        impl<'k, T> DistributedRowsMutAccess<'k, T, $rank> {
            /// The row of the witness, to read.
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{Serial, parallel_for};
            /// use spelt_mpi::{Communicator, Mpi};
            /// let ranks = Communicator::alone();
            /// let space = Mpi::new(&ranks, Serial::new());
            /// let mut a = space.view_from_fn("a", [2, 2], |[i, _]| i)?;
            /// parallel_for("copy", space.range(0..2), a.by_rows_mut(), |i, mut a| {
            ///     let first = a.row(i)[0];
            ///     a.row_mut(i)[1] = 10 * first;
            /// })?;
            /// assert_eq!(a.own().as_view().to_vec(), [0, 0, 1, 10]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn row(&self, row: Idx<'k, 1>) -> SlabRef<'_, T, $less, Right> {
                self.rows.row(self.local(row))
            }
            /// The row of the witness, to write.
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{Serial, parallel_for};
            /// use spelt_mpi::{Communicator, Mpi};
            /// let ranks = Communicator::alone();
            /// let space = Mpi::new(&ranks, Serial::new());
            /// let mut a = space.zeros::<usize, 2>("a", [2, 2])?;
            /// parallel_for("fill", space.range(0..2), a.by_rows_mut(), |i, mut a| a.row_mut(i)[1] = i.get())?;
            /// assert_eq!(a.own().as_view().to_vec(), [0, 0, 0, 1]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
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
