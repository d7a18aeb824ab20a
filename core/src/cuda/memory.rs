//! The memory spaces of CUDA, and the uses of an allocation.

use core::ptr::{self, NonNull};
use std::sync::{Arc, Mutex};

use super::context::{Context, lock};
use super::driver::{self, Address, Fault};
use super::stream::{Mark, Stream};
use spelt_access::{Element, Layout};

use crate::memory::ALIGNMENT;
use crate::reach::Reach;
#[cfg(feature = "rayon")]
use crate::spaces::Rayon;
#[cfg(feature = "threads")]
use crate::spaces::Threads;
use crate::spaces::{AnyHost, Serial};
use crate::view::memory_space::{elements_by_the_host, sealed};
use crate::view::{CopyStream, HostAccessible, HostSpace, MemorySpace, View, ViewMut, ViewRef};
use crate::{Error, ErrorKind, Result};

/// The memory of a CUDA device, from its stream-ordered pool; the host cannot access it.
///
/// [`ExecutionSpace::zeros`](crate::ExecutionSpace::zeros) and similar methods of [`Cuda`](super::Cuda) make Views in it.
/// Launches and copies that use a View are ordered, on any streams, and so is its release: no fence
/// is needed.
///
/// # Examples
/// ```
/// use spelt_core::{CudaSpace, MemorySpace};
/// assert!(!CudaSpace::HOST_ACCESSIBLE);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CudaSpace;

/// Memory of the host that all CUDA devices reach across the bus. Copies between it and a device are the fastest.
///
/// The pages are pinned, so allocate only what copies need. A launch with such a View returns only when
/// it has finished, because the host could access the View then.
///
/// # Examples
/// ```
/// use spelt_core::{CudaHostPinnedSpace, MemorySpace};
/// assert!(CudaHostPinnedSpace::HOST_ACCESSIBLE);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CudaHostPinnedSpace;

/// Memory with pages that move between host and devices on access: Kokkos's `CudaUVMSpace`.
///
/// A launch with such a View returns only when it has finished, because the host could access the View then.
///
/// # Examples
/// ```
/// use spelt_core::{CudaManagedSpace, MemorySpace};
/// assert!(CudaManagedSpace::HOST_ACCESSIBLE);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CudaManagedSpace;

impl sealed::Sealed for CudaSpace {}
impl sealed::Sealed for CudaHostPinnedSpace {}
impl sealed::Sealed for CudaManagedSpace {}

// SAFETY: `DeviceAllocation` frees its block in `drop`, once; the host gets no references to it.
unsafe impl MemorySpace for CudaSpace {
    const NAME: &'static str = "CudaSpace";
    const HOST_ACCESSIBLE: bool = false;
    type Allocation = DeviceAllocation;
    fn fill_elements<T: Element, const R: usize, L: Layout>(
        to: ViewMut<'_, T, R, Self, L>,
        value: T,
        stream: Option<CopyStream<'_>>,
    ) -> Result<()> {
        super::fill::fill(to, value, stream)
    }
    fn copy_to_host<T: Element, const R: usize, L1: Layout, L2: Layout>(
        to: ViewMut<'_, T, R, HostSpace, L1>,
        from: ViewRef<'_, T, R, Self, L2>,
        stream: Option<CopyStream<'_>>,
    ) -> Result<()> {
        super::copy::to_host(to, from, stream)
    }
    fn message_bytes<T: Element, const R: usize, L: Layout>(
        beside: ViewRef<'_, T, R, Self, L>,
        len: usize,
    ) -> Result<Option<View<u8, 1, Self>>> {
        let home = &super::copy::owner(&beside).home;
        super::construct::zeros(home, Source::Plain, "message".to_owned(), [len]).map(Some)
    }
    fn read_staged<T: Element, const R: usize, L: Layout>(
        from: ViewRef<'_, T, R, Self, L>,
        take: &mut dyn FnMut(&[T]),
    ) -> Result<()> {
        super::staged::read(from, take)
    }
    fn write_staged<T: Element, const R: usize, L: Layout>(
        to: ViewMut<'_, T, R, Self, L>,
        give: &mut dyn FnMut(&mut [T]) -> Result<()>,
    ) -> Result<()> {
        super::staged::write(to, give)
    }
    fn wait(view: ViewRef<'_, u8, 1, Self>) -> Result<()> {
        super::copy::owner(&view).synchronize()
    }
}
// SAFETY: `MappedAllocation` frees its block in `drop`, once; its addresses are valid on the host.
unsafe impl MemorySpace for CudaHostPinnedSpace {
    const NAME: &'static str = "CudaHostPinnedSpace";
    const HOST_ACCESSIBLE: bool = true;
    type Allocation = MappedAllocation;
    elements_by_the_host!();
}
// SAFETY: the host has the address that `cuMemHostAlloc` gave it, and keeps it until `MappedAllocation` is dropped.
unsafe impl HostAccessible for CudaHostPinnedSpace {}
// SAFETY: `MappedAllocation` frees its block in `drop`, once; its addresses are valid on the host, since devices where
// the host may not touch managed memory while kernels run are refused.
unsafe impl MemorySpace for CudaManagedSpace {
    const NAME: &'static str = "CudaManagedSpace";
    const HOST_ACCESSIBLE: bool = true;
    type Allocation = MappedAllocation;
    elements_by_the_host!();
}
// SAFETY: the host has the address that `cuMemAllocManaged` gave it, and keeps it until `MappedAllocation` is dropped;
// devices where it may not touch the memory while kernels run are refused.
unsafe impl HostAccessible for CudaManagedSpace {}

/// Implements `Reach` of shared memory for spaces of the host's threads.
macro_rules! host_reaches_mapped {
    ($($space:ty)*) => {$(
        // SAFETY: the host can access pinned memory, which no work of a device uses after the call that started it.
        unsafe impl Reach<CudaHostPinnedSpace> for $space {}
        // SAFETY: the host can access managed memory, which no launch uses after it has returned.
        unsafe impl Reach<CudaManagedSpace> for $space {}
    )*};
}
host_reaches_mapped!(Serial AnyHost);
#[cfg(feature = "threads")]
host_reaches_mapped!(Threads);
#[cfg(feature = "rayon")]
host_reaches_mapped!(Rayon);

/// A block of a device's memory.
///
/// It owns the block, unless it has no source: then other code does. It records the work that last wrote the block and the work that has read it since, so that
/// later work can wait for both.
#[derive(Debug)]
pub struct DeviceAllocation {
    address: Address,
    bytes: usize,
    /// `None` if other code owns and frees it.
    source: Option<Source>,
    /// The stream that allocated it and will free it.
    home: Arc<Stream>,
    uses: Mutex<LastUses>,
}

/// The driver's allocator from which a block of a device's memory comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The pool, in the order of a stream.
    Pool,
    /// `cuMemAlloc`, whose memory `cuIpcGetMemHandle` lets other processes open. It does not take that of pools.
    Plain,
}

#[derive(Debug)]
struct LastUses {
    write: Mark,
    /// One for each stream that has read since the write.
    reads: Vec<Mark>,
}

impl DeviceAllocation {
    /// An uninitialised block for later work on `stream`.
    ///
    /// If there is not enough memory, it waits for pending frees and then tries again.
    pub(super) fn new(stream: &Arc<Stream>, source: Source, bytes: usize) -> Result<Result<Self, Fault>> {
        let context = stream.context();
        context.bind()?;
        let mark = |ticket| LastUses { write: Mark { stream: stream.clone(), ticket }, reads: Vec::new() };
        if bytes == 0 {
            // There are no bytes, so any address is valid; this one is aligned.
            let uses = Mutex::new(mark(0));
            return Ok(Ok(Self {
                address: ALIGNMENT as Address,
                bytes,
                source: Some(source),
                home: stream.clone(),
                uses,
            }));
        }
        let _order = context.order();
        let ask = || match source {
            // SAFETY: the stream lives, and the size is not 0.
            Source::Pool => unsafe { driver::allocate(bytes, stream.raw()) },
            Source::Plain => driver::allocate_plain(bytes),
        };
        let address = match ask() {
            Err(fault) if fault.out_of_memory() => match context.release_memory() {
                Ok(()) => ask(),
                Err(fault) => Err(fault),
            },
            first => first,
        };
        Ok(match address {
            Ok(address) => {
                let uses = Mutex::new(mark(stream.submitted()));
                Ok(Self { address, bytes, source: Some(source), home: stream.clone(), uses })
            }
            Err(fault) if fault.out_of_memory() => Err(fault),
            Err(fault) => return Err(context.failed("allocating memory", fault)),
        })
    }

    /// A block that other code owns, of which `stream` may use any part. No work uses it yet.
    pub(super) fn unmanaged(stream: &Arc<Stream>, address: Address) -> Self {
        let write = Mark { stream: stream.clone(), ticket: 0 };
        let uses = Mutex::new(LastUses { write, reads: Vec::new() });
        Self { address, bytes: 0, source: None, home: stream.clone(), uses }
    }

    pub(super) fn address(&self) -> Address {
        self.address
    }

    /// The address as a pointer, which only a device may follow.
    pub(super) fn pointer(&self) -> *mut u8 {
        ptr::without_provenance_mut(self.address as usize)
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        self.home.context()
    }

    /// The stream for a copy from or to this block: `wanted`, if that is a stream of the same device, otherwise that of the last work that
    /// wrote the block, which need not be waited for.
    pub(super) fn stream_for(&self, wanted: Option<CopyStream<'_>>) -> Arc<Stream> {
        let wanted = wanted.and_then(CopyStream::stream::<Arc<Stream>>);
        match wanted.filter(|stream| Arc::ptr_eq(stream.context(), self.context())) {
            Some(stream) => stream.clone(),
            None => lock(&self.uses).write.stream.clone(),
        }
    }

    /// Makes later work on `stream`, which reads or also `writes` this block, wait for the earlier uses that matter.
    ///
    /// The context is bound and its order is held, until [`mark`](Self::mark) where that follows.
    pub(super) fn wait(&self, stream: &Stream, writes: bool) -> Result<()> {
        let uses = lock(&self.uses);
        stream.wait_for(&uses.write)?;
        if writes {
            for read in &uses.reads {
                let waited = stream.wait_for(read);
                // A copy to another device, on which something has failed: the copy has ended with all of that device's work.
                let lost = !Arc::ptr_eq(read.stream.context(), stream.context())
                    && read.stream.context().is_broken();
                if !lost {
                    waited?;
                }
            }
            stream.context().bind()?;
        }
        Ok(())
    }

    /// Records that work of `stream` reads or also `writes` this block, after it has [waited](Self::wait).
    pub(super) fn mark(&self, stream: &Arc<Stream>, ticket: u64, writes: bool) {
        let mut uses = lock(&self.uses);
        if writes {
            uses.reads.clear();
            if uses.write.stream.number() == stream.number() {
                uses.write.ticket = ticket;
            } else {
                uses.write = Mark { stream: stream.clone(), ticket };
            }
            return;
        }
        match uses.reads.iter_mut().find(|read| read.stream.number() == stream.number()) {
            Some(read) => read.ticket = ticket,
            None => {
                uses.reads.retain(|read| !read.is_over());
                uses.reads.push(Mark { stream: stream.clone(), ticket });
            }
        }
    }

    /// Waits on the host until all uses have ended. An error if it could not wait for one.
    fn synchronize(&self) -> Result<()> {
        let uses = lock(&self.uses);
        let pending = uses.reads.iter().chain([&uses.write]).filter(|mark| !mark.is_over());
        let mut result = Ok(());
        for mark in pending {
            // Also after one that has failed.
            let waited = mark.stream.synchronize();
            result = result.and(waited);
        }
        result
    }

    /// Frees a block of the pool after all of its uses, for which the host does not wait.
    fn free_in_order(&self) {
        let context = self.context();
        // In a broken context nothing can be freed; the driver frees it with the context.
        if !context.bind_to_free() {
            return;
        }
        let _order = context.order();
        if self.wait(&self.home, true).is_ok() {
            // SAFETY: the block came from `allocate`; all uses come before this on its stream, or the stream waits for them.
            if unsafe { driver::free(self.address, self.home.raw()) }.is_ok() {
                self.home.submitted();
            }
        }
    }
}

impl Drop for DeviceAllocation {
    // Errors cannot be reported from it.
    fn drop(&mut self) {
        match self.source {
            // Its owner may free it as soon as this returns. A broken context runs nothing.
            None => drop(self.synchronize()),
            Some(_) if self.bytes == 0 => {}
            Some(Source::Pool) => self.free_in_order(),
            Some(Source::Plain) => {
                if self.synchronize().is_ok() && self.context().bind_to_free() {
                    // SAFETY: the block came from `allocate_plain`, and all of its uses have ended.
                    let _ = unsafe { driver::free_plain(self.address) };
                }
            }
        }
    }
}

/// A block of memory that host and devices reach at the same address: pinned or managed.
///
/// Work of a device uses it only during calls that wait for it.
#[derive(Debug)]
pub struct MappedAllocation {
    pointer: NonNull<u8>,
    bytes: usize,
    kind: Mapped,
    context: Arc<Context>,
}

/// The kind of memory that both sides reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mapped {
    Pinned,
    Managed,
}

// SAFETY: it is the only owner of its block and never reads or writes it; the driver frees on any thread.
unsafe impl Send for MappedAllocation {}
// SAFETY: a shared reference allows no access to the block.
unsafe impl Sync for MappedAllocation {}

impl MappedAllocation {
    /// A block with all bytes zero.
    pub(super) fn zeroed(context: &Arc<Context>, kind: Mapped, bytes: usize) -> Result<Result<Self, Fault>> {
        context.bind()?;
        if kind == Mapped::Managed && !context.facts().shares_managed {
            return Err(Error::new(
                ErrorKind::Policy,
                format!(
                    "device {} does not let the host touch managed memory while kernels run: use pinned Views, or copy",
                    context.number()
                ),
            ));
        }
        if bytes == 0 {
            let pointer = NonNull::without_provenance(core::num::NonZero::new(ALIGNMENT).expect("not zero"));
            return Ok(Ok(Self { pointer, bytes, kind, context: context.clone() }));
        }
        let block = match kind {
            Mapped::Pinned => driver::allocate_pinned(bytes),
            Mapped::Managed => driver::allocate_managed(bytes),
        };
        match block {
            Ok(pointer) => {
                let pointer = NonNull::new(pointer).expect("the driver gives addresses that are not null");
                // SAFETY: the block is new, has these bytes, and is valid on the host.
                unsafe { pointer.write_bytes(0, bytes) };
                Ok(Ok(Self { pointer, bytes, kind, context: context.clone() }))
            }
            Err(fault) if fault.out_of_memory() => Ok(Err(fault)),
            Err(fault) => Err(context.failed("allocating memory", fault)),
        }
    }

    pub(super) fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }
}

impl Drop for MappedAllocation {
    fn drop(&mut self) {
        if self.bytes != 0 && self.context.bind_to_free() {
            // SAFETY: the block came from the function of its kind and is freed here only; calls that let a device use
            // it have waited. Errors cannot be reported from `drop`.
            let _ = unsafe {
                match self.kind {
                    Mapped::Pinned => driver::free_pinned(self.pointer.as_ptr()),
                    Mapped::Managed => driver::free_managed(self.pointer.as_ptr()),
                }
            };
        }
    }
}

/// A block of a device's memory for a launch's own use on one stream; dropping it frees it after the work already on the
/// stream.
#[derive(Debug)]
pub(crate) struct DeviceBuffer(DeviceAllocation);

impl DeviceBuffer {
    pub(super) fn new(stream: &Arc<Stream>, bytes: usize) -> Result<Self> {
        DeviceAllocation::new(stream, Source::Pool, bytes)?.map(Self).map_err(|_fault| {
            let what = format!("no memory for a buffer of {bytes} bytes that the launch needs");
            Error::new(ErrorKind::OutOfMemory, no_memory(stream.context(), what))
        })
    }

    /// Its first address, a multiple of 256, which only the device may follow.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.0.pointer()
    }

    pub(super) fn address(&self) -> Address {
        self.0.address()
    }

    pub(super) fn allocation(&self) -> &DeviceAllocation {
        &self.0
    }
}

/// The error of a View for which there is not enough memory, with the amount that is free.
pub(super) fn no_memory(context: &Context, what: String) -> String {
    match driver::memory_info() {
        Ok((free, total)) => {
            format!("{what}: device {} has {free} bytes free of {total}", context.number())
        }
        Err(_) => format!("{what} on device {}", context.number()),
    }
}
