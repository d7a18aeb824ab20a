//! Copies from one device to another.
//!
//! The driver copies lines of bytes between devices, with or without direct access between them. Elements that are no single line on one of the
//! sides go through a dense buffer there, which a stock kernel of that device packs or unpacks.
//!
//! Packing runs on a stream of the source's device; the copy and unpacking run on one of the target's, which waits for the packing by an
//! event. So a View's last write is always work of its own device; only its reads may be work of others.

use std::sync::{Arc, MutexGuard};

use spelt_access::{Element, Layout, RawView, Stride};

use super::context::Context;
use super::copy::owner;
use super::copy_plan::{dense_like, is_one_line};
use super::driver::{self, Address};
use super::memory::{CudaSpace, DeviceAllocation, DeviceBuffer};
use super::stream::Stream;
use crate::view::{CopyStream, ViewMut, ViewRef};
use crate::{ErrorKind, Result};

/// A dense copy of a View's elements on its device.
struct Dense<T, const R: usize> {
    buffer: DeviceBuffer,
    raw: RawView<T, R, Stride>,
}

impl<T, const R: usize> Dense<T, R> {
    /// Memory for it; nothing if there is too little, or the device has no stock kernels to fill it.
    fn new(stream: &Arc<Stream>, extents: [usize; R], strides: [usize; R]) -> Result<Option<Self>> {
        let context = stream.context();
        context.bind()?;
        if context.stock().kernels().is_err() {
            return Ok(None);
        }
        let bytes = extents.iter().product::<usize>() * size_of::<T>();
        match DeviceBuffer::new(stream, bytes) {
            Ok(buffer) => {
                let raw = RawView::new(buffer.pointer().cast(), extents, strides);
                Ok(Some(Self { buffer, raw }))
            }
            Err(error) if error.kind() == ErrorKind::OutOfMemory => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Copies a View to one of another device, which has the same extents and at least one byte. False if that needs the host: nothing has been
/// copied then.
pub(super) fn copy<T: Element, const R: usize, L1: Layout, L2: Layout>(
    to: &mut ViewMut<'_, T, R, CudaSpace, L1>,
    from: &ViewRef<'_, T, R, CudaSpace, L2>,
    wanted: Option<CopyStream<'_>>,
) -> Result<bool> {
    let (target, source) = (to.raw_mut(), from.raw());
    let whole = to.view();
    let (reader, writer) = (owner(from), owner(&whole));
    let (packing, copying) = (reader.stream_for(wanted), writer.stream_for(wanted));
    let extents = source.extents();

    // The order of the elements on their way: that of a side which is one line itself, if there is one.
    let source_order = dense_like(extents, source.strides());
    let (strides, packs) = if is_one_line::<T, R>(extents, source_order, source.strides()) {
        (source_order, false)
    } else {
        (dense_like(extents, target.strides()), true)
    };
    let unpacks = !is_one_line::<T, R>(extents, target.strides(), strides);
    let packed = if packs { Dense::new(&packing, extents, strides)? } else { None };
    let arrived = if unpacks { Dense::new(&copying, extents, strides)? } else { None };
    if packs && packed.is_none() || unpacks && arrived.is_none() {
        return Ok(false);
    }
    let (here, there) = (writer.context(), reader.context());
    let failed =
        |context: &Context, fault| context.failed(&format!("copying view `{}`", from.label()), fault);

    let order = both_orders(here, there);
    let left = match &packed {
        None => source.pointer(),
        Some(dense) => {
            there.bind()?;
            reader.wait(&packing, false)?;
            let kernels = there.stock().kernels().expect("they were asked for");
            // SAFETY: the buffer has the extents of the View and is this copy's alone; the context is bound, the stream has waited for the
            // View's write, and the mark orders all later writes after this.
            let outcome = unsafe { kernels.copy(dense.raw, source, packing.raw()) };
            let ticket = packing.submitted();
            reader.mark(&packing, ticket, false);
            dense.buffer.allocation().mark(&packing, ticket, true);
            outcome.map_err(|fault| failed(there, fault))?;
            dense.raw.pointer()
        }
    };
    let read: &DeviceAllocation = packed.as_ref().map_or(reader, |dense| dense.buffer.allocation());
    here.bind()?;
    read.wait(&copying, false)?;
    writer.wait(&copying, true)?;
    let bytes = extents.iter().product::<usize>() * size_of::<T>();
    let arrival = arrived.as_ref().map_or(target.pointer(), |dense| dense.raw.pointer());
    let side = |pointer: *mut T, context: &Context| (pointer.addr() as Address, context.raw());
    // SAFETY: both are dense memory of the devices of these contexts, with elements in the same order. The stream has waited for the earlier
    // uses; the marks below order all later uses, and the release of the memory, after this.
    let mut outcome =
        unsafe { driver::copy_between(side(arrival, here), side(left, there), bytes, copying.raw()) };
    if let (Ok(()), Some(dense)) = (outcome, &arrived) {
        let kernels = here.stock().kernels().expect("they were asked for");
        // SAFETY: the buffer has the extents of the View and is full when the stream comes here; the context is bound, and only this copy
        // writes the View.
        outcome = unsafe { kernels.copy(target, dense.raw, copying.raw()) };
    }
    let ticket = copying.submitted();
    read.mark(&copying, ticket, false);
    writer.mark(&copying, ticket, true);
    drop(order);
    outcome.map_err(|fault| failed(here, fault))?;
    Ok(true)
}

/// Holds the orders of two devices, taken by their numbers, so that two threads never wait for each other.
fn both_orders<'a>(one: &'a Context, other: &'a Context) -> [MutexGuard<'a, ()>; 2] {
    let (first, second) = if one.number() < other.number() { (one, other) } else { (other, one) };
    let first = first.order();
    [first, second.order()]
}
