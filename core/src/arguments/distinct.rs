//! `view.distinct()` as an argument.

use spelt_access::{Covers, Description, DistinctAccess, Element, KernelArg, Layout, RawView, Right};

use super::on_writable_views;
use super::view::describe;
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut};

/// A View that a kernel reads and writes at any index, where the caller guarantees that iterations use distinct
/// elements: the argument for permutations and colourings.
///
/// The kernel receives a [`DistinctAccess`], which also lends slices of a `Right` View of rank 1. Bounds are checked;
/// distinctness is not.
///
/// # Panics
/// Indexing in brackets panics if the index is out of bounds; the message names View, extents and kernel.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let to = View::from_vec("to", [3], vec![2_usize, 0, 1])?;
/// let mut y = View::<usize, 1>::zeros("y", [3])?;
/// // SAFETY: `to` is a permutation, so no two iterations write one element.
/// let scattered = unsafe { y.distinct() };
/// parallel_for("permute", space.range(0..3), (&to, scattered), |i, (to, mut y)| y[to[i]] = 10 * i.get())?;
/// assert_eq!(y.as_slice(), Some(&[10, 20, 0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// Parts of the View, one for each iteration, need no `unsafe`: [`by_blocks_mut`](View::by_blocks_mut),
/// [`by_segments_mut`](View::by_segments_mut).
///
/// The method is `unsafe`:
/// ```compile_fail
/// let mut y = spelt_core::View::<usize, 1>::zeros("y", [3])?;
/// let scattered = y.distinct();
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Distinct<'v, T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    view: ViewMut<'v, T, R, M, L>,
}

macro_rules! distinct {
    () => {
        /// This View as an argument to read and write at any index; see [`Distinct`].
        ///
        /// # Safety
        /// In the launch that takes it, no two iterations (in teams: no two threads) touch the same index, unless both
        /// only read it. A slice touches all its indices.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let mut y = View::<usize, 1>::zeros("y", [3])?;
        /// // SAFETY: `2 - i` differs for different `i`.
        /// let reversed = unsafe { y.distinct() };
        /// parallel_for("reverse", Serial::new().range(0..3), reversed, |i, mut y| y[2 - i.get()] = i.get())?;
        /// assert_eq!(y.to_vec(), [2, 1, 0]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub unsafe fn distinct(&mut self) -> Distinct<'_, T, R, M, L> {
            Distinct { view: self.view_mut() }
        }
    };
}
on_writable_views!(distinct, [const R: usize, L: Layout,] R L, MemorySpace);

// SAFETY: the accessor checks every index and the View is borrowed exclusively; the caller of `distinct`
// promised that iterations use distinct elements.
unsafe impl<T: Element, const R: usize, M: MemorySpace, L: Layout> KernelArg for Distinct<'_, T, R, M, L> {
    type Raw = RawView<T, R, L>;
    type Access<'k> = DistinctAccess<'k, T, R, L>;
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        let description = describe(self.view.view());
        visit(Description { adapter: ".distinct()", covers: Covers::Nothing, writes: true, ..description });
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        (self.view.raw_mut(), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the borrow lives; by that of `distinct`, iterations use distinct elements.
        unsafe { DistinctAccess::new(*raw) }
    }
}
