//! `a.by_rows()` and `a.by_rows_mut()` as arguments.

use spelt_access::{
    Covers, Description, Element, KernelArg, Layout, MAX_RANK, RawView, Right, RowsAccess, RowsMutAccess,
};

use super::view::describe;
use super::{on_all_views, on_writable_views};
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut, ViewRef};

/// A View of rank 2 or more that a kernel reads by rows, the elements with one first index, one for each index of a one-dimensional
/// range.
///
/// The launch checks once that the range lies within the rows. The kernel receives a [`RowsAccess`]: of a matrix in layout `Right`,
/// `a[i]` is a `&[T]`; of any other, `a.row(i)` is a slab of one rank less; neither has a check.
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
pub struct Rows<'v, T: Element, const R: usize = 2, M: MemorySpace = HostSpace, L: Layout = Right> {
    pub(super) view: ViewRef<'v, T, R, M, L>,
}

/// A View of rank 2 or more that a kernel writes by rows, the elements with one first index, one for each index of a one-dimensional
/// range.
///
/// The launch checks once that the range lies within the rows. The kernel receives a [`RowsMutAccess`]: of a matrix in layout
/// `Right`, `a[i]` is a `&mut [T]`; of any other, `a.row_mut(i)` is a slab of one rank less; neither has a check, and an iteration
/// can write no other row. In a team, rows are written through `team.single`.
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
/// Positions in layout `Left`, where the coordinates of a particle are far apart:
/// ```
/// use spelt_core::{ExecutionSpace, Left, Serial, View, parallel_for};
/// let mut f = View::from_fn_in(Left, "f", [100, 3], |[i, d]| (i + d) as f64)?;
/// parallel_for("drag", Serial::new().range(0..100), f.by_rows_mut(), |i, mut f| {
///     let [x, y, z] = f.row_mut(i).into_elements();
///     (*x, *y, *z) = (*x * 0.5, *y * 0.5, 0.0);
/// })?;
/// assert_eq!([f[[7, 0]], f[[7, 1]], f[[7, 2]]], [3.5, 4.0, 0.0]);
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
pub struct RowsMut<'v, T: Element, const R: usize = 2, M: MemorySpace = HostSpace, L: Layout = Right> {
    pub(super) view: ViewMut<'v, T, R, M, L>,
}

macro_rules! rows {
    ($life:lifetime) => {
        /// An argument that reads this View by rows; see [`Rows`].
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
        pub fn by_rows(&self) -> Rows<$life, T, R, M, L> {
            const { assert!(R > 1, "rows are parts of Views of rank 2 or more: pass the View itself") };
            Rows { view: self.view() }
        }
    };
}
on_all_views!(rows, [const R: usize, L: Layout,] R L);

macro_rules! rows_mut {
    () => {
        /// An argument that writes this View by rows; see [`RowsMut`].
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
        pub fn by_rows_mut(&mut self) -> RowsMut<'_, T, R, M, L> {
            const { assert!(R > 1, "rows are parts of Views of rank 2 or more: pass the View itself") };
            RowsMut { view: self.view_mut() }
        }
    };
}
on_writable_views!(rows_mut, [const R: usize, L: Layout,] R L, MemorySpace);

macro_rules! argument {
    ($adapter:ident, $access:ident, $raw:ident, $writes:literal, $text:literal) => {
        // SAFETY: the description covers the witnesses of rank 1 below the number of rows; the View is borrowed shared
        // for `RowsAccess`, exclusively for `RowsMutAccess`, and rows of Views that can be written do not overlap.
        unsafe impl<T: Element, const R: usize, M: MemorySpace, L: Layout> KernelArg
            for $adapter<'_, T, R, M, L>
        {
            type Raw = RawView<T, R, L>;
            type Access<'k> = $access<'k, T, R, L>;
            type Held = ();
            type Memory = (M, ());
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                let description = describe(self.view.view());
                let mut upper = [0; MAX_RANK];
                upper[0] = description.extents[0];
                visit(Description {
                    adapter: $text,
                    part: "a row of ",
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
