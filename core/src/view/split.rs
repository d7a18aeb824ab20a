//! Disjoint parts of a View, and other layouts for the same elements.

use core::iter::FusedIterator;

use spelt_access::{Element, Layout, RawView, Stride};

use super::memory_space::MemorySpace;
use super::subview::Sliceable;
use super::{View, ViewMut, ViewRef, mismatch};
use crate::{Error, ErrorKind, Result};

/// The indices below `at` of `dimension`, and the others.
#[track_caller]
fn halves<T, const R: usize, L, K>(
    raw: RawView<T, R, L>,
    label: &str,
    dimension: usize,
    at: usize,
) -> [RawView<T, R, K>; 2]
where
    L: Layout,
    K: Layout,
{
    let extents = raw.extents();
    if dimension >= R {
        mismatch::dimension(label, dimension, R);
    }
    if at > extents[dimension] {
        mismatch::split(label, dimension, at, &extents);
    }
    let (mut lower, mut upper) = (extents, extents);
    lower[dimension] = at;
    upper[dimension] = extents[dimension] - at;
    // An empty upper part stays where its View begins, so that the address is one of the View's.
    let offset = if upper.contains(&0) { 0 } else { at.wrapping_mul(raw.strides()[dimension]) };
    [
        RawView::new(raw.pointer(), lower, raw.strides()),
        RawView::new(raw.pointer().wrapping_add(offset), upper, raw.strides()),
    ]
}

/// The same elements, with `K`'s strides where they are dense in that order.
fn relaid<T, const R: usize, L, K>(raw: RawView<T, R, L>, label: &str) -> Result<RawView<T, R, K>>
where
    L: Layout,
    K: Layout,
{
    if K::unit_dimension(1).is_none() {
        return Ok(RawView::new(raw.pointer(), raw.extents(), raw.strides()));
    }
    if super::index::is_dense::<K, R>(raw.extents(), raw.strides()) {
        return Ok(RawView::new(raw.pointer(), raw.extents(), K::strides(raw.extents())));
    }
    Err(Error::new(
        ErrorKind::Layout,
        format!(
            "view `{label}`: the strides {:?} with the extents {:?} are not those of the layout {}, {:?}: copy it",
            raw.strides(),
            raw.extents(),
            K::NAME,
            K::strides(raw.extents()),
        ),
    ))
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> ViewRef<'a, T, R, M, L> {
    /// The same elements with strides known only at run time: one type for all layouts.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Left, View};
    /// let right = View::from_fn("right", [2, 2], |[i, j]| 10 * i + j)?;
    /// let left = right.to_layout(Left)?;
    /// let both = [right.view().into_stride(), left.view().into_stride()];
    /// assert_eq!(both.map(|view| view[[0, 1]]), [1, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn into_stride(self) -> ViewRef<'a, T, R, M, Stride> {
        let raw = RawView::new(self.raw.pointer(), self.raw.extents(), self.raw.strides());
        // SAFETY: the same elements; every layout's offset is the plain sum of index times stride.
        unsafe { ViewRef::new(raw, self.label, self.owner) }
    }

    /// The same elements in the layout `K`, if their strides are `K`'s.
    ///
    /// # Errors
    /// [`ErrorKind::Layout`] if they are not.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Right, View, subview::All};
    /// let v = View::<f32, 2>::zeros("v", [3, 4])?;
    /// assert!(v.subview((All, 0..4)).try_into_layout::<Right>().is_ok());
    /// assert!(v.subview((All, 0..3)).try_into_layout::<Right>().is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn try_into_layout<K: Layout>(self) -> Result<ViewRef<'a, T, R, M, K>> {
        // SAFETY: the same elements; the strides are `K`'s own, or `K` takes any.
        Ok(unsafe { ViewRef::new(relaid(self.raw, self.label)?, self.label, self.owner) })
    }

    /// The indices below `at` of `dimension`, and the others.
    ///
    /// # Panics
    /// If `dimension` is not below the rank, or `at` above its extent.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_fn("v", [2, 4], |[i, j]| 10 * i + j)?;
    /// let (left, right) = v.view().split_at(1, 3);
    /// assert_eq!((left.extents(), right.to_vec()), ([2, 3], vec![3, 13]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_at(
        self,
        dimension: usize,
        at: usize,
    ) -> (ViewRef<'a, T, R, M, Stride>, ViewRef<'a, T, R, M, Stride>) {
        let [lower, upper] = halves(self.raw, self.label, dimension, at);
        // SAFETY: both parts' elements are the View's.
        unsafe { (ViewRef::new(lower, self.label, self.owner), ViewRef::new(upper, self.label, self.owner)) }
    }
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> ViewMut<'a, T, R, M, L> {
    /// The same elements with strides known only at run time: one type for all layouts.
    ///
    /// # Examples
    /// ```
    /// let mut v = spelt_core::View::<i32, 1>::zeros("v", [4])?;
    /// let (mut low, high) = v.view_mut().into_stride().split_at(0, 1);
    /// low[0] = high.len() as i32;
    /// assert_eq!(v.to_vec(), [3, 0, 0, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn into_stride(self) -> ViewMut<'a, T, R, M, Stride> {
        let raw = RawView::new(self.raw.pointer(), self.raw.extents(), self.raw.strides());
        // SAFETY: the same elements, of which `self`, gone now, was the only borrow; offsets are the same.
        unsafe { ViewMut::new(raw, self.label, self.owner) }
    }

    /// The same elements in the layout `K`, if their strides are `K`'s.
    ///
    /// # Errors
    /// [`ErrorKind::Layout`] if they are not.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Right, View, subview::All};
    /// let mut v = View::<i32, 2>::zeros("v", [2, 2])?;
    /// v.view_mut().into_subview((All, 0..2)).try_into_layout::<Right>()?.row_mut(1).fill(7);
    /// assert_eq!(v.to_vec(), [0, 0, 7, 7]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn try_into_layout<K: Layout>(self) -> Result<ViewMut<'a, T, R, M, K>> {
        // SAFETY: the same elements, of which `self`, gone now, was the only borrow; the strides are `K`'s own, or `K`
        // takes any and they are as injective as before.
        Ok(unsafe { ViewMut::new(relaid(self.raw, self.label)?, self.label, self.owner) })
    }

    /// The indices below `at` of `dimension`, and the others: two parts that can be written at the same time.
    ///
    /// # Panics
    /// If `dimension` is not below the rank, or `at` above its extent.
    ///
    /// # Complexity
    /// O(R); nothing is copied.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let mut v = View::<i32, 2>::zeros("v", [2, 4])?;
    /// let (mut left, mut right) = v.view_mut().split_at(1, 3);
    /// left.fill(1);
    /// right.fill(2);
    /// assert_eq!(v.to_vec(), [1, 1, 1, 2, 1, 1, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_at(
        self,
        dimension: usize,
        at: usize,
    ) -> (ViewMut<'a, T, R, M, Stride>, ViewMut<'a, T, R, M, Stride>) {
        let [lower, upper] = halves(self.raw, self.label, dimension, at);
        // SAFETY: both parts' elements are the View's, which only `self`, gone now, could reach; no index is in both.
        unsafe { (ViewMut::new(lower, self.label, self.owner), ViewMut::new(upper, self.label, self.owner)) }
    }
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Sliceable> ViewRef<'a, T, R, M, L> {
    /// The View split in two along its slowest dimension (`Right`, `Stride`: the first; `Left`: the last), which keeps
    /// the layout.
    ///
    /// # Panics
    /// If `at` is above that dimension's extent. Rank 0 does not compile.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_fn("v", [3, 2], |[i, _]| i)?;
    /// let (top, bottom) = v.view().split_outer_at(1);
    /// assert_eq!((top.row(0), bottom.row(1)), (&[0, 0][..], &[2, 2][..]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_outer_at(self, at: usize) -> (Self, Self) {
        const { assert!(R > 0, "a View of rank 0 has no dimension to split") };
        let [lower, upper] = halves(self.raw, self.label, L::outer(R), at);
        // SAFETY: both parts' elements are the View's; the extent of the slowest dimension enters no dense stride.
        unsafe { (ViewRef::new(lower, self.label, self.owner), ViewRef::new(upper, self.label, self.owner)) }
    }

    /// Parts of `len` indices of the slowest dimension (`Right`, `Stride`: the first; `Left`: the last) one after the
    /// other; the last part may be smaller.
    ///
    /// # Panics
    /// If `len` is 0. Rank 0 does not compile.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_fn("v", [5], |[i]| i)?;
    /// let sums: Vec<usize> = v.view().chunks(2).map(|chunk| chunk.iter().sum()).collect();
    /// assert_eq!(sums, [1, 5, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[track_caller]
    pub fn chunks(self, len: usize) -> Chunks<'a, T, R, M, L> {
        const { assert!(R > 0, "a View of rank 0 has no dimension to split") };
        assert!(len > 0, "view `{}`: chunks of 0 indices have no end", self.label);
        Chunks { rest: Some(self), len }
    }
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Sliceable> ViewMut<'a, T, R, M, L> {
    /// The View split in two along its slowest dimension (`Right`, `Stride`: the first; `Left`: the last), which keeps
    /// the layout.
    ///
    /// # Panics
    /// If `at` is above that dimension's extent. Rank 0 does not compile.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let mut v = View::from_fn("v", [3, 2], |[i, _]| i)?;
    /// let (mut top, bottom) = v.view_mut().split_outer_at(1);
    /// top[[0, 1]] = bottom[[1, 0]];
    /// assert_eq!(v.row(0), [0, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_outer_at(self, at: usize) -> (Self, Self) {
        const { assert!(R > 0, "a View of rank 0 has no dimension to split") };
        let [lower, upper] = halves(self.raw, self.label, L::outer(R), at);
        // SAFETY: both parts' elements are the View's, which only `self`, gone now, could reach; no index is in both;
        // the extent of the slowest dimension enters no dense stride.
        unsafe { (ViewMut::new(lower, self.label, self.owner), ViewMut::new(upper, self.label, self.owner)) }
    }

    /// Parts of `len` indices of the slowest dimension (`Right`, `Stride`: the first; `Left`: the last) one after the
    /// other, which can be written at the same time; the last part may be smaller.
    ///
    /// # Panics
    /// If `len` is 0. Rank 0 does not compile.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let mut v = View::<usize, 1>::zeros("v", [5])?;
    /// for (number, mut chunk) in v.view_mut().chunks_mut(2).enumerate() {
    ///     chunk.fill(number);
    /// }
    /// assert_eq!(v.to_vec(), [0, 0, 1, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[track_caller]
    pub fn chunks_mut(self, len: usize) -> ChunksMut<'a, T, R, M, L> {
        const { assert!(R > 0, "a View of rank 0 has no dimension to split") };
        assert!(len > 0, "view `{}`: chunks of 0 indices have no end", self.label);
        ChunksMut { rest: Some(self), len }
    }
}

macro_rules! chunks {
    ($($(#[$doc:meta])* $name:ident, $view:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[must_use = "iterators are lazy and do nothing unless consumed"]
        pub struct $name<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> {
            rest: Option<$view<'a, T, R, M, L>>,
            len: usize,
        }

        impl<'a, T: Element, const R: usize, M: MemorySpace, L: Sliceable> Iterator for $name<'a, T, R, M, L> {
            type Item = $view<'a, T, R, M, L>;
            fn next(&mut self) -> Option<Self::Item> {
                let rest = self.rest.take()?;
                let left = rest.extents()[L::outer(R)];
                if left == 0 {
                    return None;
                }
                let (part, rest) = rest.split_outer_at(self.len.min(left));
                self.rest = Some(rest);
                Some(part)
            }
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = self.rest.as_ref().map_or(0, |rest| rest.extents()[L::outer(R)].div_ceil(self.len));
                (left, Some(left))
            }
        }
        impl<T: Element, const R: usize, M: MemorySpace, L: Sliceable> ExactSizeIterator for $name<'_, T, R, M, L> {}
        impl<T: Element, const R: usize, M: MemorySpace, L: Sliceable> FusedIterator for $name<'_, T, R, M, L> {}
    )*};
}
chunks! {
    /// Parts of a View along its slowest dimension: see [`ViewRef::chunks`].
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_fn("v", [5], |[i]| i)?;
    /// let mut chunks = v.view().chunks(2);
    /// assert_eq!((chunks.len(), chunks.next().map(|chunk| chunk.to_vec())), (3, Some(vec![0, 1])));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    Chunks, ViewRef;
    /// Mutable parts of a View along its slowest dimension: see [`ViewMut::chunks_mut`].
    ///
    /// # Examples
    /// ```
    /// let mut v = spelt_core::View::<i32, 1>::zeros("v", [5])?;
    /// let mut chunks = v.view_mut().chunks_mut(2);
    /// if let (Some(mut first), Some(second)) = (chunks.next(), chunks.next()) {
    ///     first[0] = 1 + second[0];
    /// }
    /// assert_eq!(v.to_vec(), [1, 0, 0, 0, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    ChunksMut, ViewMut;
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> From<&'a View<T, R, M, L>>
    for ViewRef<'a, T, R, M, L>
{
    fn from(view: &'a View<T, R, M, L>) -> Self {
        view.view()
    }
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> From<&'a mut View<T, R, M, L>>
    for ViewMut<'a, T, R, M, L>
{
    fn from(view: &'a mut View<T, R, M, L>) -> Self {
        view.view_mut()
    }
}
