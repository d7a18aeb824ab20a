//! Subviews of accessors: parts that a kernel takes of a View that it reads.

use spelt_access::{Element, Layout, RawView, Reader, failure};

use super::memory_space::HostSpace;
use super::slice::Misfit;
use super::subview::{AnyRank, LayoutOf, Sliceable, Slices, part};

/// The subview `S` of an accessor: a [`SlabRef`](crate::SlabRef) with rank and layout by the [rules](crate::subview) for Views.
///
/// # Examples
/// ```
/// use spelt_core::{Ref, Right, Stride, SlabRef, subview::{SlabOf, SubviewInKernel}};
/// use core::ops::Range;
/// fn row<'v>(x: &'v Ref<'_, f64, 2>, i: usize) -> SlabOf<'v, f64, 2, Right, (usize, Range<usize>)> {
///     x.subview((i, 1..5))
/// }
/// # _ = row;
/// ```
pub type SlabOf<'v, T, const R: usize, L, S> =
    <<S as Slices<R>>::Rank as AnyRank>::Slab<'v, T, LayoutOf<R, L, S>>;

/// The accessors that have subviews: those of `&x`, `x.lookup()`, `x.halo::<H>()`, `x.partial()` and `x.along::<D>()`, and slabs.
///
/// The prelude has it. It is sealed.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, subview::SubviewInKernel};
/// let space = Serial::new();
/// let x = View::from_fn("x", [3, 6], |[i, j]| 10 * i + j)?;
/// let mut sums = View::<usize, 1>::zeros("sums", [3])?;
/// parallel_for("sums", space.range(0..3), (x.lookup(), &mut sums), |i, (x, mut sums)| {
///     sums[i] = x.subview((i.get(), 1..5)).iter().sum();
/// })?;
/// assert_eq!(sums.to_vec(), [10, 50, 90]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait SubviewInKernel<const R: usize>: Reader<R, Element: Element, Layout: Sliceable> {
    /// The part that `slices` describes, as [`View::subview`](crate::View::subview) does: a tuple with one entry per dimension, which is an
    /// index, a range, `..`, or a range with a [step](crate::subview::Steps).
    ///
    /// It is checked once that the part is within the View; [`iter`](spelt_access::Slab::iter) over it checks nothing more.
    ///
    /// # Panics
    /// If an index or range is out of bounds, a range ends before its start, or a step is 0.
    ///
    /// # Complexity
    /// O(R); nothing is copied.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, subview::SubviewInKernel};
    /// let space = Serial::new();
    /// let grid = View::from_fn("grid", [4, 5, 6], |[i, j, k]| (100 * i + 10 * j + k) as f64)?;
    /// let mut y = View::<f64, 1>::zeros("y", [5])?;
    /// parallel_for("column", space.range(0..5), (&grid, &mut y), |j, (grid, mut y)| {
    ///     let plane = grid.subview((1..3, j.get(), ..)); // of rank 2: its indices begin at 0
    ///     y[j] = plane[[0, 5]] + plane[[1, 0]];
    /// })?;
    /// assert_eq!(y[2], 125.0 + 220.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    fn subview<S: Slices<R>>(&self, slices: S) -> SlabOf<'_, Self::Element, R, Self::Layout, S> {
        let raw = self.raw();
        let picked = match slices.pick(raw.extents()) {
            Ok(picked) => picked,
            Err((dimension, misfit)) => misfits::<Self, R>(self, dimension, misfit),
        };
        let unit = Self::Layout::unit_dimension(R);
        let strides = raw.strides();
        let stride = |dimension: usize| if unit == Some(dimension) { 1 } else { strides[dimension] };
        let raw =
            RawView::<_, R, Self::Layout>::new(raw.pointer(), raw.extents(), core::array::from_fn(stride));
        // SAFETY: each index of the part is one of the accessor's, at the same place, and nothing writes those while the accessor is
        // borrowed. The part's strides are its layout's own where that is dense, as for Views.
        unsafe { S::Rank::slab(part::<_, R, HostSpace, _>(raw, picked, "", None), self.address()) }
    }
}

impl<A: Reader<R, Element: Element, Layout: Sliceable>, const R: usize> SubviewInKernel<R> for A {}

/// Panics: a slice does not fit the accessor in a dimension.
#[cold]
#[inline(always)]
#[track_caller]
fn misfits<A: Reader<R> + ?Sized, const R: usize>(access: &A, dimension: usize, misfit: Misfit) -> ! {
    let mut place = [0; R];
    place[dimension] = match misfit {
        Misfit::Index(index) => index,
        Misfit::Range(start, end) if start > end => panic!("a range of a subview ends before it starts"),
        // The last index of the range, which is out of bounds.
        Misfit::Range(_, end) => end - 1,
        Misfit::Endless => usize::MAX,
        Misfit::NoStep => panic!("the step of a subview is 0"),
    };
    if A::PART {
        failure::beyond_slab(access.address(), place, access.raw().extents(), [0; R])
    } else {
        failure::beyond(access.address(), place)
    }
}
