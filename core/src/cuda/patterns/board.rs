//! The memory in which the blocks of scans publish values for each other.

use core::sync::atomic::AtomicU32;

use spelt_kernels_gpu::scan::Work;

use crate::Result;
use crate::cuda::{Cuda, DeviceBuffer, driver};

/// The first bytes: the tickets, which are 0 between launches, on a separate line.
const HEAD: usize = 256;

/// Device memory that holds only words with the tags of the launches that wrote them, kept for later launches. Each launch has
/// a different tag, so nothing needs to be cleared.
#[derive(Debug, Default)]
pub(in crate::cuda) struct Board {
    buffer: Option<DeviceBuffer>,
    words: usize,
    tag: u32,
}

impl Board {
    /// The memory for a scan that publishes `words` words. `areas` is passed through.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is too little memory.
    pub(super) fn work(&mut self, space: &Cuda, words: usize, areas: *mut u8) -> Result<Work> {
        if self.buffer.is_none() || self.words < words {
            let room = words.checked_next_power_of_two().unwrap_or(words);
            self.buffer = Some(space.scratch((size_of::<u64>().saturating_mul(room)).saturating_add(HEAD))?);
            self.words = room;
            self.tag = 0;
        }
        let buffer = self.buffer.as_ref().expect("made above if there was none");
        self.tag = self.tag.wrapping_add(1);
        // Clears memory that is new or may hold every tag.
        if self.tag <= 1 {
            self.tag = 1;
            let count = (HEAD + size_of::<u64>() * self.words) / size_of::<u32>();
            // SAFETY: the buffer has these bytes, and belongs to this stream.
            let filled = unsafe {
                driver::fill(buffer.address(), driver::Pattern::Four(0), count, space.stream.raw())
            };
            if let Err(fault) = filled {
                self.buffer = None;
                return Err(space.context().failed("making room for the values that blocks publish", fault));
            }
        }
        let first = buffer.pointer();
        Ok(Work {
            tickets: first.cast::<AtomicU32>(),
            published: first.wrapping_add(HEAD).cast(),
            tag: self.tag,
            areas,
        })
    }
}
