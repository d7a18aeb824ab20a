//! `view.lookup()` as an argument.

use spelt_access::{Covers, Description, Element, KernelArg, Layout, LookupAccess, RawView, Right};

use super::on_all_views;
use super::view::describe;
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut, ViewRef};

/// A View that a kernel reads at any index, with a bounds check, for any range: the argument for tables.
///
/// It is indexed by numbers, not by witnesses: `t[j]`, `t[[j, k]]`, `t.get(j)`. The kernel receives a [`LookupAccess`],
/// which also lends slices: all of a `Right` View of rank 1, the rows of one of rank 2.
///
/// # Panics
/// Indexing in brackets panics if the index is out of bounds; the message names View, extents and kernel.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let price = View::from_vec("price", [3], vec![1.5, 2.0, 4.0])?;
/// let kind = View::from_vec("kind", [4], vec![2_usize, 0, 0, 1])?;
/// let mut cost = View::<f64, 1>::zeros("cost", [4])?;
/// parallel_for("cost", space.range(0..4), (price.lookup(), &kind, &mut cost), |i, (price, kind, mut cost)| {
///     cost[i] = price[kind[i]];
/// })?;
/// assert_eq!(cost.as_slice(), Some(&[4.0, 1.5, 1.5, 2.0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Lookup<'v, T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    view: ViewRef<'v, T, R, M, L>,
}

impl<'v, T: Element, const R: usize, M: MemorySpace, L: Layout> Lookup<'v, T, R, M, L> {
    /// The accessor outside a launch.
    ///
    /// # Safety
    /// The calling thread reaches the memory `M`.
    #[inline(always)]
    pub(crate) unsafe fn access(self) -> LookupAccess<'v, T, R, L> {
        // SAFETY: the View is borrowed shared for `'v`, so nothing writes it.
        unsafe { LookupAccess::new(self.view.raw()) }
    }
}

macro_rules! lookup {
    ($life:lifetime) => {
        /// An argument that reads this View at any index, checked; see [`Lookup`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let (x, mut y) = (View::from_fn("x", [3], |[i]| i)?, View::<usize, 1>::zeros("y", [3])?);
        /// parallel_for("reverse", Serial::new().range(0..3), (x.lookup(), &mut y), |i, (x, mut y)| y[i] = x[2 - i.get()])?;
        /// assert_eq!(y.to_vec(), [2, 1, 0]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn lookup(&self) -> Lookup<$life, T, R, M, L> {
            Lookup { view: self.view() }
        }
    };
}
on_all_views!(lookup, [const R: usize, L: Layout,] R L);

// SAFETY: the accessor checks every index; the View is borrowed shared.
unsafe impl<T: Element, const R: usize, M: MemorySpace, L: Layout> KernelArg for Lookup<'_, T, R, M, L> {
    type Raw = RawView<T, R, L>;
    type Access<'k> = LookupAccess<'k, T, R, L>;
    type Held = ();
    type Memory = (M, ());
    const MAY_FAIL: bool = true;
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        let description = describe(self.view.view());
        visit(Description { adapter: ".lookup()", covers: Covers::Nothing, ..description });
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        (self.view.raw(), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the borrow lives.
        unsafe { LookupAccess::new(*raw) }
    }
}
