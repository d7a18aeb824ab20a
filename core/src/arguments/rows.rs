//! `a.by_rows()` and `a.by_rows_mut()` as arguments.

use spelt_access::{
    Covers, Description, Element, KernelArg, MAX_RANK, RawView, Right, RowsAccess, RowsMutAccess,
};

use super::view::describe;
use super::{on_all_views, on_writable_views};
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut, ViewRef};

/// A matrix whose rows a kernel reads as slices, one for each index of a one-dimensional range.
///
/// The launch checks once that the range lies within the rows; `a[i]` is then a `&[T]` without a check. The kernel
/// receives a [`RowsAccess`]. Rows are contiguous: the View's layout is `Right`.
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the range leaves the rows.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let a = View::from_fn("a", [2, 3], |[i, j]| 10 * i + j)?;
/// let mut sums = View::<usize, 1>::zeros("sums", [2])?;
/// parallel_for("sums", space.range(0..2), (a.by_rows(), &mut sums), |i, (a, mut sums)| {
///     sums[i] = a[i].iter().sum();
/// })?;
/// assert_eq!(sums.as_slice(), Some(&[3, 33][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Rows<'v, T: Element, M: MemorySpace = HostSpace> {
    view: ViewRef<'v, T, 2, M, Right>,
}

/// A matrix whose rows a kernel writes as slices, one for each index of a one-dimensional range.
///
/// The launch checks once that the range lies within the rows; `a[i]` is then a `&mut [T]` without a check, and the
/// only row that the iteration can write. The kernel receives a [`RowsMutAccess`]. In a team, rows are written through `team.single`.
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the range leaves the rows.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let mut a = View::from_vec("a", [2, 3], vec![3, 1, 2, 6, 4, 5])?;
/// parallel_for("sort rows", space.range(0..2), a.by_rows_mut(), |i, mut a| a[i].sort())?;
/// assert_eq!(a.as_slice(), Some(&[1, 2, 3, 4, 5, 6][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// Another row cannot be written:
/// ```compile_fail
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let mut a = View::<f64, 2>::zeros("a", [2, 3])?;
/// parallel_for("rows", Serial::new().range(0..1), a.by_rows_mut(), |i, mut a| a[i + 1][0] = 1.0)?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct RowsMut<'v, T: Element, M: MemorySpace = HostSpace> {
    view: ViewMut<'v, T, 2, M, Right>,
}

macro_rules! rows {
    ($life:lifetime) => {
        /// An argument that reads this matrix by rows; see [`Rows`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let (a, mut sums) = (View::from_fn("a", [2, 3], |[i, j]| 10 * i + j)?, View::<usize, 1>::zeros("sums", [2])?);
        /// let space = Serial::new();
        /// parallel_for("sums", space.range(0..2), (a.by_rows(), &mut sums), |i, (a, mut sums)| sums[i] = a[i].iter().sum())?;
        /// assert_eq!(sums.to_vec(), [3, 33]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn by_rows(&self) -> Rows<$life, T, M> {
            Rows { view: self.view() }
        }
    };
}
on_all_views!(rows, [] 2 Right);

macro_rules! rows_mut {
    () => {
        /// An argument that writes this matrix by rows; see [`RowsMut`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let mut a = View::<usize, 2>::zeros("a", [2, 2])?;
        /// parallel_for("fill", Serial::new().range(0..2), a.by_rows_mut(), |i, mut a| a[i].fill(i.get()))?;
        /// assert_eq!(a.to_vec(), [0, 0, 1, 1]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn by_rows_mut(&mut self) -> RowsMut<'_, T, M> {
            RowsMut { view: self.view_mut() }
        }
    };
}
on_writable_views!(rows_mut, [] 2 Right, MemorySpace);

macro_rules! argument {
    ($adapter:ident, $access:ident, $raw:ident, $writes:literal, $text:literal) => {
        // SAFETY: the description covers the witnesses of rank 1 below the number of rows; the View is borrowed shared
        // for `RowsAccess`, exclusively for `RowsMutAccess`, and rows of Views that can be written do not overlap.
        unsafe impl<T: Element, M: MemorySpace> KernelArg for $adapter<'_, T, M> {
            type Raw = RawView<T, 2, Right>;
            type Access<'k> = $access<'k, T>;
            type Held = ();
            type Memory = (M, ());
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                let description = describe(self.view.view());
                let mut upper = [0; MAX_RANK];
                upper[0] = description.extents[0];
                visit(Description {
                    adapter: $text,
                    covers: Covers::Rank(1),
                    upper,
                    writes: $writes,
                    ..description
                });
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                (self.view.$raw(), ())
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, and the borrow lives.
                unsafe { $access::new(*raw) }
            }
        }
    };
}
argument!(Rows, RowsAccess, raw, false, ".by_rows()");
argument!(RowsMut, RowsMutAccess, raw_mut, true, ".by_rows_mut()");
