//! Copies between host and device memory.
//!
//! If both sides have the same order in memory, in long lines, the driver copies them, many in one call. Otherwise,
//! as between [`Left`](spelt_access::Left) and [`Right`](spelt_access::Right), a stock kernel rearranges the
//! elements on the device: directly from View to View if both are there, and through a dense buffer in the order of the host's
//! memory between host and device. Without stock kernels, or without memory for the buffer, the elements go through a buffer on
//! the host in the order of the device's memory, and the host rearranges them.

use core::mem::MaybeUninit;
use std::sync::Arc;

use spelt_access::{Element, Layout, RawView, Stride};

use super::copy_plan::{MAX_CALLS, Plan, Side, address, dense_like, plan, stages};
use super::driver::{Address, Fault, MemoryKind, RawStream};
use super::fill::repeated;
use super::launch::clear;
use super::memory::{CudaHostPinnedSpace, CudaManagedSpace, CudaSpace, DeviceAllocation, DeviceBuffer};
use super::peer;
use super::stock::Kernels;
use super::stream::Stream;
use crate::arguments::describe;
use crate::view::{
    CopyFrom, CopyStream, HostSpace, MemorySpace, ViewMut, ViewRef, check_extents, copy_on_host, copy_raw,
};
use crate::{Error, ErrorKind, Result};

/// A dense buffer on the host for elements in the order of a device's memory.
struct Staging<T, const R: usize> {
    elements: Vec<MaybeUninit<T>>,
    extents: [usize; R],
    strides: [usize; R],
}

impl<T: Element, const R: usize> Staging<T, R> {
    /// A buffer for a View of device memory.
    fn like<L: Layout>(device: RawView<T, R, L>) -> Result<Self> {
        let mut elements = Vec::new();
        elements.try_reserve_exact(device.len()).map_err(|_error| no_room::<T>(device.len()))?;
        // SAFETY: `MaybeUninit` needs no initialisation, and the capacity is there.
        unsafe { elements.set_len(device.len()) };
        let extents = device.extents();
        Ok(Self { elements, extents, strides: dense_like(extents, device.strides()) })
    }

    fn raw(&mut self) -> RawView<T, R, Stride> {
        RawView::new(self.elements.as_mut_ptr().cast(), self.extents, self.strides)
    }
}

/// A dense buffer on the device in the order of a host's View, to be copied from or to it in few calls.
struct Packed<T, const R: usize> {
    /// Holds the memory.
    _buffer: DeviceBuffer,
    raw: RawView<T, R, Stride>,
    plan: Plan,
}

impl<T, const R: usize> Packed<T, R> {
    /// The buffer for a copy between these strides, if stock kernels and a buffer are faster than the driver alone.
    ///
    /// The context is bound. `plan` makes the plan for the buffer's strides.
    fn new<'a>(
        device: &'a DeviceAllocation,
        stream: &Arc<Stream>,
        extents: [usize; R],
        host: [usize; R],
        direct: &Plan,
        plan: impl FnOnce([usize; R]) -> Plan,
    ) -> Result<Option<(&'a Kernels, Self)>> {
        let Ok(kernels) = device.context().stock().kernels() else { return Ok(None) };
        let strides = dense_like(extents, host);
        let plan = plan(strides);
        if direct.is_simple() || plan.calls() > MAX_CALLS {
            return Ok(None);
        }
        let bytes = extents.iter().product::<usize>() * size_of::<T>();
        let buffer = match DeviceBuffer::new(stream, bytes) {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == ErrorKind::OutOfMemory => return Ok(None),
            Err(error) => return Err(error),
        };
        let raw = RawView::new(buffer.pointer().cast(), extents, strides);
        Ok(Some((kernels, Self { _buffer: buffer, raw, plan })))
    }

    fn side(&self) -> Side {
        Side { address: self.raw.pointer().addr() as Address, kind: MemoryKind::CU_MEMORYTYPE_DEVICE }
    }
}

pub(super) fn owner<'a, T: Element, const R: usize, L: Layout>(
    view: &ViewRef<'a, T, R, CudaSpace, L>,
) -> &'a DeviceAllocation {
    view.owner().expect("a View of device memory has an owner")
}

/// Runs driver calls that copy between the host and `allocation` on `stream`, and waits for them.
///
/// Earlier uses of the allocation are waited for first; later ones come after the call, whose borrows exclude others. So
/// no use needs to be recorded.
fn with_host(
    stream: &Stream,
    allocation: &DeviceAllocation,
    writes: bool,
    label: &str,
    calls: impl FnOnce(RawStream) -> Result<(), Fault>,
) -> Result<()> {
    let outcome = start_with_host(stream, allocation, writes, label, calls);
    // Also after a fault: calls before the one that failed may still be running.
    let waited = stream.synchronize();
    outcome.and(waited)
}

/// As [`with_host`], without the wait at the end, which the caller makes, also after an error.
pub(super) fn start_with_host(
    stream: &Stream,
    allocation: &DeviceAllocation,
    writes: bool,
    label: &str,
    calls: impl FnOnce(RawStream) -> Result<(), Fault>,
) -> Result<()> {
    let context = allocation.context();
    context.bind()?;
    {
        let _order = context.order();
        allocation.wait(stream, writes)?;
    }
    stream
        .timed(|| (format!("copy of `{label}`"), 0), || calls(stream.raw()))
        .map_err(|fault| context.failed(&format!("copying view `{label}`"), fault))
}

/// Copies from a device to memory of the host; if the copy fails midway, the elements become zero.
pub(super) fn download<T: Element, const R: usize, M: MemorySpace, L1: Layout, L2: Layout>(
    mut to: ViewMut<'_, T, R, M, L1>,
    from: ViewRef<'_, T, R, CudaSpace, L2>,
    kind: MemoryKind,
    stream: Option<CopyStream<'_>>,
) -> Result<()> {
    check_extents(&to, &from)?;
    if from.size_bytes() == 0 {
        return Ok(());
    }
    let stream = owner(&from).stream_for(stream);
    let (target, source) = (to.raw_mut(), from.raw());
    let extents = source.extents();
    let from_side =
        Side { address: source.pointer().addr() as Address, kind: MemoryKind::CU_MEMORYTYPE_DEVICE };
    let clear_torn = |outcome: Result<()>| {
        if outcome.is_err() {
            // SAFETY: the host may write the View, which is borrowed exclusively; the copy has ended, or the context is lost.
            unsafe { clear(&describe(to.view())) }
        }
        outcome
    };
    let fetch = |target: *mut T, kind, strides| {
        let plan = plan::<T, R>(extents, strides, source.strides());
        let to_side = Side { address: address(target), kind };
        with_host(&stream, owner(&from), false, from.label(), |stream| {
            // SAFETY: each line is elements of one View at the place of the same elements of the other, which is borrowed
            // alone; both borrows outlive this, which waits.
            unsafe { plan.run(to_side, from_side, stream) }
        })
    };
    owner(&from).context().bind()?;
    let direct = plan::<T, R>(extents, target.strides(), source.strides());
    let packed = Packed::new(owner(&from), &stream, extents, target.strides(), &direct, |strides| {
        plan::<T, R>(extents, target.strides(), strides)
    })?;
    if let Some((kernels, packed)) = packed {
        return clear_torn(with_host(&stream, owner(&from), false, from.label(), |stream| {
            // SAFETY: only this copy uses the buffer, and waits until the host has the elements that the kernel put there.
            unsafe {
                kernels.copy(packed.raw, source, stream)?;
                packed.plan.run(Side { address: address(target.pointer()), kind }, packed.side(), stream)
            }
        }));
    }
    if !stages::<T, R>(extents, target.strides(), source.strides()) {
        return clear_torn(fetch(target.pointer(), kind, target.strides()));
    }
    let mut staging = Staging::like(source)?;
    let raw = staging.raw();
    fetch(raw.pointer(), MemoryKind::CU_MEMORYTYPE_HOST, raw.strides())?;
    // SAFETY: both are memory that the host may touch; the buffer is a separate allocation, full of the elements.
    unsafe { copy_raw(target, raw) };
    Ok(())
}

/// Copies from memory of the host to a device.
pub(super) fn upload<T: Element, const R: usize, M: MemorySpace, L1: Layout, L2: Layout>(
    mut to: ViewMut<'_, T, R, CudaSpace, L1>,
    from: ViewRef<'_, T, R, M, L2>,
    kind: MemoryKind,
    stream: Option<CopyStream<'_>>,
) -> Result<()> {
    check_extents(&to, &from)?;
    if from.size_bytes() == 0 {
        return Ok(());
    }
    let stream = owner(&to.view()).stream_for(stream);
    let (target, source) = (to.raw_mut(), from.raw());
    let extents = source.extents();
    owner(&to.view()).context().bind()?;
    let direct = plan::<T, R>(extents, target.strides(), source.strides());
    let whole = to.view();
    let packed = Packed::new(owner(&whole), &stream, extents, source.strides(), &direct, |strides| {
        plan::<T, R>(extents, strides, source.strides())
    })?;
    if let Some((kernels, packed)) = packed {
        return with_host(&stream, owner(&whole), true, whole.label(), |stream| {
            // SAFETY: only this copy uses the buffer, and waits until the kernel has read it.
            unsafe {
                packed.plan.run(packed.side(), Side { address: address(source.pointer()), kind }, stream)?;
                kernels.copy(target, packed.raw, stream)
            }
        });
    }
    if !stages::<T, R>(extents, source.strides(), target.strides()) {
        // SAFETY: the host's side is a View that is borrowed.
        return unsafe { send(to, source.pointer(), kind, source.strides(), &stream) };
    }
    let mut staging = Staging::like(target)?;
    let raw = staging.raw();
    // SAFETY: both are memory that the host may touch; the buffer is a separate allocation, and the View's elements are
    // initialised.
    unsafe { copy_raw(raw, source) };
    // SAFETY: the host's side is the buffer, which is full.
    unsafe { send(to, raw.pointer(), MemoryKind::CU_MEMORYTYPE_HOST, raw.strides(), &stream) }
}

/// Copies to a device from the host's elements at `from`, with their own strides.
///
/// # Safety
/// The elements at these strides are initialised memory that the host may touch, until this returns.
unsafe fn send<T: Element, const R: usize, L: Layout>(
    mut to: ViewMut<'_, T, R, CudaSpace, L>,
    from: *mut T,
    kind: MemoryKind,
    strides: [usize; R],
    stream: &Stream,
) -> Result<()> {
    let target = to.raw_mut();
    let plan = plan::<T, R>(target.extents(), target.strides(), strides);
    let to_side =
        Side { address: target.pointer().addr() as Address, kind: MemoryKind::CU_MEMORYTYPE_DEVICE };
    let from_side = Side { address: address(from), kind };
    with_host(stream, owner(&to.view()), true, to.label(), |stream| {
        // SAFETY: the plan's lines are those of the two Views: the device's is borrowed for this copy alone, and the
        // host may touch its own until this returns, as the contract asks.
        unsafe { plan.run(to_side, from_side, stream) }
    })
}

/// Copies from device memory to device memory, in the order of the streams.
fn across<T: Element, const R: usize, L1: Layout, L2: Layout>(
    mut to: ViewMut<'_, T, R, CudaSpace, L1>,
    from: ViewRef<'_, T, R, CudaSpace, L2>,
    stream: Option<CopyStream<'_>>,
) -> Result<()> {
    check_extents(&to, &from)?;
    if from.size_bytes() == 0 {
        return Ok(());
    }
    let context = owner(&from).context();
    let same = Arc::ptr_eq(context, owner(&to.view()).context());
    if !same && peer::copy(&mut to, &from, stream)? {
        return Ok(());
    }
    let (target, source) = (to.raw_mut(), from.raw());
    let plan = plan::<T, R>(target.extents(), target.strides(), source.strides());
    let whole = to.view();
    let (reader, writer) = (owner(&from), owner(&whole));
    context.bind()?;
    let kernels = context.stock().kernels().ok().filter(|_| same && !plan.is_simple());
    if !same || kernels.is_none() && plan.calls() > MAX_CALLS {
        let mut staging = Staging::like(source)?;
        let raw = staging.raw();
        // SAFETY: the buffer is a separate allocation; only `download` reaches it, which fills it.
        let copy = unsafe { ViewMut::<T, R, HostSpace, Stride>::new(raw, from.label(), None) };
        download(copy, from, MemoryKind::CU_MEMORYTYPE_HOST, stream)?;
        // SAFETY: the buffer is full, and no longer written.
        let copy = unsafe { ViewRef::<T, R, HostSpace, Stride>::new(raw, from.label(), None) };
        return upload(to, copy, MemoryKind::CU_MEMORYTYPE_HOST, stream);
    }
    let stream = reader.stream_for(stream);
    let side =
        |pointer: *mut T| Side { address: pointer.addr() as Address, kind: MemoryKind::CU_MEMORYTYPE_DEVICE };
    context.bind()?;
    let order = context.order();
    reader.wait(&stream, false)?;
    writer.wait(&stream, true)?;
    // SAFETY: each line is elements of one View at the place of the same elements of the other; the marks below order
    // all later uses, and the release of the memory, after this.
    let copy = || unsafe {
        match kernels {
            Some(kernels) => kernels.copy(target, source, stream.raw()),
            None => plan.run(side(target.pointer()), side(source.pointer()), stream.raw()),
        }
    };
    let outcome =
        stream.timed(|| (format!("copy of `{}`", from.label()), 2 * from.size_bytes() as u64), copy);
    let ticket = stream.submitted();
    reader.mark(&stream, ticket, false);
    writer.mark(&stream, ticket, true);
    drop(order);
    outcome.map_err(|fault| context.failed(&format!("copying view `{}`", from.label()), fault))
}

/// The error that the host has no memory for a buffer of `len` elements.
fn no_room<T>(len: usize) -> Error {
    let bytes = len * size_of::<T>();
    Error::new(ErrorKind::OutOfMemory, format!("no memory on the host for a copy of {bytes} bytes"))
}

/// Gives every element of a View with gaps this value, by a copy from a dense buffer.
pub(super) fn fill_strided<T: Element, const R: usize, L: Layout>(
    mut to: ViewMut<'_, T, R, CudaSpace, L>,
    value: T,
    stream: &Stream,
) -> Result<()> {
    let target = to.raw_mut();
    let mut values = repeated(value, target.len()).ok_or_else(|| no_room::<T>(target.len()))?;
    let strides = dense_like(target.extents(), target.strides());
    // SAFETY: the buffer has an element for each of the View's, and lives until this returns.
    unsafe { send(to, values.as_mut_ptr().cast(), MemoryKind::CU_MEMORYTYPE_HOST, strides, stream) }
}

impl CopyFrom<CudaSpace> for CudaSpace {
    fn copy_elements<T: Element, const R: usize, L1: Layout, L2: Layout>(
        to: ViewMut<'_, T, R, Self, L1>,
        from: ViewRef<'_, T, R, Self, L2>,
        stream: Option<CopyStream<'_>>,
    ) -> Result<()> {
        across(to, from, stream)
    }
}

macro_rules! to_device {
    ($($memory:ident $kind:ident;)*) => {$(
        impl CopyFrom<$memory> for CudaSpace {
            fn copy_elements<T: Element, const R: usize, L1: Layout, L2: Layout>(
                to: ViewMut<'_, T, R, Self, L1>,
                from: ViewRef<'_, T, R, $memory, L2>,
                stream: Option<CopyStream<'_>>,
            ) -> Result<()> {
                upload(to, from, MemoryKind::$kind, stream)
            }
        }
    )*};
}
macro_rules! from_device {
    ($($memory:ident $kind:ident;)*) => {$(
        impl CopyFrom<CudaSpace> for $memory {
            fn copy_elements<T: Element, const R: usize, L1: Layout, L2: Layout>(
                to: ViewMut<'_, T, R, Self, L1>,
                from: ViewRef<'_, T, R, CudaSpace, L2>,
                stream: Option<CopyStream<'_>>,
            ) -> Result<()> {
                download(to, from, MemoryKind::$kind, stream)
            }
        }
    )*};
}
to_device! {
    HostSpace CU_MEMORYTYPE_HOST;
    CudaHostPinnedSpace CU_MEMORYTYPE_HOST;
    CudaManagedSpace CU_MEMORYTYPE_UNIFIED;
}
from_device! {
    CudaHostPinnedSpace CU_MEMORYTYPE_HOST;
    CudaManagedSpace CU_MEMORYTYPE_UNIFIED;
}

/// [`MemorySpace::copy_to_host`] for device memory.
pub(super) fn to_host<T: Element, const R: usize, L1: Layout, L2: Layout>(
    to: ViewMut<'_, T, R, HostSpace, L1>,
    from: ViewRef<'_, T, R, CudaSpace, L2>,
    stream: Option<CopyStream<'_>>,
) -> Result<()> {
    download(to, from, MemoryKind::CU_MEMORYTYPE_HOST, stream)
}

macro_rules! on_the_host {
    ($($to:ident $from:ident;)*) => {$(
        impl CopyFrom<$from> for $to {
            fn copy_elements<T: Element, const R: usize, L1: Layout, L2: Layout>(
                to: ViewMut<'_, T, R, Self, L1>,
                from: ViewRef<'_, T, R, $from, L2>,
                _stream: Option<CopyStream<'_>>,
            ) -> Result<()> {
                copy_on_host(to, from)
            }
        }
    )*};
}
on_the_host! {
    CudaHostPinnedSpace HostSpace;
    CudaHostPinnedSpace CudaHostPinnedSpace;
    CudaHostPinnedSpace CudaManagedSpace;
    CudaManagedSpace HostSpace;
    CudaManagedSpace CudaHostPinnedSpace;
    CudaManagedSpace CudaManagedSpace;
}
