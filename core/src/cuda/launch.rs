//! The one way in which kernels start.

use core::any::Any;
use core::ffi::c_void;
use core::mem::{ManuallyDrop, needs_drop};
use core::ptr;
use std::sync::Arc;

use spelt_access::{Description, KernelArgs};
use spelt_kernels_gpu::kernel::{Far, Header, Kernel, Near, Symbol, is_far, symbol};

use super::Cuda;
use super::driver::{self, Grid};
use super::memory::{DeviceAllocation, DeviceBuffer, MappedAllocation};
use super::stream::Stream;
use crate::{Error, ErrorKind, Result};

/// Shared memory that a block gets without asking. Unit: bytes. Source: the CUDA programming guide.
const SHARED_UNASKED: u32 = 48 << 10;

/// An argument as a launch sees it: what [`KernelArg::describe`](spelt_access::KernelArg::describe) says.
pub(crate) type Use<'a> = Description<'a>;

/// The shape of a launch, and what it uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) label: &'a str,
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    /// Dynamic shared memory of each block. Unit: bytes.
    pub(crate) shared_bytes: u32,
    /// The arguments: see [`Uses`].
    pub(crate) uses: &'a [Use<'a>],
}

/// The descriptions of a launch's arguments.
#[derive(Debug)]
pub(crate) struct Uses<'a> {
    /// Those of the most arguments that a kernel can have, and of a View that takes a result.
    uses: [Use<'a>; 13],
    count: usize,
}

impl<'a> Uses<'a> {
    /// Those of `args`.
    pub(crate) fn of<A: KernelArgs>(args: &'a A) -> Self {
        let mut uses = Self { uses: [Description::SCALAR; 13], count: 0 };
        args.describe(&mut |argument| {
            uses.uses[uses.count] = argument;
            uses.count += 1;
        });
        uses
    }

    /// And the View that takes the result, if there is one.
    pub(crate) fn and(mut self, result: Option<Use<'a>>) -> Self {
        if let Some(result) = result {
            self.uses[self.count] = result;
            self.count += 1;
        }
        self
    }
}

impl<'a> core::ops::Deref for Uses<'a> {
    type Target = [Use<'a>];
    fn deref(&self) -> &[Use<'a>] {
        &self.uses[..self.count]
    }
}

impl Cuda {
    /// Starts `K` and returns, after it is over if an argument is a View that the host can touch.
    ///
    /// A launch of no blocks or no threads starts nothing.
    ///
    /// # Errors
    /// [`ErrorKind::DeviceCode`] if the program has no such kernel for this device; [`ErrorKind::Policy`] if the device
    /// cannot have such blocks; [`ErrorKind::Device`] if something failed on the device, now or before.
    ///
    /// # Safety
    /// The conditions of `K::run` hold for these parameters and this shape; `uses` describes all Views that they point
    /// into, written where the kernel writes, and what else they point to is memory of this space's stream.
    pub(crate) unsafe fn launch<K: Kernel>(&self, launch: &Launch<'_>, params: K::Params) -> Result<()> {
        const {
            assert!(
                !needs_drop::<K::Params>(),
                "what goes to a device is copied as bytes and dropped nowhere"
            );
        }
        let header = Header { launch: 0 };
        if const { is_far::<K>() } {
            let buffer = self.upload_params(launch.label, &params)?;
            let mut far = Far::<K::Params> { header, params: buffer.pointer().cast_const().cast() };
            // SAFETY: the entry takes a `Far`; the caller promises the rest. The buffer is freed in stream order.
            unsafe { self.start(symbol::<K>(), launch, ptr::from_mut(&mut far).cast()) }
        } else {
            let mut near = ManuallyDrop::new(Near { header, params });
            // SAFETY: the entry takes a `Near`; the caller promises the rest.
            unsafe { self.start(symbol::<K>(), launch, ptr::from_mut(&mut near).cast()) }
        }
    }

    /// Puts parameters into device memory, for launches to come.
    fn upload_params<P>(&self, label: &str, params: &P) -> Result<DeviceBuffer> {
        let in_kernel = |error: Error| error.in_kernel(label);
        let buffer = self.scratch(size_of::<P>()).map_err(in_kernel)?;
        let from = ptr::from_ref(params).expose_provenance() as driver::Address;
        // SAFETY: the buffer has that size; the driver has read the parameters, which are in pageable memory, when this
        // returns.
        unsafe { driver::copy(buffer.address(), from, size_of::<P>(), self.stream.raw()) }
            .map_err(|fault| in_kernel(self.stream.context().failed("uploading the parameters", fault)))?;
        Ok(buffer)
    }

    /// Starts the kernel that the device code has under `symbol`.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch); `parameter` points to what the entry takes, which begins with a [`Header`].
    pub(super) unsafe fn start(
        &self,
        symbol: Symbol,
        launch: &Launch<'_>,
        parameter: *mut c_void,
    ) -> Result<()> {
        if launch.blocks == 0 || launch.threads == 0 {
            return Ok(());
        }
        let stream = &self.stream;
        let context = stream.context();
        // SAFETY: `parameter` points to what the entry of `symbol` takes, and the launch is one with which it is sound,
        // as `start` asks; the context is bound first.
        let started = context.bind().and_then(|()| unsafe { submit(stream, symbol, launch, parameter) });
        let outcome = started.and_then(|launched| {
            if launched.is_ok() && !launch.uses.iter().any(|argument| mapped(argument).is_some()) {
                return launched;
            }
            // Waits after a failure too: memory that the host can touch goes back to it.
            let over = stream.synchronize();
            let outcome = launched.and(over);
            if outcome.is_err() {
                for argument in
                    launch.uses.iter().filter(|argument| argument.writes && mapped(argument).is_some())
                {
                    // SAFETY: the launch has the View exclusively, and its memory, which host and device share, is
                    // allocated; the stream's work is over, or lost.
                    unsafe { clear(argument) }
                }
            }
            outcome
        });
        outcome.map_err(|error| if error.kernel().is_some() { error } else { error.in_kernel(launch.label) })
    }
}

/// Gives the kernel to the driver. Where that is refused, the error is the outer one and nothing has run; an inner one says
/// that something has failed on the device, maybe this kernel already.
///
/// # Safety
/// As for [`Cuda::start`]; the context is bound.
unsafe fn submit(
    stream: &Arc<Stream>,
    symbol: Symbol,
    launch: &Launch<'_>,
    parameter: *mut c_void,
) -> Result<Result<()>> {
    let context = stream.context();
    let function = context.code().function(context, symbol)?;
    if launch.shared_bytes > SHARED_UNASKED {
        let most = context.facts().shared_bytes;
        // SAFETY: the module of the context's code lives as long as the context.
        unsafe { driver::allow_shared_memory(function, launch.shared_bytes) }.map_err(|fault| {
            if !fault.too_large() {
                return context.failed("asking for shared memory", fault);
            }
            Error::new(
                ErrorKind::Policy,
                format!(
                    "blocks cannot have {} bytes of shared memory: device {} has {most} for a block, less what the kernel \
                     itself uses: ask for less scratch",
                    launch.shared_bytes,
                    context.number()
                ),
            )
        })?;
    }
    let allocations = || {
        launch.uses.iter().filter_map(|argument| {
            argument.allocation?.downcast_ref::<DeviceAllocation>().map(|allocation| (argument, allocation))
        })
    };
    for (argument, allocation) in allocations() {
        if !Arc::ptr_eq(allocation.context(), context) {
            return Err(Error::new(
                ErrorKind::Device,
                format!(
                    "view `{}` lies on device {}, and the kernel runs on device {}: copy it there, with `to_space(&space)`",
                    argument.label,
                    allocation.context().number(),
                    context.number()
                ),
            ));
        }
    }
    let order = context.order();
    for (argument, allocation) in allocations() {
        allocation.wait(stream, argument.writes)?;
    }
    let number = context.notes().add(launch.label, launch.uses, stream.number(), stream.next_ticket());
    let grid = Grid { blocks: launch.blocks, threads: launch.threads, shared_bytes: launch.shared_bytes };
    // SAFETY: the parameter begins with a header, as the caller promises.
    unsafe { parameter.cast::<Header>().write(Header { launch: number }) };
    // SAFETY: function and stream live; the caller promises the rest.
    if let Err(fault) = unsafe { driver::launch(function, grid, stream.raw(), parameter) } {
        drop(order);
        if fault.lasts() {
            return Ok(Err(context.failed("launching", fault)));
        }
        let error = if fault.too_large() {
            Error::new(
                ErrorKind::Policy,
                format!(
                    "{} blocks of {} threads with {} bytes of shared memory are more than device {} can run: {fault}",
                    launch.blocks,
                    launch.threads,
                    launch.shared_bytes,
                    context.number()
                ),
            )
        } else {
            context.failed("launching", fault)
        };
        context.notes().remove(number);
        return Err(error);
    }
    let ticket = stream.submitted();
    for (argument, allocation) in allocations() {
        allocation.mark(stream, ticket, argument.writes);
    }
    Ok(Ok(()))
}

/// The argument's allocation, if the host can touch it.
fn mapped<'a>(argument: &Use<'a>) -> Option<&'a MappedAllocation> {
    let allocation: &'a dyn Any = argument.allocation?;
    allocation.downcast_ref()
}

/// Makes all elements zero that work of a device which failed may have left half written, where the host could read them:
/// zero is valid for every element type.
///
/// # Safety
/// The description is that of a View in memory that the host can write, and nobody else uses the View.
pub(super) unsafe fn clear(argument: &Use<'_>) {
    if argument.extents[..argument.rank].contains(&0) {
        return;
    }
    let mut index = [0; spelt_access::MAX_RANK];
    loop {
        let offset: usize = index.iter().zip(argument.strides).map(|(index, stride)| index * stride).sum();
        let element: *mut u8 =
            ptr::with_exposed_provenance_mut(argument.address + offset * argument.element_bytes);
        // SAFETY: the index is within the View's extents; the caller promises the rest.
        unsafe { element.write_bytes(0, argument.element_bytes) };
        let Some(next) = (0..argument.rank).rev().find(|&d| index[d] + 1 < argument.extents[d]) else {
            return;
        };
        index[next] += 1;
        index[next + 1..].fill(0);
    }
}
