//! One axis as two: the inverse of merging axes by `regrouped`.

use spelt_access::{Element, Layout, MAX_RANK, RawView, Stride};

use super::memory_space::MemorySpace;
use super::rank::{AnyRank, Part, Rank};
use super::regroup::step;
use super::{View, ViewMut, ViewRef, checked_count};
use crate::{Error, ErrorKind, Result};

/// `raw` with `axis` as two dimensions of the extents `split`, of which the second varies fastest.
///
/// Indices of the result and of `raw` correspond one to one, with the same offsets.
fn split<'a, T: Element, const R: usize, M: MemorySpace, L: Layout>(
    raw: RawView<T, R, L>,
    axis: usize,
    split: [usize; 2],
    label: &'a str,
    owner: Option<&'a M::Allocation>,
) -> Result<Part<'a, T, M>> {
    const { assert!(R < MAX_RANK, "a View of rank 8 cannot have another dimension") };
    let fail = |what: String| Err(Error::new(ErrorKind::Extents, format!("view `{label}`: {what}")));
    let axes = raw.extents();
    if axis >= R {
        return fail(format!("there is no axis {axis} in rank {R}"));
    }
    if split[0].checked_mul(split[1]) != Some(axes[axis]) {
        return fail(format!("axis {axis} of extent {} cannot be split into {split:?}", axes[axis]));
    }
    let mut part =
        Part { pointer: raw.pointer(), extents: [0; MAX_RANK], strides: [0; MAX_RANK], label, owner };
    let mut rank = 0;
    for (from, extent) in axes.into_iter().enumerate() {
        (part.extents[rank], part.strides[rank]) = (extent, step(&raw, from));
        if from == axis {
            // With one index or none in the first dimension this stride is never used.
            (part.extents[rank], part.strides[rank]) = (split[0], split[1].wrapping_mul(step(&raw, axis)));
            rank += 1;
            (part.extents[rank], part.strides[rank]) = (split[1], step(&raw, axis));
        }
        rank += 1;
    }
    if raw.is_empty() {
        // If one extent is 0, the other can be any number.
        checked_count::<T>(label, &part.extents[..rank])?;
    }
    Ok(part)
}

macro_rules! split_axis {
    ($($view:ident [$($param:tt)*] $life:lifetime;)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Layout> $view<$($param)* T, R, M, L>
        where
            Rank<R>: AnyRank,
        {
            /// The same elements with `axis` as two dimensions of the given extents, of which the second varies fastest.
            ///
            /// Index `i` of the axis is the pair `[i / extents[1], i % extents[1]]`. The layout is
            /// [`Stride`](spelt_access::Stride); [`try_into_layout`](ViewRef::try_into_layout) recovers a dense one.
            ///
            /// # Errors
            /// [`ErrorKind::Extents`](crate::ErrorKind::Extents) if there is no such axis, or the extents' product is not its
            /// extent; [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) if the View is empty and the extents are too
            /// large. Rank 6 does not compile.
            ///
            /// # Complexity
            /// O(R); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{Right, View};
            /// let v = View::from_fn("v", [2, 6], |[i, j]| 10 * i + j)?;
            /// let w = v.split_axis(1, [2, 3])?;
            /// assert_eq!((w.extents(), w[[1, 1, 2]]), ([2, 2, 3], 15));
            /// assert!(w.try_into_layout::<Right>().is_ok());
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn split_axis(
                &self,
                axis: usize,
                extents: [usize; 2],
            ) -> Result<<<Rank<R> as AnyRank>::Next as AnyRank>::Ref<$life, T, M, Stride>> {
                let view = self.view();
                let part = split(view.raw, axis, extents, view.label, view.owner)?;
                // SAFETY: `split` gives each index the offset of an index of the View, whose elements are borrowed shared.
                Ok(unsafe { <Rank<R> as AnyRank>::Next::shared(part) })
            }
        }
    )*};
}
split_axis! { View [] '_; ViewRef ['a,] 'a; ViewMut ['a,] '_; }

macro_rules! split_axis_mut {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Layout> $view<$($param)* T, R, M, L>
        where
            Rank<R>: AnyRank,
        {
            /// The same elements with `axis` as two dimensions, mutably; see [`split_axis`](Self::split_axis).
            ///
            /// # Errors
            /// As [`split_axis`](Self::split_axis).
            ///
            /// # Examples
            /// ```
            /// let mut v = spelt_core::View::from_fn("v", [6], |[i]| i)?;
            /// v.split_axis_mut(0, [2, 3])?[[1, 1]] = 99;
            /// assert_eq!(v[4], 99);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn split_axis_mut(
                &mut self,
                axis: usize,
                extents: [usize; 2],
            ) -> Result<<<Rank<R> as AnyRank>::Next as AnyRank>::Mut<'_, T, M, Stride>> {
                let view = self.view_mut();
                let part = split(view.raw, axis, extents, view.label, view.owner)?;
                // SAFETY: `split` maps the indices one to one to those of the View, to which `view` had exclusive access.
                Ok(unsafe { <Rank<R> as AnyRank>::Next::exclusive(part) })
            }
        }
    )*};
}
split_axis_mut! { View []; ViewMut ['a,]; }
