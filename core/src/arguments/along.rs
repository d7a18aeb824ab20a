//! `view.along::<D>()` as an argument.

use spelt_access::{AlongAccess, Covers, Description, Element, KernelArg, Layout, RawView, Right};

use super::on_all_views;
use super::text::Text;
use super::view::describe;
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut, ViewRef};

/// A View of rank 1 that a kernel reads by component `D` of its index: the argument for vectors beside matrices.
///
/// The launch checks once that this component lies within the extent; `x[i]` then reads without a check. It takes
/// witnesses of any rank above `D`; others do not compile. The kernel receives an [`AlongAccess`].
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if component `D` of the indices leaves the
/// extent.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_map_reduce, reducers::Sum};
/// let space = Serial::new();
/// let a = View::from_fn("a", [2, 3], |[i, j]| (3 * i + j) as f64)?;
/// let (y, x) = (View::from_fn("y", [2], |_| 1.0)?, View::from_fn("x", [3], |[j]| j as f64)?);
/// let product = parallel_map_reduce("yAx", space.md_range([0..2, 0..3]),
///     (y.along::<0>(), &a, x.along::<1>()), |i, (y, a, x)| y[i] * a[i] * x[i], Sum::<f64>::new())?;
/// assert_eq!(product, 19.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// A component that the index does not have is a compile error:
/// ```compile_fail
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let (x, mut y) = (View::<f64, 1>::zeros("x", [3])?, View::<f64, 1>::zeros("y", [3])?);
/// parallel_for("no", Serial::new().range(0..3), (x.along::<1>(), &mut y), |i, (x, mut y)| y[i] = x[i])?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Along<'v, T: Element, const D: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    pub(super) view: ViewRef<'v, T, 1, M, L>,
}

macro_rules! along {
    ($life:lifetime) => {
        /// An argument that reads this View by component `D` of the index; see [`Along`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let row = View::from_vec("row", [2], vec![10, 20])?;
        /// let mut a = View::<i32, 2>::zeros("a", [2, 2])?;
        /// let space = Serial::new();
        /// parallel_for("rows", space.md_range([0..2, 0..2]), (row.along::<1>(), &mut a), |i, (row, mut a)| a[i] = row[i])?;
        /// assert_eq!(a.to_vec(), [10, 20, 10, 20]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn along<const D: usize>(&self) -> Along<$life, T, D, M, L> {
            Along { view: self.view() }
        }
    };
}
on_all_views!(along, [L: Layout,] 1 L);

impl<T: Element, const D: usize, M: MemorySpace, L: Layout> Along<'_, T, D, M, L> {
    const TEXT: &'static str = const { &Text::turbofish("along", D) }.as_str();
}

// SAFETY: the description covers component `D` of all witnesses that have one; the View is borrowed shared.
unsafe impl<T: Element, const D: usize, M: MemorySpace, L: Layout> KernelArg for Along<'_, T, D, M, L> {
    type Raw = RawView<T, 1, L>;
    type Access<'k> = AlongAccess<'k, T, D, L>;
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        let description = describe(self.view.view());
        visit(Description { adapter: Self::TEXT, covers: Covers::Along(D), ..description });
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        (self.view.raw(), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, and the borrow lives.
        unsafe { AlongAccess::new(*raw) }
    }
}
