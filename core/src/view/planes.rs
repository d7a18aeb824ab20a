//! All planes of a View at the same time, each as a separate View.

use spelt_access::{Element, MAX_RANK, RawView};

use super::memory_space::MemorySpace;
use super::rank::{AnyRank, Part, Rank};
use super::regroup::step;
use super::subview::Sliceable;
use super::{View, ViewMut, ViewRef, mismatch};

/// The `N` parts of `raw` with one index each in the slowest dimension. Different parts have no index of `raw` in common.
#[track_caller]
fn planes<'a, T: Element, const R: usize, const N: usize, M: MemorySpace, L: Sliceable>(
    raw: RawView<T, R, L>,
    label: &'a str,
    owner: Option<&'a M::Allocation>,
) -> [Part<'a, T, M>; N] {
    const { assert!(R > 0, "a View of rank 0 has no planes") };
    let (extents, outer) = (raw.extents(), L::outer(R));
    if extents[outer] != N {
        mismatch::planes(label, outer, N, &extents);
    }
    core::array::from_fn(|plane| {
        let mut part =
            Part { pointer: raw.pointer(), extents: [0; MAX_RANK], strides: [0; MAX_RANK], label, owner };
        let kept = (0..R).filter(|&dimension| dimension != outer);
        for (place, dimension) in kept.enumerate() {
            (part.extents[place], part.strides[place]) = (extents[dimension], raw.strides()[dimension]);
        }
        if !raw.is_empty() {
            part.pointer = part.pointer.wrapping_add(plane.wrapping_mul(step(&raw, outer)));
        }
        part
    })
}

macro_rules! planes {
    ($($view:ident [$($param:tt)*] $life:lifetime;)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Sliceable> $view<$($param)* T, R, M, L>
        where
            Rank<R>: AnyRank,
        {
            /// The planes along the slowest dimension (`Right`, `Stride`: the first; `Left`: the last), in order; they keep
            /// the layout.
            ///
            /// # Panics
            /// If that dimension's extent is not `N`. Rank 0 does not compile.
            ///
            /// # Complexity
            /// O(N R); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// let state = spelt_core::View::from_fn("state", [2, 3], |[field, i]| 10 * field + i)?;
            /// let [density, momentum] = state.planes();
            /// assert_eq!((density[1], momentum[2]), (1, 12));
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            #[track_caller]
            pub fn planes<const N: usize>(
                &self,
            ) -> [<<Rank<R> as AnyRank>::Previous as AnyRank>::Ref<$life, T, M, L>; N] {
                let view = self.view();
                planes(view.raw, view.label, view.owner).map(|part| {
                    // SAFETY: the plane's elements are the View's, which is borrowed shared; without its slowest dimension a
                    // dense layout's strides are its own.
                    unsafe { <Rank<R> as AnyRank>::Previous::shared(part) }
                })
            }
        }
    )*};
}
planes! { View [] '_; ViewRef ['a,] 'a; ViewMut ['a,] '_; }

macro_rules! planes_mut {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Sliceable> $view<$($param)* T, R, M, L>
        where
            Rank<R>: AnyRank,
        {
            /// The planes along the slowest dimension, which can be written at the same time, also by one launch; see
            /// [`planes`](Self::planes).
            ///
            /// # Panics
            /// As [`planes`](Self::planes).
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
            /// let mut state = View::from_fn("state", [2, 3], |[field, i]| 10 * field + i)?;
            /// let [mut density, mut momentum] = state.planes_mut::<2>();
            /// parallel_for("exchange", Serial::new().range(0..3), (&mut density, &mut momentum), |i, (mut d, mut m)| {
            ///     (d[i], m[i]) = (m[i], d[i]);
            /// })?;
            /// assert_eq!(state.to_vec(), [10, 11, 12, 0, 1, 2]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            ///
            /// The View itself is borrowed as long as they live:
            /// ```compile_fail,E0502
            /// let mut state = spelt_core::View::<f64, 2>::zeros("state", [2, 3])?;
            /// let [mut density, _momentum] = state.planes_mut::<2>();
            /// let first = state.view();
            /// density[0] = first[[0, 1]];
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            #[track_caller]
            pub fn planes_mut<const N: usize>(
                &mut self,
            ) -> [<<Rank<R> as AnyRank>::Previous as AnyRank>::Mut<'_, T, M, L>; N] {
                let view = self.view_mut();
                planes(view.raw, view.label, view.owner).map(|part| {
                    // SAFETY: the plane's elements are the View's, which only `view` could reach, and no index is in two
                    // planes; without its slowest dimension a dense layout's strides are its own.
                    unsafe { <Rank<R> as AnyRank>::Previous::exclusive(part) }
                })
            }
        }
    )*};
}
planes_mut! { View []; ViewMut ['a,]; }
