//! Construction of Views in host memory.

use core::ptr::NonNull;
use std::alloc::Layout as BlockLayout;

use spelt_access::{Element, Layout, RawView, Right};
use spelt_policies::checked_len;

use super::memory_space::HostSpace;
use super::{View, filling};
use crate::device::{for_kernels_alone, left_out};
use crate::memory::{HostAllocation, Start};
use crate::{Error, ErrorKind, Result};

/// The number of elements, or an error that names the View if they do not fit.
#[inline]
pub(crate) fn checked_count<T>(label: &str, extents: &[usize]) -> Result<usize> {
    count(label, extents, size_of::<T>())
}

/// [`checked_count`] of elements of this size. Not generic: programs have Views of many types.
fn count(label: &str, extents: &[usize], size: usize) -> Result<usize> {
    checked_len(extents)
        .filter(|_| {
            let room: usize = extents.iter().map(|&extent| extent.max(1)).product();
            room.checked_mul(size).is_some_and(|bytes| bytes <= isize::MAX as usize)
        })
        .ok_or_else(|| {
            Error::new(
                ErrorKind::Overflow,
                format!(
                    "view `{label}`: the extents {extents:?} of elements of {size} bytes do not fit in the address space"
                ),
            )
        })
}

/// A block for elements of this shape. Not generic: programs have Views of many types.
fn allocate(
    label: &str,
    extents: &[usize],
    element: BlockLayout,
    start: Start,
) -> Result<(HostAllocation, NonNull<u8>)> {
    let bytes = count(label, extents, element.size())? * element.size();
    HostAllocation::new(bytes, element.align(), start).ok_or_else(|| {
        Error::new(
            ErrorKind::OutOfMemory,
            format!("view `{label}`: no memory for the extents {extents:?}, which take {bytes} bytes"),
        )
    })
}

/// The error of a buffer whose length is not the product of the extents.
pub(super) fn wrong_length(label: &str, extents: &[usize], wanted: usize, found: usize) -> Error {
    Error::new(
        ErrorKind::Extents,
        format!("view `{label}`: the extents {extents:?} take {wanted} elements, but there are {found}"),
    )
}

impl<T: Element, const R: usize, L: Layout> View<T, R, HostSpace, L> {
    /// A View whose memory begins in this way.
    ///
    /// # Errors
    /// As [`View::zeros`].
    ///
    /// # Safety
    /// If it begins uninitialised: as [`uninit`](Self::uninit).
    pub(crate) unsafe fn allocate(label: String, extents: [usize; R], start: Start) -> Result<Self> {
        let (allocation, pointer) = allocate(&label, &extents, BlockLayout::new::<T>(), start)?;
        let raw = RawView::new(pointer.cast::<T>().as_ptr(), extents, L::strides(extents));
        // SAFETY: the block has room for the elements and is aligned for them; they are zero, which `Element` calls
        // valid, or will be written before anything reads them, by this function's contract.
        Ok(unsafe { View::from_parts(label, raw, allocation) })
    }

    /// A View with uninitialised elements. Dropping it frees the memory, whether or not they were written.
    ///
    /// # Errors
    /// As [`View::zeros`].
    ///
    /// # Safety
    /// Every element is written, through [`raw_mut`](View::raw_mut), before anything reads the View and before the
    /// caller passes it on.
    pub(crate) unsafe fn uninit(label: impl Into<String>, extents: [usize; R]) -> Result<Self> {
        // SAFETY: the contract is the same.
        unsafe { Self::allocate(label.into(), extents, Start::Uninitialised) }
    }

    /// Whether its block came from the system, all zero, in pages that no thread had touched.
    pub(crate) fn began_untouched(&self) -> bool {
        self.allocation.began_untouched()
    }

    /// A View of zeros with this layout; see [`View::zeros`].
    ///
    /// # Errors
    /// As [`View::zeros`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Left, View};
    /// let v = View::<f64, 2, _, _>::zeros_in(Left, "v", [3, 4])?;
    /// assert_eq!((v.strides(), v[[2, 3]]), ([1, 3], 0.0));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn zeros_in(_layout: L, label: impl Into<String>, extents: [usize; R]) -> Result<Self> {
        // SAFETY: all elements are zero, which `Element` calls valid.
        unsafe { Self::allocate(label.into(), extents, Start::Zeroed) }
    }

    /// A View with this layout whose element at each index is `f(index)`; see [`View::from_fn`].
    ///
    /// # Errors
    /// As [`View::zeros`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Left, View};
    /// let v = View::from_fn_in(Left, "v", [2, 2], |[i, j]| 10 * i + j)?;
    /// assert_eq!(v.as_slice(), Some(&[0, 10, 1, 11][..]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_fn_in(
        _layout: L,
        label: impl Into<String>,
        extents: [usize; R],
        mut f: impl FnMut([usize; R]) -> T,
    ) -> Result<Self> {
        for_kernels_alone!(f(left_out()));
        // SAFETY: the loop below writes every element before the View is returned; where `f` panics, dropping the
        // View frees the memory unread.
        let mut view = unsafe { Self::uninit(label, extents)? };
        let _fill = filling(&view.view(), true);
        let raw = view.raw_mut();
        super::index::for_each_index(extents, |index| {
            // SAFETY: `index` is in bounds and nothing else uses the memory.
            unsafe { raw.at(index).write(f(index)) }
        });
        Ok(view)
    }

    /// A View with this layout that takes the elements of `vec` in memory order; see [`View::from_vec`].
    ///
    /// # Errors
    /// As [`View::from_vec`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Left, View};
    /// let v = View::from_vec_in(Left, "v", [2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!((v[[1, 0]], v[[0, 1]]), (2, 3));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
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
        // SAFETY: the Vec had exactly `count` initialised elements, and only the View owns its block now.
        Ok(unsafe { View::from_parts(label, raw, allocation) })
    }

    /// The elements in memory order, without a copy if the memory came from a `Vec`.
    ///
    /// # Complexity
    /// O(1) for memory that came from a `Vec` of this type; otherwise `len` elements are copied.
    ///
    /// # Panics
    /// If they must be copied and there is not enough memory; the message gives the number of elements.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let numbers = vec![1, 2, 3, 4];
    /// let pointer = numbers.as_ptr();
    /// let numbers = View::from_vec("v", [2, 2], numbers)?.into_vec();
    /// assert_eq!((numbers.as_ptr(), numbers.len()), (pointer, 4));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        let len = self.len();
        let pointer = core::ptr::NonNull::new(self.raw.pointer()).expect("an allocation is never null");
        // SAFETY: pointer and block came together, and an owned View is dense with `len` initialised elements.
        unsafe { self.allocation.into_vec(pointer, len) }.unwrap_or_else(|_allocation| {
            // SAFETY: an owned View is dense with `len` initialised elements, and `_allocation` keeps their block until
            // the copy is made.
            let elements = unsafe { core::slice::from_raw_parts(pointer.as_ptr(), len) };
            super::gathered(len, elements.iter().copied()).unwrap_or_else(|error| panic!("{error}"))
        })
    }
}

impl<T: Element, const R: usize> View<T, R> {
    /// A View of zeros, which are a valid value of every [`Element`].
    ///
    /// Pages are allocated on first use, near the thread that first writes them.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`] if the extents, zeros counted as 1, exceed the address space;
    /// [`ErrorKind::OutOfMemory`] if there is not enough memory.
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
    /// [`ErrorKind::Extents`] if the length of `vec` differs from the product of the extents; [`ErrorKind::Overflow`] if
    /// that product overflows.
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
