//! `view.halo::<H>()` as an argument.

use core::marker::PhantomData;

use spelt_access::{
    Around, Covers, Description, Element, HaloAccess, HaloShape, KernelArg, Layout, RawView, Right,
};

use super::text::Text;
use super::view::describe;
use super::{LINE_BYTES, on_all_views};
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, ViewMut, ViewRef};

/// A View that a kernel reads at its index and at the offsets of the shape `W`: the argument for stencils.
///
/// `x.halo::<H>()` reaches `H` places in every direction, `x.halo_of::<Between<-2, 1>>()` two places down and one up. The
/// launch checks once that the range, grown by the shape, lies within the extents; the kernel then reads `x[i]` and
/// `x.at(i, [-1, 0])` without a bounds check. It receives a [`HaloAccess`].
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the range comes closer to an end of a dimension
/// than the shape reaches there. If a dimension has no more indices than the shape reaches down and up together, every range does.
///
/// # Panics
/// `x.at(i, offset)` panics if the offset is not in the shape. A constant offset costs no test.
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
pub struct Halo<'v, T: Element, const R: usize, W, M: MemorySpace = HostSpace, L: Layout = Right> {
    view: ViewRef<'v, T, R, M, L>,
    shape: PhantomData<W>,
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
        pub fn halo<const H: usize>(&self) -> Halo<$life, T, R, Around<H>, M, L> {
            self.halo_of()
        }

        /// An argument that reads this View at an index and at offsets with a lower and an upper reach in each dimension;
        /// see [`Halo`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Between, Serial, View, parallel_for};
        /// let x = View::from_fn("x", [4, 3], |[i, j]| 10 * i + j)?;
        /// let mut y = View::<usize, 2>::zeros("y", [4, 3])?;
        /// let space = Serial::new();
        /// // Reads rows from two before to one after, in the same column.
        /// let stencil = x.halo_of::<(Between<-2, 1>, Between<0, 0>)>();
        /// parallel_for("columns", space.md_range([2..3, 0..3]), (stencil, &mut y), |i, (x, mut y)| {
        ///     y[i] = x.at(i, [-2, 0]) + x.at(i, [1, 0]);
        /// })?;
        /// assert_eq!(y.row(2), [30, 32, 34]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn halo_of<W: HaloShape<R>>(&self) -> Halo<$life, T, R, W, M, L> {
            Halo { view: self.view(), shape: PhantomData }
        }
    };
}
on_all_views!(halo, [const R: usize, L: Layout,] R L);

impl<T: Element, const R: usize, W: HaloShape<R>, M: MemorySpace, L: Layout> Halo<'_, T, R, W, M, L> {
    const TEXT: &'static str = const { &Text::halo::<W, R>() }.as_str();
}

// SAFETY: the description covers the indices whose places at each offset of the shape exist; the View is borrowed shared.
unsafe impl<T: Element, const R: usize, W: HaloShape<R>, M: MemorySpace, L: Layout> KernelArg
    for Halo<'_, T, R, W, M, L>
{
    type Raw = RawView<T, R, L>;
    type Access<'k> = HaloAccess<'k, T, R, W, L>;
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn crosses_lines(raw: &Self::Raw) -> bool {
        // Lines of neighbours are as far apart as the strides of the other dimensions.
        raw.strides()
            .iter()
            .any(|stride| *stride != 1 && !(stride * size_of::<T>()).is_multiple_of(LINE_BYTES))
    }
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        let mut description = describe(self.view.view());
        description.adapter = Self::TEXT;
        description.covers = Covers::Rank(R);
        for dimension in 0..R {
            // If `upper` does not exceed `lower`, only empty boxes are covered.
            description.lower[dimension] = W::LOWER[dimension];
            description.upper[dimension] = description.extents[dimension].saturating_sub(W::UPPER[dimension]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KernelArgs;

    /// Whether the lines of a View of these extents begin at different places of cache lines.
    fn crosses<T: Element, const R: usize>(extents: [usize; R]) -> bool {
        let view = View::<T, R>::zeros("x", extents).expect("memory");
        let mut halo = view.halo::<1>();
        // SAFETY: nothing uses the lowered argument after the borrow.
        let (raw, ()) = unsafe { halo.lower() };
        fn of<A: KernelArg>(_: &A, raw: &A::Raw) -> bool {
            A::crosses_lines(raw)
        }
        of(&halo, &raw)
    }

    #[test]
    fn lines_of_whole_cache_lines_do_not_cross_them() {
        assert!(!crosses::<f64, 1>([1001]));
        assert!(!crosses::<f64, 2>([5, 128]));
        assert!(crosses::<f64, 2>([5, 100]));
        assert!(!crosses::<f32, 2>([5, 112]));
        assert!(crosses::<f32, 2>([5, 100]));
        assert!(!crosses::<f64, 3>([3, 5, 8]));
        assert!(crosses::<f64, 3>([3, 8, 5]));
    }

    #[test]
    fn one_argument_of_several_is_enough() {
        fn crosses<A: KernelArgs>(mut args: A) -> bool {
            // SAFETY: nothing uses the lowered arguments after the borrow.
            let (raw, held) = unsafe { A::lower(&mut args) };
            A::finish(held);
            A::crosses_lines(&raw)
        }
        let even = View::<f64, 2>::zeros("even", [5, 128]).expect("memory");
        let odd = View::<f64, 2>::zeros("odd", [5, 100]).expect("memory");
        assert!(!crosses((even.halo::<1>(), 2.5, &odd)));
        assert!(crosses((even.halo::<1>(), 2.5, odd.halo::<1>())));
        assert!(!crosses([even.halo::<1>(), even.halo::<1>()]));
        assert!(crosses([even.halo::<1>(), odd.halo::<1>()]));
    }
}
