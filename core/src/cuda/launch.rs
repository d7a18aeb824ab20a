//! The only way to start kernels.

use core::any::Any;
use core::ffi::c_void;
use core::mem::{ManuallyDrop, needs_drop};
use core::ptr;
use std::sync::Arc;

use spelt_access::{Description, KernelArgs};
use spelt_kernels_gpu::kernel::{Far, Header, Kernel, Near, Symbol, is_far, symbol};

use super::Cuda;
use super::context::Context;
use super::driver::{self, Grid};
use super::memory::{DeviceAllocation, DeviceBuffer, MappedAllocation};
use super::stream::Stream;
use super::times;
use crate::described::Described;
use crate::device::{FOR_KERNELS_ALONE, left_out};
use crate::tools::Bytes;
use crate::{Error, ErrorKind, Result};

/// Shared memory that a block gets without a request. Unit: bytes. Source: the CUDA programming guide.
const SHARED_UNASKED: u32 = 48 << 10;

/// A launch's view of an argument, from [`KernelArg::describe`](spelt_access::KernelArg::describe).
pub(crate) type Use<'a> = Description<'a>;

/// The shape of a launch, and its arguments.
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
pub(crate) struct Uses<'a>(Vec<Use<'a>>);

impl<'a> Uses<'a> {
    /// Those of `args`.
    pub(crate) fn of<A: KernelArgs>(args: &'a A) -> Self {
        if FOR_KERNELS_ALONE {
            return left_out();
        }
        Self(Described::new(args).descriptions())
    }

    /// Adds the View that receives the result, if there is one.
    pub(crate) fn and(mut self, result: Option<Use<'a>>) -> Self {
        self.0.extend(result);
        self
    }
}

impl<'a> core::ops::Deref for Uses<'a> {
    type Target = [Use<'a>];
    fn deref(&self) -> &[Use<'a>] {
        &self.0
    }
}

impl Cuda {
    /// Starts `K` and returns; if an argument is a View that the host can access, it returns after `K` has ended.
    ///
    /// A launch of no blocks or no threads starts nothing.
    ///
    /// # Errors
    /// [`ErrorKind::DeviceCode`] if the program has no such kernel for this device; [`ErrorKind::Policy`] if the device
    /// cannot have such blocks; [`ErrorKind::Device`] if something failed on the device, now or before.
    ///
    /// # Safety
    /// The conditions of `K::run` hold for these parameters and this shape; `uses` describes all Views that they point
    /// into, as written if the kernel writes them, and all other memory that they point to belongs to this space's stream.
    pub(crate) unsafe fn launch<K: Kernel>(&self, launch: &Launch<'_>, params: K::Params) -> Result<()> {
        const {
            assert!(
                !needs_drop::<K::Params>(),
                "parameters are copied to a device as bytes and never dropped"
            );
        }
        if FOR_KERNELS_ALONE {
            // SAFETY: nothing runs this.
            return unsafe { self.start(symbol::<K>(), launch, ptr::null_mut()) };
        }
        let header = Header { launch: 0 };
        if const { is_far::<K>() } {
            let buffer = self.upload_params(launch.label, &params)?;
            let mut far = Far::<K::Params> { header, params: buffer.pointer().cast_const().cast() };
            // SAFETY: the entry takes a `Far`; parameters, shape and uses are right by the contract of `launch`. The buffer is
            // freed in stream order.
            unsafe { self.start(symbol::<K>(), launch, ptr::from_mut(&mut far).cast()) }
        } else {
            let mut near = ManuallyDrop::new(Near { header, params });
            // SAFETY: the entry takes a `Near`; parameters, shape and uses are right by the contract of `launch`.
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
    /// As for [`launch`](Self::launch); `parameter` points to the entry's parameter, which begins with a [`Header`].
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
        // SAFETY: `parameter` points to the parameter of the entry of `symbol`, and the launch is sound for it,
        // as `start` asks; all of its memory is this device's, and the context is bound first.
        let started = all_here(context, launch)
            .and_then(|()| context.bind())
            .and_then(|()| unsafe { submit(stream, symbol, launch, parameter) });
        let outcome = started.and_then(|launched| {
            if launched.is_ok() && !launch.uses.iter().any(|argument| mapped(argument).is_some()) {
                return launched;
            }
            // Waits after a failure too: the host may access the memory again.
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
        stream.read_times(false);
        times::tell();
        outcome.map_err(|error| if error.kernel().is_some() { error } else { error.in_kernel(launch.label) })
    }
}

/// The size of the launch's Views, each counted once. Unit: bytes.
fn bytes(uses: &[Use<'_>]) -> u64 {
    let mut bytes = Bytes::new();
    uses.iter().for_each(|argument| bytes.add(argument.address, argument.size_bytes(), argument.writes));
    let [read, written] = bytes.read_and_written();
    read.saturating_add(written)
}

/// The Views of the launch in device memory.
fn allocations<'a>(launch: &Launch<'a>) -> impl Iterator<Item = (&'a Use<'a>, &'a DeviceAllocation)> {
    launch.uses.iter().filter_map(|argument| {
        argument.allocation?.downcast_ref::<DeviceAllocation>().map(|allocation| (argument, allocation))
    })
}

/// Checks that no View of the launch lies on another device, which a kernel cannot reach.
fn all_here(context: &Arc<Context>, launch: &Launch<'_>) -> Result<()> {
    match allocations(launch).find(|(_, allocation)| !Arc::ptr_eq(allocation.context(), context)) {
        None => Ok(()),
        Some((argument, allocation)) => Err(Error::new(
            ErrorKind::Device,
            format!(
                "view `{}` lies on device {}, and the kernel runs on device {}: copy it there, with `to_space(&space)`",
                argument.label,
                allocation.context().number(),
                context.number()
            ),
        )),
    }
}

/// Gives the kernel to the driver. Where that is refused, the error is the outer one and nothing has run; an inner one says
/// that something has failed on the device, maybe this kernel already.
///
/// # Safety
/// As for [`Cuda::start`]; the context is bound, and [`all_here`] holds.
unsafe fn submit(
    stream: &Arc<Stream>,
    symbol: Symbol,
    launch: &Launch<'_>,
    parameter: *mut c_void,
) -> Result<Result<()>> {
    let context = stream.context();
    let function = context.code().function(context, symbol, launch.threads)?;
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
    let allocations = || allocations(launch);
    let order = context.order();
    for (argument, allocation) in allocations() {
        allocation.wait(stream, argument.writes)?;
    }
    let number = context.notes().add(launch.label, launch.uses, stream.number(), stream.next_ticket());
    let grid = Grid { blocks: launch.blocks, threads: launch.threads, shared_bytes: launch.shared_bytes };
    // SAFETY: the parameter begins with a header, as the contract of `start` asks.
    unsafe { parameter.cast::<Header>().write(Header { launch: number }) };
    // SAFETY: function and stream live; the parameter is the entry's, by the contract of `start`.
    let started = stream.timed(
        || (launch.label.to_owned(), bytes(launch.uses)),
        || unsafe { driver::launch(function, grid, stream.raw(), parameter) },
    );
    if let Err(fault) = started {
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

/// Makes all elements zero, because failed work of a device may have left some half written where the host could read them.
/// Zero is valid for every element type.
///
/// # Safety
/// The description is that of a View in memory that the host can write, and nothing else uses the View.
pub(super) unsafe fn clear(argument: &Use<'_>) {
    if argument.extents[..argument.rank].contains(&0) {
        return;
    }
    let mut index = [0; spelt_access::MAX_RANK];
    loop {
        let offset: usize = index.iter().zip(argument.strides).map(|(index, stride)| index * stride).sum();
        let element: *mut u8 =
            ptr::with_exposed_provenance_mut(argument.address + offset * argument.element_bytes);
        // SAFETY: the index is within the View's extents; by the contract, the host may write the View and nothing else uses it.
        unsafe { element.write_bytes(0, argument.element_bytes) };
        let Some(next) = (0..argument.rank).rev().find(|&d| index[d] + 1 < argument.extents[d]) else {
            return;
        };
        index[next] += 1;
        index[next + 1..].fill(0);
    }
}
