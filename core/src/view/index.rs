//! Indexing with brackets on the host, and the order of indices in memory.

use core::ops::{Index, IndexMut};

use spelt_access::{AsIndex, Element, Layout};

use super::memory_space::{HostAccessible, MemorySpace};
use super::{View, ViewMut, ViewRef, mismatch};

/// An index of a View of rank `R` in the memory `M`, on the host: `[usize; R]`, or a plain `usize` for rank 1, where the host reaches `M`.
///
/// The memory space is a parameter so that the compiler's message is that the host cannot reach it, not that the View has no brackets.
/// As for slices, other integers are not indices here: an untyped number would be an `i32`, whose arithmetic overflows early. Sealed.
///
/// # Examples
/// ```
/// use spelt_core::{HostIndex, HostSpace, View};
/// fn first<const R: usize>(v: &View<i32, R>, index: impl HostIndex<HostSpace, R>) -> i32 {
///     v[index]
/// }
/// let v = View::from_vec("v", [2], vec![3, 4])?;
/// assert_eq!((first(&v, 1), first(&v, [0])), (4, 3));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait HostIndex<M: ?Sized, const R: usize>: AsIndex<R> + sealed::Sealed {}

impl<M: HostAccessible, const R: usize> HostIndex<M, R> for [usize; R] {}
impl<M: HostAccessible> HostIndex<M, 1> for usize {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl<const R: usize> Sealed for [usize; R] {}
}

/// Whether these strides give every index the offset that it has in a dense array.
pub(super) fn is_dense<L: Layout, const R: usize>(extents: [usize; R], strides: [usize; R]) -> bool {
    let dense = L::strides(extents);
    extents.contains(&0) || (0..R).all(|d| extents[d] == 1 || strides[d] == dense[d])
}

/// Whether dense elements lie in the same order in the layouts `L` and `K`.
pub(super) fn has_order_of<L: Layout, K: Layout, const R: usize>(extents: [usize; R]) -> bool {
    is_dense::<K, R>(extents, L::strides(extents))
}

/// The dimensions from the largest stride to the smallest: in dense memory, from the slowest to the fastest.
#[cfg(any(feature = "ndarray", test))]
pub(super) fn memory_order<const R: usize>(strides: [usize; R]) -> [usize; R] {
    let mut order: [usize; R] = core::array::from_fn(|dimension| dimension);
    order.sort_by_key(|&dimension| core::cmp::Reverse(strides[dimension]));
    order
}

/// Whether different indices have different offsets, by a sufficient rule that holds for every nesting of dimensions:
/// sorted by size, each stride exceeds the largest offset that the smaller ones reach.
pub(super) fn is_injective<const R: usize>(extents: [usize; R], strides: [usize; R]) -> bool {
    if extents.contains(&0) {
        return true;
    }
    let mut order: [usize; R] = core::array::from_fn(|dimension| dimension);
    order.sort_unstable_by_key(|&dimension| strides[dimension]);
    let mut reach = 0_usize;
    for dimension in order {
        if extents[dimension] > 1 {
            if strides[dimension] <= reach {
                return false;
            }
            reach = reach.saturating_add(strides[dimension].saturating_mul(extents[dimension] - 1));
        }
    }
    true
}

/// Calls `f` with every index, the last fastest.
pub(crate) fn for_each_index<const R: usize>(extents: [usize; R], mut f: impl FnMut([usize; R])) {
    let Some((&inner, outer)) = extents.split_last() else { return f([0; R]) };
    if extents.contains(&0) {
        return;
    }
    let mut index = [0; R];
    loop {
        for last in 0..inner {
            index[R - 1] = last;
            f(index);
        }
        // the outer dimensions count like an odometer
        let mut dimension = outer.len();
        loop {
            if dimension == 0 {
                return;
            }
            dimension -= 1;
            index[dimension] += 1;
            if index[dimension] < outer[dimension] {
                break;
            }
            index[dimension] = 0;
        }
    }
}

macro_rules! brackets {
    ($($view:ident $(<$life:lifetime>)?),*) => {$(
        impl<$($life,)? T, I, const R: usize, M, L> Index<I> for $view<$($life,)? T, R, M, L>
        where
            T: Element, I: HostIndex<M, R>, M: MemorySpace, L: Layout,
        {
            type Output = T;
            #[inline]
            #[track_caller]
            fn index(&self, index: I) -> &T {
                let index = index.as_index();
                if !self.raw.contains(index) {
                    mismatch::index(self.label(), &index, &self.extents());
                }
                // SAFETY: in bounds, so the element is initialised memory, which is borrowed; `HostIndex<M, R>` holds only
                // where the host reaches `M`.
                unsafe { &*self.raw.at(index) }
            }
        }
    )*};
}
brackets!(View, ViewRef<'a>, ViewMut<'a>);

macro_rules! mutable_brackets {
    ($($view:ident $(<$life:lifetime>)?),*) => {$(
        impl<$($life,)? T, I, const R: usize, M, L> IndexMut<I> for $view<$($life,)? T, R, M, L>
        where
            T: Element, I: HostIndex<M, R>, M: MemorySpace, L: Layout,
        {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, index: I) -> &mut T {
                let index = index.as_index();
                if !self.raw.contains(index) {
                    mismatch::index(self.label(), &index, &self.extents());
                }
                // SAFETY: in bounds, so the element is initialised memory, and `self` is borrowed exclusively;
                // `HostIndex<M, R>` holds only where the host reaches `M`.
                unsafe { &mut *self.raw.at(index) }
            }
        }
    )*};
}
mutable_brackets!(View, ViewMut<'a>);

macro_rules! rank_zero {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, M: HostAccessible, L: Layout> $view<$($param)* T, 0, M, L> {
            /// The element of a View of rank 0.
            ///
            /// # Examples
            /// ```
            /// let v = spelt_core::View::from_vec("v", [], vec![3.5])?;
            /// assert_eq!(v.value(), 3.5);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            #[inline]
            pub fn value(&self) -> T {
                self[[]]
            }
        }
    )*};
}
rank_zero! { View []; ViewRef ['a,]; ViewMut ['a,]; }

macro_rules! mutable_rank_zero {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, M: HostAccessible, L: Layout> $view<$($param)* T, 0, M, L> {
            /// Replaces the element of a View of rank 0.
            ///
            /// # Examples
            /// ```
            /// let mut v = spelt_core::View::<i32, 0>::zeros("v", [])?;
            /// v.set(7);
            /// assert_eq!(v.value(), 7);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[inline]
            pub fn set(&mut self, value: T) {
                self[[]] = value;
            }
        }
    )*};
}
mutable_rank_zero! { View []; ViewMut ['a,]; }

#[cfg(test)]
mod tests {
    use spelt_access::{Left, Right, Stride};

    use super::*;

    /// Also an order of dimensions that no layout has: matrices column by column, one after the other.
    #[test]
    fn the_order_in_memory_is_that_of_the_strides() {
        assert_eq!(memory_order(Right::strides([2, 3, 4])), [0, 1, 2]);
        assert_eq!(memory_order(Left::strides([2, 3, 4])), [2, 1, 0]);
        assert_eq!(memory_order([12, 1, 3]), [0, 2, 1]);
        assert_eq!(memory_order([]), [0_usize; 0]);
    }

    #[test]
    fn orders_differ_only_where_two_dimensions_have_several_indices() {
        assert!(has_order_of::<Stride, Right, 3>([2, 3, 4]));
        assert!(!has_order_of::<Left, Right, 2>([2, 3]) && !has_order_of::<Right, Left, 2>([2, 3]));
        assert!(has_order_of::<Left, Right, 1>([9]) && has_order_of::<Left, Right, 0>([]));
        assert!(has_order_of::<Left, Right, 3>([1, 9, 1]) && has_order_of::<Right, Left, 2>([0, 5]));
    }
}
