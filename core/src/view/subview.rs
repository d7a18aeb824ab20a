//! Subviews: parts of a View, as contiguous as the types can prove.
//!
//! A subview is described by a tuple with one entry per dimension: an index, a range of any kind, [`All`], or a
//! range with a step, [`(0..10).step(2)`](Steps::step). An index removes its dimension; the others keep it.
//!
//! | View | slices | layout of the subview |
//! |---|---|---|
//! | `Right` | indices, then at most one range, then only `All` | `Right` |
//! | `Left` | only `All`, then at most one range, then indices | `Left` |
//! | `Right`, `Left` | anything else | `Stride` |
//! | `Stride` | anything | `Stride` |
//!
//! So the rows `(i, All)` and blocks of rows `(2..5, All)` of a `Right` View are `Right`, and `(All, j)` is `Stride`.

use spelt_access::{Element, Layout, Left, MAX_RANK, RawView, Right, Stride};

pub use super::components::ArrayLayout;
pub use super::kernel_subview::{SlabOf, SubviewInKernel};
use super::memory_space::MemorySpace;
use super::rank::Part;
pub use super::rank::{AnyRank, Rank};
pub use super::slice::{All, Slice, Stepped, Steps};
use super::slice::{Kind, Misfit, Picked};
use super::{View, ViewMut, ViewRef, mismatch};
use crate::Result;

/// The contiguity of a subview, in a walk through its dimensions from the slowest to the fastest.
///
/// # Examples
/// ```
/// use spelt_core::{Right, Stride, subview::{Broken, Fixed, State}};
/// let _: <Fixed as State>::Layout<Right> = Right;
/// let _: <Broken as State>::Layout<Right> = Stride;
/// ```
pub trait State {
    /// The state after one more dimension.
    type After<K: Kind>: State;
    /// The layout of the subview of a View with layout `L`.
    type Layout<L: Layout>: Layout;
}
/// Only indices so far.
///
/// # Examples
/// ```
/// use spelt_core::{Left, subview::{Fixed, State}};
/// let _: <Fixed as State>::Layout<Left> = Left;
/// ```
#[derive(Debug)]
pub struct Fixed;
/// Indices, then one range; all further dimensions must be whole.
///
/// # Examples
/// ```
/// use spelt_core::{Left, subview::{Open, State}};
/// let _: <Open as State>::Layout<Left> = Left;
/// ```
#[derive(Debug)]
pub struct Open;
/// Gaps.
///
/// # Examples
/// ```
/// use spelt_core::{Left, Stride, subview::{Broken, State}};
/// let _: <Broken as State>::Layout<Left> = Stride;
/// ```
#[derive(Debug)]
pub struct Broken;

impl State for Fixed {
    type After<K: Kind> = K::AfterFixed;
    type Layout<L: Layout> = L;
}
impl State for Open {
    type After<K: Kind> = K::AfterOpen;
    type Layout<L: Layout> = L;
}
impl State for Broken {
    type After<K: Kind> = Broken;
    type Layout<L: Layout> = Stride;
}

/// A layout that determines the layouts of its subviews. Every layout does.
///
/// # Examples
/// ```
/// use spelt_core::{Left, Right, View, subview::Sliceable};
/// let _: <Right as Sliceable>::Transposed = Left;
/// let v = View::from_fn("v", [2, 3], |[i, j]| 10 * i + j)?;
/// assert_eq!(v.transposed().as_slice(), v.as_slice());
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait Sliceable: Layout {
    /// The subview's layout, from the states of a walk from the first dimension and of one from the last.
    type Subview<FromFirst: State, FromLast: State>: Layout;
    /// The layout of the View with its dimensions in reverse.
    type Transposed: Layout;
    /// The slowest dimension of rank `rank`, whose parts keep the layout.
    #[doc(hidden)]
    fn outer(rank: usize) -> usize;
}
impl Sliceable for Right {
    type Subview<FromFirst: State, FromLast: State> = FromFirst::Layout<Right>;
    type Transposed = Left;
    fn outer(_rank: usize) -> usize {
        0
    }
}
impl Sliceable for Left {
    type Subview<FromFirst: State, FromLast: State> = FromLast::Layout<Left>;
    type Transposed = Right;
    fn outer(rank: usize) -> usize {
        rank - 1
    }
}
impl Sliceable for Stride {
    type Subview<FromFirst: State, FromLast: State> = Stride;
    type Transposed = Stride;
    fn outer(_rank: usize) -> usize {
        0
    }
}

/// The description of a subview of a View of rank `R`: a tuple of `R` slices; for rank 1 also the slice alone.
///
/// The trait is sealed, because its bounds checks keep a subview within its View.
///
/// # Examples
/// ```
/// use spelt_core::{Right, View, ViewRef, HostSpace, subview::{All, Slices, Subview}};
/// fn part<'a, S: Slices<2>>(v: &'a View<i32, 2>, slices: S) -> Subview<'a, i32, 2, HostSpace, Right, S> {
///     v.subview(slices)
/// }
/// let v = View::from_vec("v", [2, 2], vec![1, 2, 3, 4])?;
/// let row: ViewRef<'_, i32, 1> = part(&v, (1, All));
/// assert_eq!(row.to_vec(), [3, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe a subview of a View of rank {R}",
    note = "give a tuple with one entry per dimension: an index, a range, `All`, or `(a..b).step(n)`"
)]
pub trait Slices<const R: usize>: sealed::Sealed<R> {
    /// The rank of the subview.
    type Rank: AnyRank;
    /// The state of a walk from the first dimension to the last.
    type FromFirst: State;
    /// The state of a walk from the last dimension to the first.
    type FromLast: State;
    /// The indices taken of each dimension, or the first dimension that the slice does not fit.
    #[doc(hidden)]
    fn pick(self, extents: [usize; R]) -> core::result::Result<[Picked; R], (usize, Misfit)>;
}

macro_rules! rank_of {
    ($rank:ty;) => { $rank };
    ($rank:ty; $head:ident $($tail:ident)*) => {
        rank_of!(<<$head as Slice>::Kind as Kind>::Grown<$rank>; $($tail)*)
    };
}
macro_rules! state_of {
    ($state:ty;) => { $state };
    ($state:ty; $head:ident $($tail:ident)*) => {
        state_of!(<$state as State>::After<<$head as Slice>::Kind>; $($tail)*)
    };
}
macro_rules! tuples {
    ($($rank:literal: $($name:ident $at:tt)*, $($reverse:ident)*;)*) => {$(
        impl<$($name: Slice),*> sealed::Sealed<$rank> for ($($name,)*) {}
        impl<$($name: Slice),*> Slices<$rank> for ($($name,)*) {
            type Rank = rank_of!(Rank<0>; $($name)*);
            type FromFirst = state_of!(Fixed; $($name)*);
            type FromLast = state_of!(Fixed; $($reverse)*);
            #[inline]
            fn pick(self, extents: [usize; $rank]) -> core::result::Result<[Picked; $rank], (usize, Misfit)> {
                Ok([$(match self.$at.pick(extents[$at]) {
                    Ok(picked) => picked,
                    Err(misfit) => return Err(($at, misfit)),
                }),*])
            }
        }
    )*};
}
tuples! {
    1: A 0, A;
    2: A 0 B 1, B A;
    3: A 0 B 1 C 2, C B A;
    4: A 0 B 1 C 2 D 3, D C B A;
    5: A 0 B 1 C 2 D 3 E 4, E D C B A;
    6: A 0 B 1 C 2 D 3 E 4 F 5, F E D C B A;
    7: A 0 B 1 C 2 D 3 E 4 F 5 G 6, G F E D C B A;
    8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7, H G F E D C B A;
}
mod sealed {
    pub trait Sealed<const R: usize> {}
    impl<A: super::Slice> Sealed<1> for A {}
}
impl<A: Slice> Slices<1> for A {
    type Rank = <(A,) as Slices<1>>::Rank;
    type FromFirst = <(A,) as Slices<1>>::FromFirst;
    type FromLast = <(A,) as Slices<1>>::FromLast;
    #[inline]
    fn pick(self, extents: [usize; 1]) -> core::result::Result<[Picked; 1], (usize, Misfit)> {
        (self,).pick(extents)
    }
}

/// The layout of the subview `S` of a View of rank `R` with layout `L`.
///
/// # Examples
/// ```
/// use spelt_core::{Right, Stride, subview::{All, LayoutOf}};
/// let _: LayoutOf<2, Right, (usize, All)> = Right;
/// let _: LayoutOf<2, Right, (All, usize)> = Stride;
/// ```
pub type LayoutOf<const R: usize, L, S> =
    <L as Sliceable>::Subview<<S as Slices<R>>::FromFirst, <S as Slices<R>>::FromLast>;
/// The shared subview `S`: a [`ViewRef`] with rank and layout by the [rules](self).
///
/// # Examples
/// ```
/// use spelt_core::{HostSpace, Right, View, subview::{All, Subview}};
/// let v = View::from_vec("v", [2, 2], vec![1, 2, 3, 4])?;
/// let column: Subview<'_, i32, 2, HostSpace, Right, (All, usize)> = v.subview((All, 1));
/// assert_eq!(column.to_vec(), [2, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type Subview<'a, T, const R: usize, M, L, S> =
    <<S as Slices<R>>::Rank as AnyRank>::Ref<'a, T, M, LayoutOf<R, L, S>>;
/// The exclusive subview `S`: a [`ViewMut`] with rank and layout by the [rules](self).
///
/// # Examples
/// ```
/// use spelt_core::{HostSpace, Right, View, subview::{All, SubviewMut}};
/// let mut v = View::<i32, 2>::zeros("v", [2, 2])?;
/// let mut column: SubviewMut<'_, i32, 2, HostSpace, Right, (All, usize)> = v.subview_mut((All, 1));
/// column.fill(5);
/// assert_eq!(v.to_vec(), [0, 5, 0, 5]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type SubviewMut<'a, T, const R: usize, M, L, S> =
    <<S as Slices<R>>::Rank as AnyRank>::Mut<'a, T, M, LayoutOf<R, L, S>>;

/// The indices that `slices` take of a View.
#[inline]
fn pick<S: Slices<R>, const R: usize>(slices: S, label: &str, extents: [usize; R]) -> Result<[Picked; R]> {
    slices.pick(extents).map_err(|(dimension, misfit)| misfit.error(label, dimension, extents[dimension]))
}

/// The part of `raw` at the `picked` indices. It has a subset of `raw`'s elements.
#[inline]
pub(super) fn part<'a, T: Element, const R: usize, M: MemorySpace, L: Layout>(
    raw: RawView<T, R, L>,
    picked: [Picked; R],
    label: &'a str,
    owner: Option<&'a M::Allocation>,
) -> Part<'a, T, M> {
    let mut part =
        Part { pointer: raw.pointer(), extents: [0; MAX_RANK], strides: [0; MAX_RANK], label, owner };
    let mut offset = 0_usize;
    let mut rank = 0;
    let mut empty = false;
    for (picked, stride) in picked.into_iter().zip(raw.strides()) {
        empty |= picked.count == 0;
        // A start behind the last index belongs to an empty part, which stays where its View begins.
        offset = offset.wrapping_add(picked.start.wrapping_mul(stride));
        if picked.keep {
            part.extents[rank] = picked.count;
            // With one index or none the stride is never used; with more, `step * stride` lies in the View.
            part.strides[rank] = if picked.count > 1 { stride.wrapping_mul(picked.step) } else { stride };
            rank += 1;
        }
    }
    if !empty {
        part.pointer = part.pointer.wrapping_add(offset);
    }
    part
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Sliceable> ViewRef<'a, T, R, M, L> {
    #[inline]
    pub(super) fn sliced<S: Slices<R>>(self, slices: S) -> Result<Subview<'a, T, R, M, L, S>> {
        let picked = pick(slices, self.label, self.extents())?;
        // SAFETY: each index of the part is one of this View, at the same place. The part's strides are its layout's
        // own where that is dense, by the table above; elsewhere it is `Stride`.
        Ok(unsafe { S::Rank::shared(part(self.raw, picked, self.label, self.owner)) })
    }

    pub(super) fn reversed(self) -> ViewRef<'a, T, R, M, L::Transposed> {
        // SAFETY: the same elements; the reverse of a dense layout's strides are those of its mirror image.
        unsafe { ViewRef::new(reversed(self.raw), self.label, self.owner) }
    }
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Sliceable> ViewMut<'a, T, R, M, L> {
    #[inline]
    pub(super) fn sliced_mut<S: Slices<R>>(self, slices: S) -> Result<SubviewMut<'a, T, R, M, L, S>> {
        let picked = pick(slices, self.label, self.extents())?;
        // SAFETY: each index of the part is one of this View, at the same place, and `self`, which had the elements exclusively, is
        // gone. The part's strides are its layout's own where that is dense, and a subset of injective is injective.
        Ok(unsafe { S::Rank::exclusive(part(self.raw, picked, self.label, self.owner)) })
    }

    pub(super) fn reversed_mut(self) -> ViewMut<'a, T, R, M, L::Transposed> {
        // SAFETY: the same elements, and `self`, which had them exclusively, is gone; the reverse of a dense layout's strides are
        // those of its mirror image.
        unsafe { ViewMut::new(reversed(self.raw), self.label, self.owner) }
    }
}

fn reversed<T, const R: usize, L: Sliceable>(raw: RawView<T, R, L>) -> RawView<T, R, L::Transposed> {
    let (mut extents, mut strides) = (raw.extents(), raw.strides());
    extents.reverse();
    strides.reverse();
    RawView::new(raw.pointer(), extents, strides)
}

/// Subviews and transposes, for reading.
macro_rules! slicing {
    ($($view:ident [$($param:tt)*] $life:lifetime;)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Sliceable> $view<$($param)* T, R, M, L> {
            /// The part of this View that `slices` describes: see the [module](crate::subview) for the table of
            /// layouts.
            ///
            /// # Panics
            /// If an index or range is out of bounds, a range ends before its start, or a step is 0.
            ///
            /// # Complexity
            /// O(R); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{View, subview::{All, Steps}};
            /// let v = View::from_fn("v", [4, 6], |[i, j]| 10 * i + j)?;
            /// assert_eq!(v.subview((2, All)).as_slice(), Some(&[20, 21, 22, 23, 24, 25][..]));
            /// assert_eq!(v.subview((1..=3, 5)).to_vec(), [15, 25, 35]);
            /// assert_eq!(v.subview((0, (1..6).step(2))).to_vec(), [1, 3, 5]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn subview<S: Slices<R>>(&self, slices: S) -> Subview<$life, T, R, M, L, S> {
                match self.view().sliced(slices) {
                    Ok(subview) => subview,
                    Err(error) => mismatch::error(error),
                }
            }

            /// The part of this View that `slices` describes, if it is within the extents.
            ///
            /// # Errors
            /// [`ErrorKind::Extents`](crate::ErrorKind::Extents) in all cases in which [`subview`](Self::subview) panics.
            ///
            /// # Examples
            /// ```
            /// let v = spelt_core::View::from_fn("v", [4], |[i]| i)?;
            /// assert_eq!(v.try_subview(1..3)?.to_vec(), [1, 2]);
            /// assert!(v.try_subview(1..5).is_err());
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[inline]
            pub fn try_subview<S: Slices<R>>(&self, slices: S) -> Result<Subview<$life, T, R, M, L, S>> {
                self.view().sliced(slices)
            }

            /// The same elements with the dimensions in reverse: a `Right` View as a `Left` one, and vice versa.
            ///
            /// # Complexity
            /// O(R); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{HostSpace, Left, View, ViewRef};
            /// let v = View::from_fn("v", [2, 3], |[i, j]| 10 * i + j)?;
            /// let transposed: ViewRef<'_, usize, 2, HostSpace, Left> = v.transposed();
            /// assert_eq!((transposed.extents(), transposed[[2, 1]]), ([3, 2], 12));
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            pub fn transposed(&self) -> ViewRef<$life, T, R, M, L::Transposed> {
                self.view().reversed()
            }
        }
    )*};
}
slicing! { View [] '_; ViewRef ['a,] 'a; ViewMut ['a,] '_; }

/// Subviews and transposes, for writing.
macro_rules! slicing_mut {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: Sliceable> $view<$($param)* T, R, M, L> {
            /// The part of this View that `slices` describes, mutably.
            ///
            /// For two parts at the same time, see [`split_at`](ViewMut::split_at).
            ///
            /// # Panics
            /// As [`subview`](Self::subview).
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{View, subview::All};
            /// let mut v = View::<i32, 2>::zeros("v", [2, 3])?;
            /// v.subview_mut((All, 1)).fill(7);
            /// assert_eq!(v.as_slice(), Some(&[0, 7, 0, 0, 7, 0][..]));
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn subview_mut<S: Slices<R>>(&mut self, slices: S) -> SubviewMut<'_, T, R, M, L, S> {
                match self.view_mut().sliced_mut(slices) {
                    Ok(subview) => subview,
                    Err(error) => mismatch::error(error),
                }
            }

            /// The part of this View that `slices` describes, mutably, if it is within the extents.
            ///
            /// # Errors
            /// As [`try_subview`](Self::try_subview).
            ///
            /// # Examples
            /// ```
            /// let mut v = spelt_core::View::<i32, 1>::zeros("v", [3])?;
            /// v.try_subview_mut(1..)?.fill(2);
            /// assert_eq!(v.to_vec(), [0, 2, 2]);
            /// assert!(v.try_subview_mut(4).is_err());
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[inline]
            pub fn try_subview_mut<S: Slices<R>>(&mut self, slices: S) -> Result<SubviewMut<'_, T, R, M, L, S>> {
                self.view_mut().sliced_mut(slices)
            }

            /// The same elements with the dimensions in reverse, mutably.
            ///
            /// # Examples
            /// ```
            /// let mut v = spelt_core::View::<i32, 2>::zeros("v", [2, 3])?;
            /// v.transposed_mut()[[2, 1]] = 7;
            /// assert_eq!(v[[1, 2]], 7);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            pub fn transposed_mut(&mut self) -> ViewMut<'_, T, R, M, L::Transposed> {
                self.view_mut().reversed_mut()
            }
        }
    )*};
}
slicing_mut! { View []; ViewMut ['a,]; }

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Sliceable> ViewMut<'a, T, R, M, L> {
    /// The part that `slices` describes, for the whole lifetime of the borrow; the View itself is consumed.
    ///
    /// # Panics
    /// As [`subview`](Self::subview).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Stride, View, ViewMut, subview::All};
    /// fn column(v: ViewMut<'_, i32, 2>, j: usize) -> ViewMut<'_, i32, 1, spelt_core::HostSpace, Stride> {
    ///     v.into_subview((All, j))
    /// }
    /// let mut v = View::<i32, 2>::zeros("v", [2, 2])?;
    /// column(v.view_mut(), 1)[0] = 5;
    /// assert_eq!(v.to_vec(), [0, 5, 0, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn into_subview<S: Slices<R>>(self, slices: S) -> SubviewMut<'a, T, R, M, L, S> {
        match self.sliced_mut(slices) {
            Ok(subview) => subview,
            Err(error) => mismatch::error(error),
        }
    }
}
