//! Memory that the launches of a space use in turn.

use core::sync::atomic::AtomicU32;

use crate::Result;
use crate::cuda::memory::{Mapped, MappedAllocation};
use crate::cuda::{Cuda, DeviceBuffer, driver};

/// The largest result that a kernel writes into memory of the host. Unit: bytes. Source: a page, the least that is pinned.
const RESULT: usize = 4096;

/// The size of the counter at the start, which has its own cache line and is 0 between launches. Unit: bytes.
const HEAD: usize = ALIGNMENT;

/// The alignment of device memory. Unit: bytes. Source: the CUDA programming guide, "at least 256".
pub(super) const ALIGNMENT: usize = 256;

/// Device memory for partial results, kept for later launches. Kernels of one stream never run at the same time, so each space
/// has only one.
#[derive(Debug, Default)]
pub(in crate::cuda) struct Workspace {
    buffer: Option<DeviceBuffer>,
    bytes: usize,
    /// Pinned memory for a result; `None` inside if none is available.
    result: Option<Option<MappedAllocation>>,
    /// The warps of a block and the rows of a warp in reductions, if a test overrides the tuned numbers.
    pub(in crate::cuda) cut: Option<(u32, u32)>,
}

impl Workspace {
    /// The counter, and `bytes` bytes behind it, aligned to 256. Their contents are lost when the memory grows.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is not enough memory.
    pub(super) fn of(&mut self, space: &Cuda, bytes: usize) -> Result<(*mut AtomicU32, *mut u8)> {
        if self.buffer.is_none() || self.bytes < bytes {
            let room = bytes.next_power_of_two();
            let buffer = space.scratch(HEAD + room)?;
            // SAFETY: the buffer is new and has these bytes.
            unsafe { driver::fill(buffer.address(), driver::Pattern::Four(0), HEAD / 4, space.stream.raw()) }
                .map_err(|fault| space.context().failed("making room for partial results", fault))?;
            self.buffer = Some(buffer);
            self.bytes = room;
        }
        let first = self.buffer.as_ref().map_or(core::ptr::null_mut(), DeviceBuffer::pointer);
        Ok((first.cast(), first.wrapping_add(HEAD)))
    }

    /// Pinned memory of the host, aligned to 256 bytes, for a result of `bytes` bytes that the host waits for: a copy of such a small one takes
    /// longer than the wait. `None` if the result is large, or if there is no pinned memory.
    ///
    /// # Errors
    /// If the context is broken.
    pub(super) fn result(&mut self, space: &Cuda, bytes: usize) -> Result<Option<*mut u8>> {
        if bytes > RESULT {
            return Ok(None);
        }
        let result = match &mut self.result {
            Some(result) => result,
            none => {
                let memory = MappedAllocation::zeroed(space.context(), Mapped::Pinned, RESULT)?;
                none.insert(memory.ok())
            }
        };
        Ok(result.as_ref().map(|memory| memory.pointer().as_ptr()))
    }
}
