//! Views from and to ndarray's arrays, without a copy.
//!
//! | from | to | copies |
//! |---|---|---|
//! | `&ArrayBase`, `ArrayView` | [`ViewRef`] with layout `Stride`, by `try_from` | no |
//! | `&mut ArrayBase`, `ArrayViewMut` | [`ViewMut`] with layout `Stride`, by `try_from` | no |
//! | `Array` | [`View`], by [`from_ndarray`](View::from_ndarray) | only where its memory order is not the layout's |
//! | any View | `ArrayView`, by [`ndarray`](View::ndarray) | no |
//! | `View`, `ViewMut` | `ArrayViewMut`, by [`ndarray_mut`](View::ndarray_mut) | no |
//! | [`View`] | `Array`, by [`into_ndarray`](View::into_ndarray) | only where the memory is not a `Vec`'s |

use ndarray::{
    Array, ArrayBase, ArrayView, ArrayViewMut, Data, DataMut, Dim, Dimension, IntoDimension, ShapeBuilder,
};
use spelt_access::{Element, Layout, RawView, Stride};

use super::index::{is_dense, is_injective, memory_order};
use super::memory_space::{HostAccessible, HostSpace};
use super::{View, ViewMut, ViewRef};
use crate::{Error, ErrorKind, Result};

/// The label of a View of an ndarray until it is renamed.
const LABEL: &str = "ndarray";

/// Extents and strides of an array, with the strides as Views store them.
fn shape<const R: usize>(shape: &[usize], strides: &[isize]) -> Result<([usize; R], [usize; R])> {
    let extents: [usize; R] = core::array::from_fn(|d| shape[d]);
    let empty = extents.contains(&0);
    let mut steps = [1; R];
    for dimension in 0..R {
        // With one index or none, the stride is meaningless.
        if extents[dimension] > 1 && !empty {
            steps[dimension] = usize::try_from(strides[dimension]).map_err(|_| {
                Error::new(
                    ErrorKind::Layout,
                    format!(
                        "view `{LABEL}`: the array's strides {strides:?} run backwards in dimension {dimension}: \
                         invert that axis, or copy the array"
                    ),
                )
            })?;
        }
    }
    Ok((extents, steps))
}

/// A read-only View of an array, without a copy. Axes of stride 0, which broadcasting makes, keep it.
///
/// # Errors
/// [`ErrorKind::Layout`] if an axis runs backwards.
impl<'a, T: Element, const R: usize> TryFrom<ArrayView<'a, T, Dim<[usize; R]>>>
    for ViewRef<'a, T, R, HostSpace, Stride>
where
    Dim<[usize; R]>: Dimension,
{
    type Error = Error;
    fn try_from(array: ArrayView<'a, T, Dim<[usize; R]>>) -> Result<Self> {
        let (extents, strides) = shape(array.shape(), array.strides())?;
        let raw = RawView::new(array.as_ptr().cast_mut(), extents, strides);
        // SAFETY: an ArrayView borrows its elements for `'a`; these are their addresses, because no stride is negative.
        Ok(unsafe { ViewRef::new(raw, LABEL, None) })
    }
}

/// A writable View of an array, without a copy.
///
/// # Errors
/// [`ErrorKind::Layout`] if an axis runs backwards or repeats its elements.
impl<'a, T: Element, const R: usize> TryFrom<ArrayViewMut<'a, T, Dim<[usize; R]>>>
    for ViewMut<'a, T, R, HostSpace, Stride>
where
    Dim<[usize; R]>: Dimension,
{
    type Error = Error;
    fn try_from(mut array: ArrayViewMut<'a, T, Dim<[usize; R]>>) -> Result<Self> {
        let (extents, strides) = shape(array.shape(), array.strides())?;
        // Safe code cannot make a writable array whose elements overlap; one made by unsafe code is an error here.
        if !is_injective(extents, strides) {
            let message = format!(
                "view `{LABEL}`: with the strides {strides:?} indices of the extents {extents:?} overlap: a View that \
                 is written needs a separate element for each index"
            );
            return Err(Error::new(ErrorKind::Layout, message));
        }
        let raw = RawView::new(array.as_mut_ptr(), extents, strides);
        // SAFETY: an ArrayViewMut has its elements exclusively for `'a`; these are their addresses, which differ from index to index.
        Ok(unsafe { ViewMut::new(raw, LABEL, None) })
    }
}

impl<'a, S: Data, const R: usize> TryFrom<&'a ArrayBase<S, Dim<[usize; R]>>>
    for ViewRef<'a, S::Elem, R, HostSpace, Stride>
where
    S::Elem: Element,
    Dim<[usize; R]>: Dimension,
{
    type Error = Error;
    fn try_from(array: &'a ArrayBase<S, Dim<[usize; R]>>) -> Result<Self> {
        array.view().try_into()
    }
}

impl<'a, S: DataMut, const R: usize> TryFrom<&'a mut ArrayBase<S, Dim<[usize; R]>>>
    for ViewMut<'a, S::Elem, R, HostSpace, Stride>
where
    S::Elem: Element,
    Dim<[usize; R]>: Dimension,
{
    type Error = Error;
    fn try_from(array: &'a mut ArrayBase<S, Dim<[usize; R]>>) -> Result<Self> {
        array.view_mut().try_into()
    }
}

impl<T: Element, const R: usize, L: Layout> View<T, R, HostSpace, L>
where
    Dim<[usize; R]>: Dimension,
    [usize; R]: IntoDimension<Dim = Dim<[usize; R]>>,
{
    /// A View of the elements of `array`, under this label.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if it must be copied and there is no memory.
    ///
    /// # Complexity
    /// O(1) where the array is dense in the order of the layout; otherwise its elements are copied.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let array = ndarray::arr2(&[[1, 2], [3, 4]]);
    /// let v = View::<i32, 2>::from_ndarray("v", array)?;
    /// assert_eq!(v[[1, 0]], 3);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_ndarray(label: impl Into<String>, array: Array<T, Dim<[usize; R]>>) -> Result<Self> {
        let extents: [usize; R] = core::array::from_fn(|d| array.shape()[d]);
        let dense = shape::<R>(array.shape(), array.strides())
            .is_ok_and(|(extents, strides)| is_dense::<L, R>(extents, strides));
        let len = array.len();
        if dense {
            let (vec, offset) = array.into_raw_vec_and_offset();
            let offset = offset.unwrap_or(0);
            if offset == 0 && vec.len() == len {
                return Self::from_vec_in(L::default(), label, extents, vec);
            }
            let part = super::gathered(len, vec[offset..offset + len].iter().copied())?;
            return Self::from_vec_in(L::default(), label, extents, part);
        }
        let in_order = array.permuted_axes(memory_order(L::strides(extents)));
        let vec = super::gathered(len, in_order.iter().copied())?;
        Self::from_vec_in(L::default(), label, extents, vec)
    }

    /// The elements as an owned array.
    ///
    /// # Complexity
    /// As [`into_vec`](View::into_vec).
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_fn("v", [2, 2], |[i, j]| 10 * i + j)?;
    /// assert_eq!(v.into_ndarray(), ndarray::array![[0, 1], [10, 11]]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn into_ndarray(self) -> Array<T, Dim<[usize; R]>> {
        let (extents, strides) = steps(self.extents(), self.strides());
        Array::from_shape_vec(extents.strides(strides), self.into_vec())
            .expect("an owned View is dense and has as many elements as its extents say")
    }
}

/// Extents and strides in ndarray's types. Strides without meaning become 0: ndarray requires that a step along any axis of
/// an array, even an empty one, stays within its memory.
fn steps<const R: usize>(extents: [usize; R], strides: [usize; R]) -> (Dim<[usize; R]>, Dim<[usize; R]>)
where
    Dim<[usize; R]>: Dimension,
    [usize; R]: IntoDimension<Dim = Dim<[usize; R]>>,
{
    let empty = extents.contains(&0);
    let steps: [usize; R] = core::array::from_fn(|d| if empty || extents[d] == 1 { 0 } else { strides[d] });
    (extents.into_dimension(), steps.into_dimension())
}

macro_rules! arrays {
    ($($view:ident [$($param:tt)*] $life:lifetime;)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: HostAccessible, L: Layout> $view<$($param)* T, R, M, L>
        where
            Dim<[usize; R]>: Dimension,
            [usize; R]: IntoDimension<Dim = Dim<[usize; R]>>,
        {
            /// The same elements as an ndarray array, without a copy.
            ///
            /// # Panics
            /// If an extent exceeds `isize::MAX`, which is possible only for a slice of zero-sized elements.
            ///
            /// # Examples
            /// ```
            /// let v = spelt_core::View::from_fn("v", [2, 2], |[i, j]| 10 * i + j)?;
            /// assert_eq!(v.ndarray().sum(), 22);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            pub fn ndarray(&self) -> ArrayView<$life, T, Dim<[usize; R]>> {
                let (extents, strides) = steps(self.extents(), self.strides());
                // SAFETY: the View's own pointer, extents and strides: all elements are initialised and borrowed.
                unsafe { ArrayView::from_shape_ptr(extents.strides(strides), self.raw().pointer()) }
            }
        }
    )*};
}
arrays! { View [] '_; ViewRef ['a,] 'a; ViewMut ['a,] '_; }

macro_rules! mutable_arrays {
    ($($view:ident [$($param:tt)*];)*) => {$(
        impl<$($param)* T: Element, const R: usize, M: HostAccessible, L: Layout> $view<$($param)* T, R, M, L>
        where
            Dim<[usize; R]>: Dimension,
            [usize; R]: IntoDimension<Dim = Dim<[usize; R]>>,
        {
            /// The same elements as a mutable ndarray array, without a copy.
            ///
            /// # Panics
            /// As [`ndarray`](Self::ndarray).
            ///
            /// # Examples
            /// ```
            /// let mut v = spelt_core::View::<f64, 2>::zeros("v", [2, 2])?;
            /// v.ndarray_mut().diag_mut().fill(1.0);
            /// assert_eq!(v.to_vec(), [1.0, 0.0, 0.0, 1.0]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[must_use]
            pub fn ndarray_mut(&mut self) -> ArrayViewMut<'_, T, Dim<[usize; R]>> {
                let (extents, strides) = steps(self.extents(), self.strides());
                // SAFETY: the View's own pointer, extents and strides: all elements are initialised and borrowed
                // alone, and no two indices lie at one place.
                unsafe { ArrayViewMut::from_shape_ptr(extents.strides(strides), self.raw_mut().pointer()) }
            }
        }
    )*};
}
mutable_arrays! { View []; ViewMut ['a,]; }
