//! Buffers that launches use again, so that only the first ones allocate.

use core::cell::RefCell;
use core::mem::{MaybeUninit, align_of, size_of};
use core::ptr::NonNull;

use spelt_kernels_gpu::Element;

use crate::memory::{ALIGNMENT, HostAllocation, Start};

thread_local! {
    /// Buffers that no launch uses at the moment.
    static IDLE: RefCell<Vec<Buffer>> = const { RefCell::new(Vec::new()) };
}

/// Buffers a thread keeps; more are freed. Unit: buffers. Source: a launch nested in a launch, each with scratch for
/// team and thread, uses four.
const KEEP: usize = 8;

/// A block of host memory of a launch's own. It belongs to whoever holds it, never to a thread: a launch nested in
/// another takes another one.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// Frees the block.
    _block: HostAllocation,
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it owns its block; it is plain memory.
unsafe impl Send for Buffer {}
// SAFETY: a shared reference gives only the address.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// At least `bytes` bytes, aligned for every type up to a cache line.
    ///
    /// # Panics
    /// If there is no memory.
    pub(crate) fn take(bytes: usize) -> Self {
        let idle = IDLE.with_borrow_mut(|idle| {
            idle.iter().position(|buffer| buffer.bytes >= bytes).map(|place| idle.swap_remove(place))
        });
        idle.unwrap_or_else(|| {
            let bytes = bytes.max(4096).next_power_of_two();
            let (block, start) =
                HostAllocation::new(bytes, ALIGNMENT, Start::Uninitialised).unwrap_or_else(|| {
                    panic!("no memory for a buffer of {bytes} bytes for a kernel's scratch or results")
                });
            Self { _block: block, start, bytes }
        })
    }

    /// The whole buffer as `len` places for `T`.
    ///
    /// # Panics
    /// If they do not fit.
    pub(crate) fn places<T>(&self, len: usize) -> *mut MaybeUninit<T> {
        assert!(
            align_of::<T>() <= ALIGNMENT && len.checked_mul(size_of::<T>()).is_some_and(|b| b <= self.bytes)
        );
        self.start.as_ptr().cast()
    }

    /// A buffer of `len` elements, each written by `fill`.
    pub(crate) fn filled<T: Element>(len: usize, mut fill: impl FnMut(usize) -> T) -> Self {
        let buffer = Self::take(bytes_of::<T>(len));
        let places = buffer.places::<T>(len);
        for place in 0..len {
            let value = fill(place);
            // SAFETY: `places` has room for `len`, and the buffer is ours.
            unsafe { (*places.add(place)).write(value) };
        }
        buffer
    }

    /// Gives the buffer back to the thread.
    pub(crate) fn give_back(self) {
        // A thread that ends has no list any more; the buffer is then freed.
        let _ = IDLE.try_with(|idle| {
            let mut idle = idle.borrow_mut();
            if idle.len() < KEEP {
                idle.push(self);
            }
        });
    }
}

/// The bytes of `len` values.
///
/// # Panics
/// If they are more than can be counted.
#[inline(always)]
#[track_caller]
pub(crate) fn bytes_of<T>(len: usize) -> usize {
    match len.checked_mul(size_of::<T>()) {
        Some(bytes) => bytes,
        None => too_many(len, size_of::<T>()),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_many(len: usize, bytes: usize) -> ! {
    panic!("{len} values of {bytes} bytes are more bytes than can be counted")
}
