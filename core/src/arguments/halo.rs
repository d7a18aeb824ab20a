//! `view.halo::<H>()` as an argument.

use spelt_access::{Covers, Description, Element, HaloAccess, KernelArg, Layout, RawView, Right};

use super::on_all_views;
use super::text::Turbofish;
use super::view::describe;
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut, ViewRef};

/// A View that a kernel reads at its index and at offsets up to `H` in each dimension: the argument for stencils.
///
/// The launch checks once that the range, grown by `H` on every side, lies within the extents; the kernel then reads
/// `x[i]` and `x.at(i, [-1, 0])` without a bounds check. It receives a [`HaloAccess`].
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the range comes closer than `H` to an
/// end of a dimension. If a dimension has fewer than `2 H + 1` indices, every range does.
///
/// # Panics
/// `x.at(i, offset)` panics if the offset exceeds `H`. A constant offset costs no test.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let x = View::from_fn("x", [5], |[i]| (i * i) as f64)?;
/// let mut y = View::<f64, 1>::zeros("y", [5])?;
/// parallel_for("second difference", space.range(1..4), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
///     y[i] = x.at(i, [-1]) - 2.0 * x[i] + x.at(i, [1]);
/// })?;
/// assert_eq!(y.as_slice(), Some(&[0.0, 2.0, 2.0, 2.0, 0.0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// The View itself cannot be written in that launch:
/// ```compile_fail
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let mut x = View::<f64, 1>::zeros("x", [5])?;
/// parallel_for("no", Serial::new().range(1..4), (x.halo::<1>(), &mut x), |i, (x, mut y)| y[i] = x.at(i, [-1]))?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Halo<'v, T: Element, const R: usize, const H: usize, M: MemorySpace = HostSpace, L: Layout = Right>
{
    view: ViewRef<'v, T, R, M, L>,
}

macro_rules! halo {
    ($life:lifetime) => {
        /// An argument that reads this View at an index and at offsets up to `H`; see [`Halo`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let x = View::from_vec("x", [4], vec![1, 4, 9, 16])?;
        /// let mut y = View::<i32, 1>::zeros("y", [4])?;
        /// parallel_for("differences", Serial::new().range(1..3), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
        ///     y[i] = x[i] - x.at(i, [-1]);
        /// })?;
        /// assert_eq!(y.to_vec(), [0, 3, 5, 0]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn halo<const H: usize>(&self) -> Halo<$life, T, R, H, M, L> {
            Halo { view: self.view() }
        }
    };
}
on_all_views!(halo, [const R: usize, L: Layout,] R L);

impl<T: Element, const R: usize, const H: usize, M: MemorySpace, L: Layout> Halo<'_, T, R, H, M, L> {
    const TEXT: &'static str = const { &Turbofish::new("halo", H) }.as_str();
}

// SAFETY: the description covers the indices that have `H` places on every side; the View is borrowed shared.
unsafe impl<T: Element, const R: usize, const H: usize, M: MemorySpace, L: Layout> KernelArg
    for Halo<'_, T, R, H, M, L>
{
    type Raw = RawView<T, R, L>;
    type Access<'k> = HaloAccess<'k, T, R, H, L>;
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        let mut description = describe(self.view.view());
        description.adapter = Self::TEXT;
        description.covers = Covers::Rank(R);
        for dimension in 0..R {
            // If `upper` does not exceed `lower`, only empty boxes are covered.
            description.lower[dimension] = H;
            description.upper[dimension] = description.extents[dimension].saturating_sub(H);
        }
        visit(description);
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        (self.view.raw(), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, and the borrow lives.
        unsafe { HaloAccess::new(*raw) }
    }
}
