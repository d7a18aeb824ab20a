//! The same elements under other dimensions: permuted, merged, with dimensions of extent 1 added or removed.

use spelt_access::{Element, Layout, RawView, Stride};

use super::memory_space::MemorySpace;
use super::{View, ViewMut, ViewRef};
use crate::{Error, ErrorKind, Result};

/// The distance, in elements, between neighbours along `axis`.
pub(super) fn step<T, const R: usize, L: Layout>(raw: &RawView<T, R, L>, axis: usize) -> usize {
    if L::unit_dimension(R) == Some(axis) { 1 } else { raw.strides()[axis] }
}

/// The raw View whose dimension `d` runs over the axes `groups[d]` of `raw`, the last of them fastest.
///
/// Its indices and `raw`'s correspond one to one, with the same offsets.
fn regroup<T, const R: usize, const N: usize, L: Layout>(
    label: &str,
    raw: RawView<T, R, L>,
    groups: [&[usize]; N],
) -> Result<RawView<T, N, Stride>> {
    let fail =
        |kind, what: String| Err(Error::new(kind, format!("view `{label}`: regrouping its axes: {what}")));
    let axes = raw.extents();
    let step = |axis| step(&raw, axis);
    let mut named = [false; R];
    let (mut extents, mut strides) = ([1; N], [1; N]);
    for (group, (extent, stride)) in groups.into_iter().zip(extents.iter_mut().zip(&mut strides)) {
        for &axis in group.iter().rev() {
            match named.get_mut(axis) {
                None => return fail(ErrorKind::Extents, format!("there is no axis {axis} in rank {R}")),
                Some(true) => return fail(ErrorKind::Extents, format!("axis {axis} is named twice")),
                Some(named) => *named = true,
            }
            if axes[axis] == 1 {
                continue;
            }
            if *extent == 1 {
                *stride = step(axis);
            } else if !raw.is_empty() && step(axis) != stride.wrapping_mul(*extent) {
                return fail(
                    ErrorKind::Layout,
                    format!(
                        "the axes {group:?} of extents {axes:?} and strides {:?} do not follow one another in memory",
                        raw.strides()
                    ),
                );
            }
            // The product of all extents fits, zeros taken as 1.
            *extent *= axes[axis];
        }
    }
    if let Some(axis) = (0..R).find(|&axis| !named[axis] && axes[axis] != 1) {
        return fail(ErrorKind::Extents, format!("axis {axis}, of extent {}, is missing", axes[axis]));
    }
    Ok(RawView::new(raw.pointer(), extents, strides))
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> ViewRef<'a, T, R, M, L> {
    fn regroup<const N: usize>(self, groups: [&[usize]; N]) -> Result<ViewRef<'a, T, N, M, Stride>> {
        let raw = regroup(self.label, self.raw, groups)?;
        // SAFETY: the same elements, one for each index, as `regroup` says.
        Ok(unsafe { ViewRef::new(raw, self.label, self.owner) })
    }
}

macro_rules! regrouped {
    ($($view:ident [$($param:tt)*] $life:lifetime;)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Layout> $view<$($param)* T, R, M, L> {
            /// The same elements under other dimensions: dimension `d` runs over the axes `groups[d]`, the last of them
            /// fastest.
            ///
            /// It permutes axes (`[&[1], &[0]]` transposes), merges them (`[&[0, 1]]` flattens), and adds dimensions of
            /// extent 1 (`&[]`); axes of extent 1 may be left out.
            ///
            /// # Errors
            /// [`ErrorKind::Extents`](crate::ErrorKind::Extents) if an axis is missing, occurs twice or does not exist;
            /// [`ErrorKind::Layout`](crate::ErrorKind::Layout) if the axes of a group are not contiguous in memory.
            ///
            /// # Complexity
            /// O(R + N); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// use spelt_core::View;
            /// let v = View::from_fn("v", [2, 3, 4], |[i, j, k]| 100 * i + 10 * j + k)?;
            /// let w = v.regrouped([&[2], &[0, 1]])?;
            /// assert_eq!(w.extents(), [4, 6]);
            /// assert_eq!(w[[3, 4]], 113);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn regrouped<const N: usize>(
                &self,
                groups: [&[usize]; N],
            ) -> Result<ViewRef<$life, T, N, M, Stride>> {
                self.view().regroup(groups)
            }
        }
    )*};
}
regrouped! { View [] '_; ViewRef ['a,] 'a; ViewMut ['a,] '_; }

macro_rules! regrouped_mut {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Layout> $view<$($param)* T, R, M, L> {
            /// The same elements under other dimensions, mutably; see [`regrouped`](Self::regrouped).
            ///
            /// # Errors
            /// As [`regrouped`](Self::regrouped).
            ///
            /// # Examples
            /// ```
            /// let mut v = spelt_core::View::from_fn("v", [2, 3], |[i, j]| 10 * i + j)?;
            /// v.regrouped_mut([&[1], &[0]])?[[2, 1]] = 99;
            /// assert_eq!(v[[1, 2]], 99);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn regrouped_mut<const N: usize>(
                &mut self,
                groups: [&[usize]; N],
            ) -> Result<ViewMut<'_, T, N, M, Stride>> {
                let view = self.view_mut();
                let raw = regroup(view.label, view.raw, groups)?;
                // SAFETY: the same elements, one for each index, as `regroup` says; `view` had them exclusively.
                Ok(unsafe { ViewMut::new(raw, view.label, view.owner) })
            }
        }
    )*};
}
regrouped_mut! { View []; ViewMut ['a,]; }

impl<'a, T: Element, M: MemorySpace, L: Layout> ViewRef<'a, T, 1, M, L> {
    /// The same elements with layout [`Right`](spelt_access::Right), or `None` if they are not contiguous.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{View, subview::{All, Steps}};
    /// let v = View::from_fn("v", [4, 4], |[i, j]| 10 * i + j)?;
    /// assert!(v.regrouped([&[0, 1]])?.into_contiguous().is_some());
    /// assert!(v.subview((0, All.step(2))).into_contiguous().is_none());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn into_contiguous(self) -> Option<ViewRef<'a, T, 1, M>> {
        self.is_contiguous().then(|| {
            // SAFETY: neighbours are one place apart, as `Right` has them.
            unsafe {
                ViewRef::new(
                    RawView::new(self.raw.pointer(), self.raw.extents(), [1]),
                    self.label,
                    self.owner,
                )
            }
        })
    }
}
