//! Buffers that launches reuse, so that only the first launches allocate.

use core::cell::RefCell;
use core::mem::{MaybeUninit, align_of, needs_drop, size_of};
use core::ptr::NonNull;
use std::panic::resume_unwind;
use std::sync::Arc;

use spelt_access::Element;

use crate::memory::{HostAllocation, Start};
use crate::{Error, ErrorKind};

thread_local! {
    /// Buffers that no launch uses at the moment.
    static IDLE: RefCell<Vec<Buffer>> = const { RefCell::new(Vec::new()) };
}

/// The number of buffers that a thread keeps; further ones are freed. Unit: buffers. Source: a launch nested in a launch, each
/// with scratch for team and thread, uses four.
const KEEP: usize = 8;

/// Alignment of buffers. Unit: bytes. Source: two cache lines of x86-64, which are fetched together: so far apart are the values that
/// threads write at the same time.
const ALIGNMENT: usize = 128;

/// A block of host memory of one launch. It belongs to its holder, never to a thread: a launch nested in
/// another takes a different block. Members of a team share it as clones.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// Frees the block. It is counted from the start, so that sharing it does not allocate.
    block: Arc<HostAllocation>,
    start: NonNull<u8>,
    bytes: usize,
}

/// The panic payload of a kernel without enough memory for its scratch.
pub(crate) struct NoScratch {
    pub(crate) bytes: usize,
}

/// There is no memory for the partial results of a launch.
#[derive(Debug)]
pub(crate) struct NoRoom {
    pub(crate) bytes: usize,
}

impl NoRoom {
    /// The error of the launch.
    #[cold]
    pub(crate) fn in_kernel(self, label: &str) -> Error {
        let message = format!(
            "no memory for {} bytes of partial results: use fewer threads or smaller values",
            self.bytes
        );
        Error::new(ErrorKind::OutOfMemory, message).in_kernel(label)
    }
}

// SAFETY: it owns its block; it is plain memory.
unsafe impl Send for Buffer {}
// SAFETY: a shared reference gives only the address.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// At least `bytes` bytes for the scratch of a team. The launch turns the panic into an error.
    ///
    /// # Panics
    /// With [`NoScratch`] if there is not enough memory; the launch catches it.
    pub(crate) fn take_scratch(bytes: usize) -> Self {
        Self::try_take(bytes).unwrap_or_else(|| resume_unwind(Box::new(NoScratch { bytes })))
    }

    /// At least `bytes` bytes, aligned for every type up to [`ALIGNMENT`]; `None` if there is not enough memory.
    pub(crate) fn try_take(bytes: usize) -> Option<Self> {
        // The smallest that is large enough; a thread that is ending no longer has a list.
        let idle = IDLE.try_with(|idle| {
            let mut idle = idle.borrow_mut();
            let fitting = (0..idle.len()).filter(|&place| idle[place].bytes >= bytes);
            let smallest = fitting.min_by_key(|&place| idle[place].bytes);
            smallest.map(|place| idle.swap_remove(place))
        });
        idle.ok().flatten().or_else(|| {
            let bytes = bytes.max(4096).checked_next_power_of_two()?;
            let (block, start) = HostAllocation::new(bytes, ALIGNMENT, Start::Uninitialised)?;
            Some(Self { block: Arc::new(block), start, bytes })
        })
    }

    /// The whole buffer as `len` places for `T`.
    ///
    /// # Panics
    /// If they do not fit, or have a stricter alignment.
    pub(crate) fn places<T>(&self, len: usize) -> *mut MaybeUninit<T> {
        assert!(
            align_of::<T>() <= ALIGNMENT,
            "`{}` is aligned to {} bytes: scratch is aligned to at most {ALIGNMENT}",
            core::any::type_name::<T>(),
            align_of::<T>()
        );
        assert!(len.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= self.bytes));
        self.start.as_ptr().cast()
    }

    /// A buffer of `len` elements of a team's scratch, each written by `fill`.
    pub(crate) fn filled<T: Element>(len: usize, mut fill: impl FnMut(usize) -> T) -> Self {
        let buffer = Self::take_scratch(bytes_of::<T>(len));
        let places = buffer.places::<T>(len);
        for place in 0..len {
            let value = fill(place);
            // SAFETY: `places` has room for `len`, and the buffer is ours.
            unsafe { (*places.add(place)).write(value) };
        }
        buffer
    }

    /// Gives the buffer back to the thread, unless there are clones; then the last of them frees it.
    pub(crate) fn give_back(mut self) {
        if Arc::get_mut(&mut self.block).is_none() {
            return;
        }
        // A thread that is ending no longer has a list; then the buffer is freed.
        let _ = IDLE.try_with(|idle| {
            let mut idle = idle.borrow_mut();
            idle.push(self);
            if idle.len() > KEEP {
                let smallest = (0..idle.len()).min_by_key(|&place| idle[place].bytes);
                return smallest.map(|place| idle.swap_remove(place));
            }
            None
        });
    }
}

/// Calls `body` with a slice of `fill(0)`, .., `fill(len - 1)` in memory that the calling thread keeps for later calls.
///
/// For temporary values of a function, or of an iteration of a launch on a host: memory from the system costs a page fault for
/// each 4 KiB, which takes several times as long as filling it. A thread keeps up to eight such blocks until it ends, the largest
/// that it needed. On a device, scratch belongs to a team: see [`Team::with_scratch`](crate::Team::with_scratch).
///
/// # Panics
/// If `fill` or `body` panics; the values are dropped. If there is not enough memory; the message gives the number of values.
///
/// # Complexity
/// Calls `fill` `len` times, and drops as many values.
///
/// # Examples
/// ```
/// use spelt_core::with_scratch;
/// let sum = with_scratch(4, |k| k * k, |squares| {
///     squares[0] = 100;
///     squares.iter().sum::<usize>()
/// });
/// assert_eq!(sum, 114);
/// ```
#[inline(always)]
#[track_caller]
pub fn with_scratch<T, O>(len: usize, fill: impl FnMut(usize) -> T, body: impl FnOnce(&mut [T]) -> O) -> O {
    match try_with_scratch(len, fill, body) {
        Some(output) => output,
        None => no_memory(len, size_of::<T>()),
    }
}

/// As [`with_scratch`]; `None`, with nothing called, if there is not enough memory.
#[inline(always)]
#[track_caller]
pub(crate) fn try_with_scratch<T, O>(
    len: usize,
    mut fill: impl FnMut(usize) -> T,
    body: impl FnOnce(&mut [T]) -> O,
) -> Option<O> {
    if align_of::<T>() > ALIGNMENT {
        let mut values = Vec::new();
        values.try_reserve_exact(len).ok()?;
        values.extend((0..len).map(fill));
        return Some(body(&mut values));
    }
    let buffer = Buffer::try_take(bytes_of::<T>(len))?;
    let mut held = Held { first: buffer.places::<T>(len).cast::<T>(), len: 0 };
    for place in 0..len {
        let value = fill(place);
        // SAFETY: there is room for `len`, and the buffer is ours.
        unsafe { held.first.add(place).write(value) };
        // A counter would prevent vectorisation.
        if needs_drop::<T>() {
            held.len = place + 1;
        }
    }
    held.len = len;
    // SAFETY: all `len` values are written, and the buffer, which is not used elsewhere, lives until after `body`.
    let result = body(unsafe { core::slice::from_raw_parts_mut(held.first, len) });
    drop(held);
    buffer.give_back();
    Some(result)
}

/// The values in a buffer; dropping this drops them.
struct Held<T> {
    first: *mut T,
    len: usize,
}

impl<T> Drop for Held<T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: `len` values are written, the buffer outlives this, and they are no longer used.
        unsafe { core::ptr::slice_from_raw_parts_mut(self.first, self.len).drop_in_place() };
    }
}

/// The bytes of `len` values.
///
/// # Panics
/// If their number overflows `usize`.
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
fn no_memory(len: usize, bytes: usize) -> ! {
    panic!("with_scratch: no memory for {len} values of {bytes} bytes")
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_many(len: usize, bytes: usize) -> ! {
    panic!("{len} values of {bytes} bytes are more bytes than can be counted")
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::{Buffer, IDLE, KEEP, with_scratch};

    /// Counts those that are dropped.
    struct Counted<'a>(&'a Cell<usize>, u64);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }

    #[test]
    fn values_are_dropped_once_and_blocks_used_again() {
        let dropped = Cell::new(0);
        let idle = || IDLE.with(|idle| idle.borrow().len());
        let before = idle();
        for round in 1..=3 {
            let sum = with_scratch(
                100,
                |k| Counted(&dropped, k as u64),
                |values| {
                    values[0] = Counted(&dropped, 1000);
                    // The inner call gets a different block.
                    let others = with_scratch(50, |k| k as u64, |others| others.iter().sum::<u64>());
                    values.iter().map(|value| value.1).sum::<u64>() - others
                },
            );
            assert_eq!((sum, dropped.get()), (1000 + 99 * 50 - 49 * 25, round * 101));
        }
        // Two blocks were in use at the same time.
        assert_eq!(idle(), before.max(2));
    }

    #[test]
    fn no_more_blocks_are_kept_than_may_be() {
        fn nested(depth: usize) {
            if depth > 0 {
                with_scratch(1, |_| 0_u8, |_| nested(depth - 1));
            }
        }
        nested(KEEP + 3);
        assert_eq!(IDLE.with(|idle| idle.borrow().len()), KEEP);
    }

    #[test]
    fn a_block_is_as_large_as_what_it_holds() {
        for len in [10, 1000, 100_000, 20, 50_000] {
            let sum = with_scratch(len, |k| k as u64, |values| values.iter().sum::<u64>());
            assert_eq!(sum, (len * (len - 1) / 2) as u64);
        }
    }

    #[test]
    fn values_are_dropped_in_a_panic_too() {
        let dropped = Cell::new(0);
        for (written, whose) in [(3, "fill"), (5, "body")] {
            dropped.set(0);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let fill = |k| if k < written { Counted(&dropped, 0) } else { panic!("fill") };
                with_scratch(5, fill, |_| panic!("body"))
            }));
            let panic = caught.expect_err("one of them panics");
            assert_eq!((panic.downcast_ref(), dropped.get()), (Some(&whose), written));
        }
    }

    #[test]
    fn blocks_are_aligned_for_cache_lines_not_for_anything() {
        #[repr(align(256))]
        struct Strict;
        let place = || Buffer::take_scratch(1024).places::<Strict>(1);
        let panic = catch_unwind(place).expect_err("refused");
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(
            text.ends_with("Strict` is aligned to 256 bytes: scratch is aligned to at most 128"),
            "{text}"
        );
    }

    #[test]
    fn nothing_and_the_strictest_alignment() {
        #[repr(align(4096))]
        struct Page(u8);
        assert_eq!(with_scratch(0, |_| 1_u8, |values| values.len()), 0);
        with_scratch(
            3,
            |k| Page(k as u8),
            |pages| {
                assert_eq!(pages.as_ptr().addr() % 4096, 0);
                assert_eq!(pages.iter().map(|page| page.0).sum::<u8>(), 3);
            },
        );
    }
}
