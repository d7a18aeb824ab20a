//! Construction of Views in the memory spaces of CUDA.

use core::ptr::NonNull;
use std::sync::Arc;

use spelt_access::{Element, Layout, RawView, Right};

use super::context::Context;
use super::driver::Address;
use super::memory::{
    CudaHostPinnedSpace, CudaManagedSpace, CudaSpace, DeviceAllocation, Mapped, MappedAllocation, Source,
    no_memory,
};
use super::stream::Stream;
use super::{Cuda, fill};
use crate::device::{for_kernels_alone, left_out};
use crate::view::{HostSpace, MemorySpace};
use crate::view::{View, check_pointer, checked_count, copy_all, filling};
use crate::{Error, ErrorKind, Result};

/// Alignment of the driver's allocations. Unit: bytes. Source: the CUDA programming guide, "at least 256".
const DRIVER_ALIGNMENT: usize = 256;

fn out_of_memory<const R: usize>(context: &Context, label: &str, extents: [usize; R], bytes: usize) -> Error {
    let what = format!("view `{label}`: no memory for the extents {extents:?}, which take {bytes} bytes");
    Error::new(ErrorKind::OutOfMemory, no_memory(context, what))
}

/// A View of uninitialised memory of the stream's device.
///
/// # Safety
/// Every element is written before anything reads the View.
pub(super) unsafe fn uninit<T: Element, const R: usize, L: Layout>(
    stream: &Arc<Stream>,
    source: Source,
    label: String,
    extents: [usize; R],
) -> Result<View<T, R, CudaSpace, L>> {
    const { assert!(align_of::<T>() <= DRIVER_ALIGNMENT, "the driver aligns to 256 bytes") };
    let bytes = checked_count::<T>(&label, &extents)? * size_of::<T>();
    let allocation = DeviceAllocation::new(stream, source, bytes)?
        .map_err(|_fault| out_of_memory(stream.context(), &label, extents, bytes))?;
    let raw = RawView::new(allocation.pointer().cast::<T>(), extents, L::strides(extents));
    // SAFETY: the block has room for the elements and is aligned for them; by the contract, every element is written before it is read.
    Ok(unsafe { View::from_parts(label, raw, allocation) })
}

/// A View over device memory that other code owns.
///
/// # Safety
/// As for [`ExecutionSpace::unmanaged`](crate::ExecutionSpace::unmanaged).
pub(super) unsafe fn unmanaged<T: Element, const R: usize, L: Layout>(
    space: &Cuda,
    label: String,
    extents: [usize; R],
    pointer: *mut T,
) -> Result<View<T, R, CudaSpace, L>> {
    let pointer = check_pointer(&label, &extents, pointer)?;
    let allocation = DeviceAllocation::unmanaged(&space.stream, pointer.addr() as Address);
    let raw = RawView::new(allocation.pointer().cast::<T>(), extents, L::strides(extents));
    // SAFETY: by the contract, the pointer addresses initialised elements for these extents on the device, which only this View uses while
    // it lives.
    Ok(unsafe { View::from_unmanaged(label, raw, allocation) })
}

/// A View of memory of the stream's device with all bytes zero.
pub(super) fn zeros<T: Element, const R: usize, L: Layout>(
    stream: &Arc<Stream>,
    source: Source,
    label: String,
    extents: [usize; R],
) -> Result<View<T, R, CudaSpace, L>> {
    // SAFETY: `zero` writes every byte; on an error the View is dropped unread.
    let view = unsafe { uninit::<T, R, L>(stream, source, label, extents)? };
    if view.size_bytes() != 0 {
        let allocation = view.owner().expect("it owns its memory");
        let _fill = filling(&view.view(), true);
        fill::zero(stream, allocation, view.size_bytes())?;
    }
    Ok(view)
}

/// A View of device memory with the elements that `f` gives on the host.
pub(super) fn from_fn<T: Element, const R: usize, L: Layout>(
    space: &Cuda,
    label: String,
    extents: [usize; R],
    f: impl Fn([usize; R]) -> T,
) -> Result<View<T, R, CudaSpace, L>> {
    for_kernels_alone!(f(left_out()));
    let host = View::<T, R, HostSpace, L>::from_fn_in(L::default(), label, extents, f)?;
    // SAFETY: the copy writes every element; on an error the View is dropped unread.
    let mut view =
        unsafe { uninit::<T, R, L>(&space.stream, Source::Pool, host.label().to_owned(), extents)? };
    let fill = filling(&view.view(), true);
    copy_all(view.view_mut(), host.view(), None)?;
    drop(fill);
    Ok(view)
}

fn mapped_zeros<T: Element, const R: usize, M, L: Layout>(
    space: &Cuda,
    kind: Mapped,
    label: String,
    extents: [usize; R],
) -> Result<View<T, R, M, L>>
where
    M: MemorySpace<Allocation = MappedAllocation>,
{
    const { assert!(align_of::<T>() <= DRIVER_ALIGNMENT, "the driver aligns to 256 bytes") };
    let bytes = checked_count::<T>(&label, &extents)? * size_of::<T>();
    let allocation = MappedAllocation::zeroed(space.context(), kind, bytes)?
        .map_err(|_fault| out_of_memory(space.context(), &label, extents, bytes))?;
    let pointer: NonNull<T> = allocation.pointer().cast();
    let raw = RawView::new(pointer.as_ptr(), extents, L::strides(extents));
    // SAFETY: the block has room for the elements and is aligned for them; they are zero, which is a valid value of every `Element`.
    Ok(unsafe { View::from_parts(label, raw, allocation) })
}

/// Constructors of Views that host and device reach.
macro_rules! mapped {
    ($($memory:ident $kind:ident $words:literal $zeros:ident $zeros_in:ident $from_fn:ident $from_fn_in:ident;)*) => {$(
        #[doc = concat!("A View of zeros in ", $words, " memory; see [`", stringify!($memory), "`].")]
        ///
        /// # Errors
        /// [`ErrorKind::Overflow`] if the extents do not fit, [`ErrorKind::OutOfMemory`] if there is no such memory,
        /// [`ErrorKind::Policy`] if the device does not let the host touch managed memory at all times.
        ///
        /// # Complexity
        /// Writes every byte once.
        pub fn $zeros<T: Element, const R: usize>(
            &self,
            label: impl Into<String>,
            extents: [usize; R],
        ) -> Result<View<T, R, $memory>> {
            self.$zeros_in(Right, label, extents)
        }

        #[doc = concat!("[`", stringify!($zeros), "`](Self::", stringify!($zeros), ") with another layout.")]
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($zeros), "`](Self::", stringify!($zeros), ").")]
        pub fn $zeros_in<T: Element, const R: usize, L: Layout>(
            &self,
            _layout: L,
            label: impl Into<String>,
            extents: [usize; R],
        ) -> Result<View<T, R, $memory, L>> {
            mapped_zeros(self, Mapped::$kind, label.into(), extents)
        }

        #[doc = concat!("A View in ", $words, " memory whose element at each index is `f(index)`, called on the host.")]
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($zeros), "`](Self::", stringify!($zeros), ").")]
        ///
        /// # Panics
        /// If `f` panics; the memory is freed.
        pub fn $from_fn<T: Element, const R: usize>(
            &self,
            label: impl Into<String>,
            extents: [usize; R],
            f: impl FnMut([usize; R]) -> T,
        ) -> Result<View<T, R, $memory>> {
            self.$from_fn_in(Right, label, extents, f)
        }

        #[doc = concat!("[`", stringify!($from_fn), "`](Self::", stringify!($from_fn), ") with another layout.")]
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($zeros), "`](Self::", stringify!($zeros), ").")]
        pub fn $from_fn_in<T: Element, const R: usize, L: Layout>(
            &self,
            layout: L,
            label: impl Into<String>,
            extents: [usize; R],
            mut f: impl FnMut([usize; R]) -> T,
        ) -> Result<View<T, R, $memory, L>> {
            let mut view = self.$zeros_in::<T, R, L>(layout, label, extents)?;
            view.indexed_iter_mut().for_each(|(index, element)| *element = f(index));
            Ok(view)
        }
    )*};
}

impl Cuda {
    mapped! {
        CudaHostPinnedSpace Pinned "pinned" pinned_zeros pinned_zeros_in pinned_from_fn pinned_from_fn_in;
        CudaManagedSpace Managed "managed" managed_zeros managed_zeros_in managed_from_fn managed_from_fn_in;
    }
}
