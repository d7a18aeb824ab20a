//! Views of memory with another owner: slices, arrays, vectors.

use spelt_access::{Element, Layout, RawView, Right, Stride};

use super::construct::{checked_count, wrong_length};
use super::memory_space::HostSpace;
use super::{ViewMut, ViewRef};
use crate::{Error, ErrorKind, Result};

impl<'a, T: Element, const R: usize> ViewRef<'a, T, R> {
    /// A View of a slice, the last index fastest.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if the length of the slice differs from the product of the extents;
    /// [`ErrorKind::Overflow`] if that product overflows.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ViewRef;
    /// let v = ViewRef::from_slice([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(v[[1, 0]], 3);
    /// assert!(ViewRef::from_slice([2, 3], &[1, 2, 3, 4]).is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_slice(extents: [usize; R], slice: &'a [T]) -> Result<Self> {
        Self::from_slice_in(Right, extents, slice)
    }
}

impl<'a, T: Element, const R: usize> ViewMut<'a, T, R> {
    /// A View of a slice, the last index fastest.
    ///
    /// # Errors
    /// As [`ViewRef::from_slice`].
    ///
    /// # Examples
    /// ```
    /// let mut numbers = [1, 2, 3, 4];
    /// spelt_core::ViewMut::from_slice([2, 2], &mut numbers)?[[1, 0]] = 30;
    /// assert_eq!(numbers, [1, 2, 30, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_slice(extents: [usize; R], slice: &'a mut [T]) -> Result<Self> {
        Self::from_slice_in(Right, extents, slice)
    }
}

impl<'a, T: Element, const R: usize, L: Layout> ViewRef<'a, T, R, HostSpace, L> {
    /// A View of a slice with this layout; see [`ViewRef::from_slice`].
    ///
    /// # Errors
    /// As [`ViewRef::from_slice`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Left, ViewRef};
    /// let v = ViewRef::from_slice_in(Left, [2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(v[[1, 0]], 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_slice_in(_layout: L, extents: [usize; R], slice: &'a [T]) -> Result<Self> {
        let count = checked_count::<T>(SLICE, &extents)?;
        if count != slice.len() {
            return Err(wrong_length(SLICE, &extents, count, slice.len()));
        }
        let raw = RawView::new(slice.as_ptr().cast_mut(), extents, L::strides(extents));
        // SAFETY: the slice has `count` elements, borrowed for `'a`.
        Ok(unsafe { ViewRef::new(raw, SLICE, None) })
    }
}

impl<'a, T: Element, const R: usize, L: Layout> ViewMut<'a, T, R, HostSpace, L> {
    /// A View of a slice with this layout; see [`ViewMut::from_slice`].
    ///
    /// # Errors
    /// As [`ViewRef::from_slice`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Left, ViewMut};
    /// let mut numbers = [1, 2, 3, 4];
    /// ViewMut::from_slice_in(Left, [2, 2], &mut numbers)?[[1, 0]] = 20;
    /// assert_eq!(numbers, [1, 20, 3, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_slice_in(_layout: L, extents: [usize; R], slice: &'a mut [T]) -> Result<Self> {
        let count = checked_count::<T>(SLICE, &extents)?;
        if count != slice.len() {
            return Err(wrong_length(SLICE, &extents, count, slice.len()));
        }
        let raw = RawView::new(slice.as_mut_ptr(), extents, L::strides(extents));
        // SAFETY: the slice has `count` elements, borrowed exclusively for `'a`; the layout's own strides are injective.
        Ok(unsafe { ViewMut::new(raw, SLICE, None) })
    }
}

/// The label of a View of a slice until it gets another one.
const SLICE: &str = "slice";

impl<'a, T: Element, const R: usize> ViewRef<'a, T, R, HostSpace, Stride> {
    /// A View of a slice with any strides; stride 0 repeats elements, and indices may overlap.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if an index would refer to an element beyond the slice; [`ErrorKind::Overflow`] if the
    /// product of the extents overflows.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ViewRef;
    /// let every_second = ViewRef::from_strided([3], [2], &[1, 2, 3, 4, 5])?;
    /// assert_eq!(every_second[2], 5);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_strided(extents: [usize; R], strides: [usize; R], slice: &'a [T]) -> Result<Self> {
        check_span::<T>(&extents, &strides, slice.len())?;
        let raw = RawView::new(slice.as_ptr().cast_mut(), extents, strides);
        // SAFETY: the largest offset lies in the slice, which is borrowed for `'a`.
        Ok(unsafe { ViewRef::new(raw, SLICE, None) })
    }
}

impl<'a, T: Element, const R: usize> ViewMut<'a, T, R, HostSpace, Stride> {
    /// A View of a slice with any strides that give different indices different elements.
    ///
    /// # Errors
    /// As [`ViewRef::from_strided`]; [`ErrorKind::Layout`] if two indices could refer to the same element: sorted by size,
    /// each stride must exceed the largest offset that the smaller ones reach.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ViewMut;
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// ViewMut::from_strided([3], [2], &mut numbers)?.fill(0);
    /// assert_eq!(numbers, [0, 2, 0, 4, 0]);
    /// assert!(ViewMut::from_strided([2, 2], [1, 1], &mut numbers).is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_strided(extents: [usize; R], strides: [usize; R], slice: &'a mut [T]) -> Result<Self> {
        check_span::<T>(&extents, &strides, slice.len())?;
        if !super::index::is_injective(extents, strides) {
            return Err(Error::new(
                ErrorKind::Layout,
                format!(
                    "view `{SLICE}`: the strides {strides:?} let indices of the extents {extents:?} overlap: \
                     a View that is written needs a separate element for each index"
                ),
            ));
        }
        let raw = RawView::new(slice.as_mut_ptr(), extents, strides);
        // SAFETY: the largest offset lies in the slice, borrowed exclusively for `'a`; the strides are injective.
        Ok(unsafe { ViewMut::new(raw, SLICE, None) })
    }
}

/// Checks that every index refers to an element of a buffer of `len` elements.
fn check_span<T>(extents: &[usize], strides: &[usize], len: usize) -> Result<()> {
    checked_count::<T>(SLICE, extents)?;
    let last = extents.iter().zip(strides).try_fold(0_usize, |last, (&extent, &stride)| {
        last.checked_add(extent.saturating_sub(1).checked_mul(stride)?)
    });
    if !extents.contains(&0) && last.is_none_or(|last| last >= len) {
        return Err(Error::new(
            ErrorKind::Extents,
            format!(
                "view `{SLICE}`: extents {extents:?} with strides {strides:?} reach beyond the {len} elements"
            ),
        ));
    }
    Ok(())
}

impl<'a, T: Element> From<&'a [T]> for ViewRef<'a, T, 1> {
    fn from(slice: &'a [T]) -> Self {
        let raw = RawView::new(slice.as_ptr().cast_mut(), [slice.len()], [1]);
        // SAFETY: the slice is borrowed for `'a`, and its size is one that Rust allows.
        unsafe { ViewRef::new(raw, SLICE, None) }
    }
}

impl<'a, T: Element> From<&'a mut [T]> for ViewMut<'a, T, 1> {
    fn from(slice: &'a mut [T]) -> Self {
        let raw = RawView::new(slice.as_mut_ptr(), [slice.len()], [1]);
        // SAFETY: the slice is borrowed exclusively for `'a`.
        unsafe { ViewMut::new(raw, SLICE, None) }
    }
}

macro_rules! borrowed_as_slices {
    ($($owner:ty [$($param:tt)*];)*) => {$(
        impl<'a, T: Element, $($param)*> From<&'a $owner> for ViewRef<'a, T, 1> {
            fn from(owner: &'a $owner) -> Self {
                owner.as_slice().into()
            }
        }
        impl<'a, T: Element, $($param)*> From<&'a mut $owner> for ViewMut<'a, T, 1> {
            fn from(owner: &'a mut $owner) -> Self {
                owner.as_mut_slice().into()
            }
        }
    )*};
}
borrowed_as_slices! { Vec<T> []; [T; N] [const N: usize]; }
