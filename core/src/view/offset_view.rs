//! Views with an origin: indices that begin elsewhere than at zero.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut, Range};

use spelt_access::{Element, Layout, RawView, Right, Stride, from_zero};

use super::memory_space::{HostAccessible, HostSpace, MemorySpace};
use super::regroup::step;
use super::{ReadView, View, ViewMut, ViewRef, WriteView, mismatch};
use crate::{Error, ErrorKind, Result};

/// A View whose indices begin at an origin, which may be negative: Kokkos's `OffsetView`.
///
/// [`View::with_origin`] makes one. It contains the View `V`: an owned one, a [`ViewRef`] or a [`ViewMut`]. Element `i` is element
/// `i - origin` of that View, which [`as_view`](Self::as_view) lends for copies and everything else.
///
/// `&x` and `&mut x` are arguments of kernels, as are the adapters `halo`, `halo_of`, `lookup`, `partial`, `partial_mut`, `along`, `by_rows`,
/// `by_rows_mut`, `atomic` and `scatter`. One witness `i` means the same index in Views of different origins. Rows and slabs keep the
/// origins of their dimensions. The launch compares its range with the indices of each View, and elements are then accessed without a
/// check. Negative indices take a
/// [`signed_range`](crate::ExecutionSpace::signed_range) or [`signed_md_range`](crate::ExecutionSpace::signed_md_range); others can take a range
/// of `usize`. A [`parallel_fill`](crate::parallel_fill()) over signed indices returns an `OffsetView` that begins at the first of them.
///
/// Blocks and segments are numbered from zero, and the nested indices of `flat` begin at zero, so these adapters, and the unsafe
/// `distinct`, are those of [`as_view`](Self::as_view) and [`as_view_mut`](Self::as_view_mut).
///
/// # Panics
/// Indexing in brackets panics if the index is out of bounds.
///
/// # Examples
/// A field with two ghost cells on each side, whose own cells are `0..n`:
/// ```
/// use spelt_core::{ExecutionSpace, Serial, parallel_for};
/// let space = Serial::new();
/// let n = 4;
/// let mut x = space.zeros::<f64, 1>("x", [n + 4])?.with_origin([-2])?;
/// let mut y = space.zeros::<f64, 1>("y", [n])?;
/// parallel_for("fill", space.signed_range(x.range()), &mut x, |i, mut x| x[i] = i.get() as f64)?;
/// x[-2] = 10.0;
/// parallel_for("sum", space.range(0..n), (x.halo::<2>(), &mut y), |i, (x, mut y)| {
///     y[i] = x.at(i, [-2]) + x[i] + x.at(i, [2]);
/// })?;
/// assert_eq!(y.to_vec(), [12.0, 3.0, 6.0, 9.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct OffsetView<
    T: Element,
    const R: usize,
    M: MemorySpace = HostSpace,
    L: Layout = Right,
    V = View<T, R, M, L>,
> {
    view: V,
    origin: [isize; R],
    elements: PhantomData<(T, M, L)>,
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout, V: Clone> Clone for OffsetView<T, R, M, L, V> {
    #[inline]
    fn clone(&self) -> Self {
        Self { view: self.view.clone(), origin: self.origin, elements: PhantomData }
    }
}
impl<T: Element, const R: usize, M: MemorySpace, L: Layout, V: Copy> Copy for OffsetView<T, R, M, L, V> {}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout, V> fmt::Debug for OffsetView<T, R, M, L, V>
where
    V: ReadView<T, R, M, L>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OffsetView")
            .field("label", &self.label())
            .field("ranges", &self.ranges())
            .finish_non_exhaustive()
    }
}

macro_rules! with_origin {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Layout> $view<$($param)* T, R, M, L> {
            /// This View with indices that begin at `origin` in each dimension; see [`OffsetView`].
            ///
            /// # Errors
            /// [`ErrorKind::Overflow`] if an index would exceed `isize::MAX`.
            ///
            /// # Complexity
            /// O(R); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// let v = spelt_core::View::from_fn("v", [3, 2], |[i, j]| 10 * i + j)?.with_origin([-1, 5])?;
            /// assert_eq!((v[[-1, 5]], v[[1, 6]], v.get([2, 5])), (0, 21, None));
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn with_origin(self, origin: [isize; R]) -> Result<OffsetView<T, R, M, L, Self>> {
                let extents = self.extents();
                if (0..R).any(|dimension| origin[dimension].checked_add_unsigned(extents[dimension]).is_none()) {
                    return Err(Error::new(
                        ErrorKind::Overflow,
                        format!(
                            "view `{}`: with extents {extents:?}, indices from the origin {origin:?} exceed `isize`",
                            self.label()
                        ),
                    ));
                }
                Ok(OffsetView { view: self, origin, elements: PhantomData })
            }
        }
    )*};
}
with_origin! { View []; ViewRef ['a,]; ViewMut ['a,]; }

impl<T: Element, const R: usize, M: MemorySpace, L: Layout, V: ReadView<T, R, M, L>>
    OffsetView<T, R, M, L, V>
{
    /// The first index in each dimension.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::<i32, 2>::zeros("v", [3, 2])?.with_origin([-1, 5])?;
    /// assert_eq!(v.origin(), [-1, 5]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn origin(&self) -> [isize; R] {
        self.origin
    }

    /// The indices in each dimension.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::<i32, 2>::zeros("v", [3, 2])?.with_origin([-1, 5])?;
    /// assert_eq!(v.ranges(), [-1..2, 5..7]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn ranges(&self) -> [Range<isize>; R] {
        let extents = self.view.read().extents();
        // No sum overflows: `with_origin` has refused those that would.
        core::array::from_fn(|d| self.origin[d]..self.origin[d].wrapping_add_unsigned(extents[d]))
    }

    /// The label.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::<i32, 1>::zeros("v", [3])?.with_origin([-1])?;
    /// assert_eq!(v.label(), "v");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn label(&self) -> &str {
        self.view.read().label()
    }

    /// The elements as a View whose indices begin at zero.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_vec("v", [3], vec![1, 2, 3])?.with_origin([-1])?;
    /// assert_eq!(v.as_view()[0], v[-1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn as_view(&self) -> ViewRef<'_, T, R, M, L> {
        self.view.read()
    }

    /// The elements as a View to write whose indices begin at zero.
    ///
    /// # Examples
    /// ```
    /// let mut v = spelt_core::View::<i32, 1>::zeros("v", [3])?.with_origin([-1])?;
    /// v.as_view_mut().fill(7);
    /// assert_eq!(v[1], 7);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn as_view_mut(&mut self) -> ViewMut<'_, T, R, M, L>
    where
        V: WriteView<T, R, M, L>,
    {
        self.view.write()
    }

    /// The View without the origin.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_vec("v", [2], vec![1, 2])?.with_origin([-1])?;
    /// assert_eq!(v.into_view().to_vec(), [1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn into_view(self) -> V {
        self.view
    }

    /// The elements with an index in `ranges`, under the same indices.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if a range leaves the View's, or ends before it begins.
    ///
    /// # Complexity
    /// O(R); nothing is copied.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_fn("v", [6], |[i]| i)?.with_origin([-2])?;
    /// let part = v.part([-1..3])?;
    /// assert_eq!((part.ranges(), part[-1]), ([-1..3], v[-1]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn part(&self, ranges: [Range<isize>; R]) -> Result<OffsetViewRef<'_, T, R, M, Stride>> {
        let view = self.view.read();
        let raw = part(view.label(), view.raw(), self.origin, &ranges)?;
        // SAFETY: the part has some of the View's elements, which are borrowed with it; its layout takes any strides.
        let view = unsafe { ViewRef::new(raw, view.label, view.owner) };
        view.with_origin(ranges.map(|range| range.start))
    }

    /// The elements with an index in `ranges`, under the same indices, to write.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    ///
    /// # Complexity
    /// O(R); nothing is copied.
    ///
    /// # Examples
    /// ```
    /// let mut v = spelt_core::View::<i32, 1>::zeros("v", [4])?.with_origin([-2])?;
    /// v.part_mut([-1..1])?[-1] = 7;
    /// assert_eq!(v.as_view().to_vec(), [0, 7, 0, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn part_mut(&mut self, ranges: [Range<isize>; R]) -> Result<OffsetViewMut<'_, T, R, M, Stride>>
    where
        V: WriteView<T, R, M, L>,
    {
        let origin = self.origin;
        let view = self.view.write();
        let raw = part(view.label(), view.raw, origin, &ranges)?;
        // SAFETY: the part has some of the View's elements, which are borrowed exclusively with it; strides of an injective layout
        // stay injective with fewer indices.
        let view = unsafe { ViewMut::new(raw, view.label, view.owner) };
        view.with_origin(ranges.map(|range| range.start))
    }

    /// A copy on the host with the same indices, in the same layout and under the same label.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if there is not enough memory.
    ///
    /// # Complexity
    /// O(len); every element is read and written once.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_vec("v", [2], vec![1, 2])?.with_origin([-1])?;
    /// assert_eq!(v.to_host()?[-1], 1);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn to_host(&self) -> Result<OffsetView<T, R, HostSpace, L>> {
        self.view.read().to_host()?.with_origin(self.origin)
    }

    /// The element at `index`, or `None` if `index` is out of bounds.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_vec("v", [2], vec![1, 2])?.with_origin([-1])?;
    /// assert_eq!((v.get([-1]), v.get([1])), (Some(&1), None));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn get(&self, index: [isize; R]) -> Option<&T>
    where
        M: HostAccessible,
    {
        let place = from_zero(index, self.origin);
        let raw = self.view.read().raw();
        // SAFETY: in bounds by the test; the host reaches the memory, and `self` is borrowed shared.
        raw.contains(place).then(|| unsafe { &*raw.at(place) })
    }
}

impl<T: Element, M: MemorySpace, L: Layout, V: ReadView<T, 1, M, L>> OffsetView<T, 1, M, L, V> {
    /// The indices: for [`signed_range`](crate::ExecutionSpace::signed_range).
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::<i32, 1>::zeros("v", [3])?.with_origin([-1])?;
    /// assert_eq!(v.range(), -1..2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn range(&self) -> Range<isize> {
        let [range] = self.ranges();
        range
    }
}

/// A [`ViewRef`] with an origin.
///
/// # Examples
/// ```
/// use spelt_core::{OffsetViewRef, ViewRef};
/// fn ghost(v: OffsetViewRef<'_, i32, 1>) -> i32 {
///     v[-1]
/// }
/// assert_eq!(ghost(ViewRef::from(&[7, 8][..]).with_origin([-1])?), 7);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type OffsetViewRef<'a, T, const R: usize, M = HostSpace, L = Right> =
    OffsetView<T, R, M, L, ViewRef<'a, T, R, M, L>>;

/// A [`ViewMut`] with an origin.
///
/// # Examples
/// ```
/// use spelt_core::{OffsetViewMut, ViewMut};
/// fn reflect(mut v: OffsetViewMut<'_, i32, 1>) {
///     v[-1] = v[0];
/// }
/// let mut numbers = [7, 8];
/// reflect(ViewMut::from(&mut numbers[..]).with_origin([-1])?);
/// assert_eq!(numbers, [8, 8]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type OffsetViewMut<'a, T, const R: usize, M = HostSpace, L = Right> =
    OffsetView<T, R, M, L, ViewMut<'a, T, R, M, L>>;

/// The part of `raw` at the indices `ranges`, which count from `origin`. It has a subset of `raw`'s elements.
fn part<T, const R: usize, L: Layout>(
    label: &str,
    raw: RawView<T, R, L>,
    origin: [isize; R],
    ranges: &[Range<isize>; R],
) -> Result<RawView<T, R, Stride>> {
    let whole = raw.extents();
    let first = from_zero(core::array::from_fn(|d| ranges[d].start), origin);
    let extents =
        from_zero(core::array::from_fn(|d| ranges[d].end), core::array::from_fn(|d| ranges[d].start));
    for d in 0..R {
        // Each number is compared first, so the difference does not wrap.
        if ranges[d].end < ranges[d].start || first[d] > whole[d] || extents[d] > whole[d] - first[d] {
            let all: [_; R] = core::array::from_fn(|d| origin[d]..origin[d].wrapping_add_unsigned(whole[d]));
            return Err(Error::new(
                ErrorKind::Extents,
                format!("view `{label}` with the indices {all:?} has no part {ranges:?}"),
            ));
        }
    }
    let strides = core::array::from_fn(|d| step(&raw, d));
    let mut pointer = raw.pointer();
    if !extents.contains(&0) {
        pointer = pointer.wrapping_add(Stride::offset(first, &strides));
    }
    Ok(RawView::new(pointer, extents, strides))
}

impl<T, const R: usize, M, L, V> Index<[isize; R]> for OffsetView<T, R, M, L, V>
where
    T: Element,
    M: HostAccessible,
    L: Layout,
    V: ReadView<T, R, M, L>,
{
    type Output = T;
    #[inline]
    #[track_caller]
    fn index(&self, index: [isize; R]) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => mismatch::outside(self.label(), &index, &self.ranges()),
        }
    }
}

impl<T, const R: usize, M, L, V> IndexMut<[isize; R]> for OffsetView<T, R, M, L, V>
where
    T: Element,
    M: HostAccessible,
    L: Layout,
    V: WriteView<T, R, M, L>,
{
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: [isize; R]) -> &mut T {
        let place = from_zero(index, self.origin);
        let raw = self.view.write().raw_mut();
        if !raw.contains(place) {
            mismatch::outside(self.label(), &index, &self.ranges());
        }
        // SAFETY: in bounds by the test; the host reaches the memory, and `self` is borrowed exclusively.
        unsafe { &mut *raw.at(place) }
    }
}

impl<T, M, L, V> Index<isize> for OffsetView<T, 1, M, L, V>
where
    T: Element,
    M: HostAccessible,
    L: Layout,
    V: ReadView<T, 1, M, L>,
{
    type Output = T;
    #[inline]
    #[track_caller]
    fn index(&self, index: isize) -> &T {
        &self[[index]]
    }
}

impl<T, M, L, V> IndexMut<isize> for OffsetView<T, 1, M, L, V>
where
    T: Element,
    M: HostAccessible,
    L: Layout,
    V: WriteView<T, 1, M, L>,
{
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: isize) -> &mut T {
        &mut self[[index]]
    }
}
