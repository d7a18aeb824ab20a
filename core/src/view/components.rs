//! Elements that are arrays as another dimension, and the reverse.

use spelt_access::{Element, Layout, Left, MAX_RANK, RawView, Right, Stride};

use super::memory_space::MemorySpace;
use super::rank::{AnyRank, Part, Rank};
use super::regroup::step;
use super::{View, ViewMut, ViewRef, checked_count};
use crate::{Error, ErrorKind, Result};

/// The layout of the same memory when the last dimension becomes arrays, or arrays become the last dimension.
///
/// | layout | with arrays exchanged |
/// |---|---|
/// | `Right` | `Right` |
/// | `Left`, `Stride` | `Stride` |
///
/// The trait is sealed, because a wrong layout would reach other elements.
///
/// # Examples
/// ```
/// use spelt_core::{Left, Right, Stride, subview::ArrayLayout};
/// let _: <Right as ArrayLayout>::Exchanged = Right;
/// let _: <Left as ArrayLayout>::Exchanged = Stride;
/// ```
pub trait ArrayLayout: Layout + sealed::Sealed {
    /// The layout after the exchange.
    type Exchanged: Layout;
}
impl ArrayLayout for Right {
    type Exchanged = Right;
}
impl ArrayLayout for Left {
    type Exchanged = Stride;
}
impl ArrayLayout for Stride {
    type Exchanged = Stride;
}
mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Right {}
    impl Sealed for super::Left {}
    impl Sealed for super::Stride {}
}

/// The strides of `K` for `extents`, or the given ones if `K` takes any strides.
fn strides_of<K: Layout>(
    mut extents: [usize; MAX_RANK],
    rank: usize,
    strides: [usize; MAX_RANK],
) -> [usize; MAX_RANK] {
    if K::unit_dimension(1).is_none() {
        return strides;
    }
    // `K` is `Right`, in which dimensions of extent 1 at the end change no stride.
    extents[rank..].fill(1);
    K::strides(extents)
}

/// The components of arrays: index `[.., c]` is component `c` of the array at `[..]`.
fn components<'a, T: Element, const R: usize, const N: usize, M: MemorySpace, L: ArrayLayout>(
    raw: RawView<[T; N], R, L>,
    label: &'a str,
    owner: Option<&'a M::Allocation>,
) -> Result<Part<'a, T, M>> {
    const { assert!(R < MAX_RANK, "a View of rank 8 cannot have another dimension") };
    let (mut extents, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
    for axis in 0..R {
        extents[axis] = raw.extents()[axis];
        let stride = step(&raw, axis);
        // Strides that no index uses may wrap; the others overflow only if the elements have no size.
        let used = extents[axis] > 1 && !raw.is_empty();
        strides[axis] = match stride.checked_mul(N) {
            None if used => {
                return Err(Error::new(
                    ErrorKind::Overflow,
                    format!(
                        "view `{label}`: the stride {stride} times {N} does not fit in the address space"
                    ),
                ));
            }
            _ => stride.wrapping_mul(N),
        };
    }
    (extents[R], strides[R]) = (N, 1);
    checked_count::<T>(label, &extents[..=R])?;
    let strides = strides_of::<L::Exchanged>(extents, R + 1, strides);
    Ok(Part { pointer: raw.pointer().cast(), extents, strides, label, owner })
}

/// The last dimension as arrays: the array at `[..]` has the elements `[.., 0]` to `[.., N - 1]`.
fn arrays<'a, T: Element, const R: usize, const N: usize, M: MemorySpace, L: ArrayLayout>(
    raw: RawView<T, R, L>,
    label: &'a str,
    owner: Option<&'a M::Allocation>,
) -> Result<Part<'a, [T; N], M>> {
    const {
        assert!(R > 0, "a View of rank 0 has no dimension to take arrays from");
        assert!(N > 0, "arrays have at least one element");
    }
    let last = R.saturating_sub(1);
    let axes = raw.extents();
    if axes[last] != N {
        return Err(Error::new(
            ErrorKind::Extents,
            format!(
                "view `{label}`: the last dimension of the extents {axes:?} is not the {N} elements of an array: \
                 split it with `split_axis`"
            ),
        ));
    }
    let (mut extents, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
    let mut contiguous = N == 1 || step(&raw, last) == 1;
    for axis in 0..last {
        let stride = step(&raw, axis);
        contiguous &= axes[axis] <= 1 || stride.is_multiple_of(N);
        (extents[axis], strides[axis]) = (axes[axis], stride / N);
    }
    if !contiguous && !raw.is_empty() {
        return Err(Error::new(
            ErrorKind::Layout,
            format!(
                "view `{label}`: the strides {:?} with the extents {axes:?} do not form arrays of {N}: the last \
                 dimension must be contiguous, and all other strides must be multiples of {N}",
                raw.strides()
            ),
        ));
    }
    let strides = strides_of::<L::Exchanged>(extents, last, strides);
    Ok(Part { pointer: raw.pointer().cast(), extents, strides, label, owner })
}

macro_rules! exchange {
    ($($view:ident [$($param:tt)*] $life:lifetime;)*) => {$(
        impl<$($param)* T: Element, const R: usize, const N: usize, M: MemorySpace, L: ArrayLayout>
            $view<$($param)* [T; N], R, M, L>
        where
            Rank<R>: AnyRank,
        {
            /// The components of all arrays: another dimension of extent `N`, after the others. The layout is that of
            /// [`ArrayLayout`](crate::subview::ArrayLayout).
            ///
            /// # Errors
            /// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) if the extents times `N` do not fit in the address space:
            /// possible only if indices share elements, or elements have no size. Rank 6 does not compile.
            ///
            /// # Complexity
            /// O(R); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// let points = spelt_core::View::from_vec("points", [2], vec![[1, 2, 3], [4, 5, 6]])?;
            /// let numbers = points.components()?;
            /// assert_eq!((numbers.extents(), numbers[[1, 0]]), ([2, 3], 4));
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn components(
                &self,
            ) -> Result<<<Rank<R> as AnyRank>::Next as AnyRank>::Ref<$life, T, M, L::Exchanged>> {
                let view = self.view();
                let part = components(view.raw, view.label, view.owner)?;
                // SAFETY: each index of the part is a component of an array of the View, which is borrowed shared.
                Ok(unsafe { <Rank<R> as AnyRank>::Next::shared(part) })
            }
        }

        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: ArrayLayout> $view<$($param)* T, R, M, L>
        where
            Rank<R>: AnyRank,
        {
            /// The last dimension as elements: arrays of `N`, the inverse of `components`. The layout is that of
            /// [`ArrayLayout`](crate::subview::ArrayLayout).
            ///
            /// # Errors
            /// [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the last extent is not `N`;
            /// [`ErrorKind::Layout`](crate::ErrorKind::Layout) if the last dimension is not contiguous in memory, or another
            /// stride is not a multiple of `N`. Rank 0 and `N = 0` do not compile.
            ///
            /// # Complexity
            /// O(R); nothing is copied.
            ///
            /// # Examples
            /// ```
            /// let numbers = spelt_core::View::from_fn("numbers", [2, 3], |[i, j]| 10 * i + j)?;
            /// assert_eq!(numbers.arrays::<3>()?[1], [10, 11, 12]);
            /// // A dimension of six is first split:
            /// let flat = spelt_core::View::from_fn("flat", [6], |[i]| i)?;
            /// assert_eq!(flat.split_axis(0, [2, 3])?.arrays::<3>()?[1], [3, 4, 5]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn arrays<const N: usize>(
                &self,
            ) -> Result<<<Rank<R> as AnyRank>::Previous as AnyRank>::Ref<$life, [T; N], M, L::Exchanged>> {
                let view = self.view();
                let part = arrays(view.raw, view.label, view.owner)?;
                // SAFETY: each array of the part consists of elements of the View, which is borrowed shared; `[T; N]` has
                // the alignment of `T`.
                Ok(unsafe { <Rank<R> as AnyRank>::Previous::shared(part) })
            }
        }
    )*};
}
exchange! { View [] '_; ViewRef ['a,] 'a; ViewMut ['a,] '_; }

macro_rules! exchange_mut {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, const N: usize, M: MemorySpace, L: ArrayLayout>
            $view<$($param)* [T; N], R, M, L>
        where
            Rank<R>: AnyRank,
        {
            /// The components of all arrays, mutably; see [`components`](Self::components).
            ///
            /// # Errors
            /// As [`components`](Self::components).
            ///
            /// # Examples
            /// ```
            /// let mut points = spelt_core::View::from_vec("points", [2], vec![[1, 2, 3], [4, 5, 6]])?;
            /// points.components_mut()?[[1, 2]] = 60;
            /// assert_eq!(points[1], [4, 5, 60]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn components_mut(
                &mut self,
            ) -> Result<<<Rank<R> as AnyRank>::Next as AnyRank>::Mut<'_, T, M, L::Exchanged>> {
                let view = self.view_mut();
                let part = components(view.raw, view.label, view.owner)?;
                // SAFETY: each index of the part is another component of an array of the View, to which `view` had exclusive
                // access.
                Ok(unsafe { <Rank<R> as AnyRank>::Next::exclusive(part) })
            }
        }

        impl<$($param)* T: Element, const R: usize, M: MemorySpace, L: ArrayLayout> $view<$($param)* T, R, M, L>
        where
            Rank<R>: AnyRank,
        {
            /// The last dimension as elements, mutably; see [`arrays`](Self::arrays).
            ///
            /// # Errors
            /// As [`arrays`](Self::arrays).
            ///
            /// # Examples
            /// ```
            /// let mut numbers = spelt_core::View::from_fn("numbers", [2, 3], |[i, j]| 10 * i + j)?;
            /// numbers.arrays_mut::<3>()?[0] = [7, 8, 9];
            /// assert_eq!(numbers.row(0), [7, 8, 9]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            pub fn arrays_mut<const N: usize>(
                &mut self,
            ) -> Result<<<Rank<R> as AnyRank>::Previous as AnyRank>::Mut<'_, [T; N], M, L::Exchanged>> {
                let view = self.view_mut();
                let part = arrays(view.raw, view.label, view.owner)?;
                // SAFETY: the arrays start at different multiples of `N`, because the View's indices have different
                // offsets, so none overlap; `view` had their elements exclusively; `[T; N]` has the alignment of `T`.
                Ok(unsafe { <Rank<R> as AnyRank>::Previous::exclusive(part) })
            }
        }
    )*};
}
exchange_mut! { View []; ViewMut ['a,]; }
