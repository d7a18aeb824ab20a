//! How Views of host memory come to be.

use spelt_kernels_gpu::{Element, RawView};
use spelt_policies::{Layout, Right, Stride, checked_len};

use super::{View, ViewMut, ViewRef};
use crate::memory::{HostAllocation, HostSpace, Start};
use crate::{Error, ErrorKind, Result};

/// The number of elements, or the error that says which View does not fit.
pub(super) fn checked_count<T>(label: &str, extents: &[usize]) -> Result<usize> {
    checked_len(extents)
        .filter(|_| {
            let room: usize = extents.iter().map(|&extent| extent.max(1)).product();
            room.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize)
        })
        .ok_or_else(|| {
            Error::new(
                ErrorKind::Overflow,
                format!(
                    "view `{label}`: the extents {extents:?} of elements of {} bytes do not fit in the address space",
                    size_of::<T>()
                ),
            )
        })
}

/// The error of a buffer whose length is not the product of the extents.
fn wrong_length(label: &str, extents: &[usize], wanted: usize, found: usize) -> Error {
    Error::new(
        ErrorKind::Extents,
        format!("view `{label}`: the extents {extents:?} take {wanted} elements, but there are {found}"),
    )
}

impl<T: Element, const R: usize, L: Layout> View<T, R, HostSpace, L> {
    fn allocate(label: String, extents: [usize; R], start: Start) -> Result<Self> {
        let bytes = checked_count::<T>(&label, &extents)? * size_of::<T>();
        let Some((allocation, pointer)) = HostAllocation::new(bytes, align_of::<T>(), start) else {
            return Err(Error::new(
                ErrorKind::OutOfMemory,
                format!("view `{label}`: no memory for the extents {extents:?}, which take {bytes} bytes"),
            ));
        };
        let raw = RawView::new(pointer.cast::<T>().as_ptr(), extents, L::strides(extents));
        // SAFETY: the block has room for the elements and is aligned for them; they are zero, which `Element` calls
        // valid, or the caller of `uninit` promises to write them.
        Ok(unsafe { View::from_parts(label, raw, allocation) })
    }

    /// A View whose elements are not written yet. Dropping it frees the memory, whatever was written.
    ///
    /// # Errors
    /// As [`View::zeros`].
    ///
    /// # Safety
    /// Every element is written, through [`raw_mut`](View::raw_mut), before anything reads the View and before it
    /// leaves the caller's hands.
    pub(crate) unsafe fn uninit(label: impl Into<String>, extents: [usize; R]) -> Result<Self> {
        Self::allocate(label.into(), extents, Start::Uninitialised)
    }

    /// A View of zeros with this layout; see [`View::zeros`].
    ///
    /// # Errors
    /// As [`View::zeros`].
    pub fn zeros_in(_layout: L, label: impl Into<String>, extents: [usize; R]) -> Result<Self> {
        Self::allocate(label.into(), extents, Start::Zeroed)
    }

    /// A View with this layout whose element at each index is `f(index)`; see [`View::from_fn`].
    ///
    /// # Errors
    /// As [`View::zeros`].
    pub fn from_fn_in(
        _layout: L,
        label: impl Into<String>,
        extents: [usize; R],
        mut f: impl FnMut([usize; R]) -> T,
    ) -> Result<Self> {
        // SAFETY: the loop below writes every element before the View is returned; where `f` panics, dropping the
        // View frees the memory unread.
        let mut view = unsafe { Self::uninit(label, extents)? };
        let raw = view.raw_mut();
        super::index::for_each_index(extents, |index| {
            // SAFETY: `index` is in bounds and nobody else has the memory.
            unsafe { raw.at(index).write(f(index)) }
        });
        Ok(view)
    }

    /// A View with this layout of the elements of `vec`, taken in memory order; see [`View::from_vec`].
    ///
    /// # Errors
    /// As [`View::from_vec`].
    pub fn from_vec_in(
        _layout: L,
        label: impl Into<String>,
        extents: [usize; R],
        vec: Vec<T>,
    ) -> Result<Self> {
        let label = label.into();
        let count = checked_count::<T>(&label, &extents)?;
        if count != vec.len() {
            return Err(wrong_length(&label, &extents, count, vec.len()));
        }
        let (allocation, pointer) = HostAllocation::from_vec(vec);
        let raw = RawView::new(pointer.as_ptr(), extents, L::strides(extents));
        // SAFETY: the Vec had exactly `count` initialised elements, and its block is the View's alone now.
        Ok(unsafe { View::from_parts(label, raw, allocation) })
    }

    /// The elements in memory order. Without a copy where the memory came from a `Vec`.
    ///
    /// # Complexity
    /// O(1) for memory that came from a `Vec` of this type; else `len` elements are copied.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        let len = self.len();
        let pointer = core::ptr::NonNull::new(self.raw.pointer()).expect("an allocation is never null");
        // SAFETY: pointer and block came together, and an owned View is dense with `len` initialised elements.
        unsafe { self.allocation.into_vec(pointer, len) }.unwrap_or_else(|_allocation| {
            // SAFETY: as above; `_allocation` keeps the block until the copy is made.
            unsafe { core::slice::from_raw_parts(pointer.as_ptr(), len) }.to_vec()
        })
    }
}

impl<T: Element, const R: usize> View<T, R> {
    /// A View whose elements are all zero: for every [`Element`] that is a valid value.
    ///
    /// Memory is touched on first use, so the thread that first writes a page decides where it lies.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`] if the extents do not fit in memory, zero extents taken as 1;
    /// [`ErrorKind::OutOfMemory`] if there is none.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let v = View::<f64, 2>::zeros("v", [3, 4])?;
    /// assert_eq!(v.len(), 12);
    /// assert_eq!(v[[2, 3]], 0.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn zeros(label: impl Into<String>, extents: [usize; R]) -> Result<Self> {
        Self::zeros_in(Right, label, extents)
    }

    /// A View whose element at each index is `f(index)`, called in the order of the indices.
    ///
    /// # Errors
    /// As [`View::zeros`].
    ///
    /// # Panics
    /// If `f` panics; the memory is freed.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let v = View::from_fn("v", [2, 2], |[i, j]| (i, j))?;
    /// assert_eq!(v[[1, 0]], (1, 0));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_fn(
        label: impl Into<String>,
        extents: [usize; R],
        f: impl FnMut([usize; R]) -> T,
    ) -> Result<Self> {
        Self::from_fn_in(Right, label, extents, f)
    }

    /// A View of the elements of `vec`, the last index fastest, without a copy.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if `vec` has another length than the extents' product; [`ErrorKind::Overflow`] if
    /// that does not fit.
    ///
    /// # Complexity
    /// O(1).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let v = View::from_vec("v", [2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(v[[1, 0]], 3);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_vec(label: impl Into<String>, extents: [usize; R], vec: Vec<T>) -> Result<Self> {
        Self::from_vec_in(Right, label, extents, vec)
    }
}

impl<'a, T: Element, const R: usize> ViewRef<'a, T, R> {
    /// A View of a slice, the last index fastest.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if the slice has another length than the extents' product; [`ErrorKind::Overflow`] if
    /// that does not fit.
    pub fn from_slice(extents: [usize; R], slice: &'a [T]) -> Result<Self> {
        Self::from_slice_in(Right, extents, slice)
    }
}

impl<'a, T: Element, const R: usize> ViewMut<'a, T, R> {
    /// A View of a slice, the last index fastest.
    ///
    /// # Errors
    /// As [`ViewRef::from_slice`].
    pub fn from_slice(extents: [usize; R], slice: &'a mut [T]) -> Result<Self> {
        Self::from_slice_in(Right, extents, slice)
    }
}

impl<'a, T: Element, const R: usize, L: Layout> ViewRef<'a, T, R, HostSpace, L> {
    /// A View of a slice with this layout; see [`ViewRef::from_slice`].
    ///
    /// # Errors
    /// As [`ViewRef::from_slice`].
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
    pub fn from_slice_in(_layout: L, extents: [usize; R], slice: &'a mut [T]) -> Result<Self> {
        let count = checked_count::<T>(SLICE, &extents)?;
        if count != slice.len() {
            return Err(wrong_length(SLICE, &extents, count, slice.len()));
        }
        let raw = RawView::new(slice.as_mut_ptr(), extents, L::strides(extents));
        // SAFETY: the slice has `count` elements, borrowed for `'a` alone; the layout's own strides are injective.
        Ok(unsafe { ViewMut::new(raw, SLICE, None) })
    }
}

/// What a View of a slice is called until it gets a label.
const SLICE: &str = "slice";

impl<'a, T: Element, const R: usize> ViewRef<'a, T, R, HostSpace, Stride> {
    /// A View of a slice with strides of its own; stride 0 repeats, and indices may overlap.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if an index would lie behind the slice; [`ErrorKind::Overflow`] if the extents do not
    /// fit.
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
    /// A View of a slice with strides of its own.
    ///
    /// # Errors
    /// As [`ViewRef::from_strided`]; [`ErrorKind::Layout`] if two indices could lie at one place: sorted by size,
    /// each stride must step over all that the smaller ones reach.
    pub fn from_strided(extents: [usize; R], strides: [usize; R], slice: &'a mut [T]) -> Result<Self> {
        check_span::<T>(&extents, &strides, slice.len())?;
        if !super::index::is_injective(extents, strides) {
            return Err(Error::new(
                ErrorKind::Layout,
                format!(
                    "view `{SLICE}`: the strides {strides:?} let indices of the extents {extents:?} overlap: \
                     a View that is written needs a place of its own for each index"
                ),
            ));
        }
        let raw = RawView::new(slice.as_mut_ptr(), extents, strides);
        // SAFETY: the largest offset lies in the slice, borrowed for `'a` alone; the strides are injective.
        Ok(unsafe { ViewMut::new(raw, SLICE, None) })
    }
}

/// Whether every index lies in a buffer of `len` elements.
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
        // SAFETY: the slice is borrowed for `'a` alone.
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
