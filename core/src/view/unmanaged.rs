//! Views over memory that other code owns.

use core::ptr::NonNull;

use spelt_access::{Element, Layout, RawView};

use super::View;
use super::construct::checked_count;
use super::memory_space::HostSpace;
use crate::memory::HostAllocation;
use crate::{Error, ErrorKind, Result};

/// Checks that the elements of a View fit in the address space, and that the pointer to them is aligned and not null. Returns the pointer,
/// or a dangling one if there are no elements.
///
/// # Errors
/// [`ErrorKind::Overflow`], [`ErrorKind::Layout`].
pub(crate) fn check_pointer<T>(label: &str, extents: &[usize], pointer: *mut T) -> Result<*mut T> {
    if checked_count::<T>(label, extents)? == 0 {
        return Ok(NonNull::dangling().as_ptr());
    }
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(Error::new(
            ErrorKind::Layout,
            format!(
                "view `{label}`: the pointer {pointer:?} is null, or not a multiple of {}, the alignment of the elements",
                align_of::<T>()
            ),
        ));
    }
    Ok(pointer)
}

impl<T: Element, const R: usize, L: Layout> View<T, R, HostSpace, L> {
    /// A View over memory of the host that other code owns.
    ///
    /// # Errors
    /// Those of [`check_pointer`].
    ///
    /// # Safety
    /// As for [`ExecutionSpace::unmanaged`](crate::ExecutionSpace::unmanaged).
    pub(crate) unsafe fn unmanaged(label: String, extents: [usize; R], pointer: *mut T) -> Result<Self> {
        let pointer = check_pointer(&label, &extents, pointer)?;
        let raw = RawView::new(pointer, extents, L::strides(extents));
        // SAFETY: by the contract, the pointer addresses initialised elements for these extents, which only this View uses while it lives.
        Ok(unsafe { View::from_unmanaged(label, raw, HostAllocation::unmanaged()) })
    }
}
