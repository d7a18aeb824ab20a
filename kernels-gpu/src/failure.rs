//! Failures of kernels: the kernel writes a record that the host can read, and traps.
//!
//! The device linker sends the standard library's panic functions and Spelt's failing accesses to the functions of this
//! file. They format nothing: the host formats what does not fit in a fixed record.

use core::fmt::Arguments;
use core::panic::Location;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::intrinsics::{
    __spelt_block, __spelt_failure_record, __spelt_fence_system, __spelt_launch, __spelt_thread, __spelt_trap,
};

/// Bytes of a file name that a record keeps: its last ones.
pub const FILE_BYTES: usize = 256;

/// Bytes of a message that a record keeps: its first ones.
pub const MESSAGE_BYTES: usize = 512;

/// Numbers that a record keeps.
pub const VALUES: usize = 1 + 3 * spelt_access::MAX_RANK;

/// No failure yet.
pub const FREE: u32 = 0;
/// A thread is writing the record.
pub const WRITING: u32 = 1;
/// The record is whole.
pub const COMPLETE: u32 = 2;

/// Loads of the record's state before another failing thread traps as well. Unit: loads across the bus. Source: a record has
/// about 800 bytes, each of which may take one load, and a trap stops the writer.
const PATIENCE: u32 = 100_000;

/// The failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// A panic; its message where it is a literal.
    Panic = 1,
    /// An index of a slice or array: the index and the length.
    Bounds = 2,
    /// An index of a View: the address of its first element, then the index.
    ViewBounds = 3,
    /// An offset beyond a halo: the address of the View's first element, the halo, then the offset.
    Halo = 4,
    /// A thread that waits for others which are elsewhere: the line and column of another thread, and its file as the message;
    /// none of these if that thread has left the kernel.
    Divergence = 5,
    /// An index outside a slab: the address of the View, and the numbers of [`OutOfSlab`](spelt_access::failure::OutOfSlab).
    Slab = 6,
}

impl Kind {
    /// The kind with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Panic, Self::Bounds, Self::ViewBounds, Self::Halo, Self::Divergence, Self::Slab]
            .into_iter()
            .find(|kind| *kind as u32 == number)
    }
}

/// The first failure of a module's kernels, in memory that the host reads after the launch has ended in a trap.
#[repr(C)]
#[derive(Debug)]
pub struct FailureRecord {
    /// [`FREE`], [`WRITING`] or [`COMPLETE`].
    pub state: AtomicU32,
    /// The number of a [`Kind`].
    pub kind: u32,
    /// The number of the launch.
    pub launch: u32,
    /// The line in the file.
    pub line: u32,
    /// The column in the line.
    pub column: u32,
    /// The block.
    pub block: u32,
    /// The thread in the block.
    pub thread: u32,
    /// The number of valid entries of `value`.
    pub values: u32,
    /// The numbers of the failure; signed ones in two's complement.
    pub value: [u64; VALUES],
    /// The number of bytes of `file` that are valid.
    pub file_len: u32,
    /// The number of bytes of `message` that are valid.
    pub message_len: u32,
    /// The file in UTF-8; its first character may be cut.
    pub file: [u8; FILE_BYTES],
    /// The message in UTF-8; its last character may be cut.
    pub message: [u8; MESSAGE_BYTES],
}

impl FailureRecord {
    /// A record without a failure.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(FREE),
            kind: 0,
            launch: 0,
            line: 0,
            column: 0,
            block: 0,
            thread: 0,
            values: 0,
            value: [0; VALUES],
            file_len: 0,
            message_len: 0,
            file: [0; FILE_BYTES],
            message: [0; MESSAGE_BYTES],
        }
    }
}

impl Default for FailureRecord {
    fn default() -> Self {
        Self::new()
    }
}

/// Writes the record, if this thread is the first to fail, and traps.
///
/// Nothing here or below can panic, not even in debug builds, which check dereferences, sums and the functions of `core::ptr`: a
/// panic would lead here again.
#[cold]
#[inline(never)]
fn fail(
    kind: Kind,
    location: &Location<'_>,
    message: Bytes,
    first: [u64; 2],
    count: usize,
    rest: Words,
) -> ! {
    let record = Writer(__spelt_failure_record());
    if !record.0.is_null() {
        let state: *mut u32 = record.0.cast();
        // SAFETY: the host gives the address of a record, whose state all threads change atomically.
        let state = unsafe { AtomicU32::from_ptr(state) };
        if state.compare_exchange(FREE, WRITING, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            // SAFETY: only this thread has changed the state, so only it writes the rest.
            unsafe { record.write(kind, location, message, first, count, rest) };
            __spelt_fence_system();
            state.store(COMPLETE, Ordering::Relaxed);
            __spelt_fence_system();
        }
        // The writer reads the state too: lanes of its wave that run in lock-step with it get here together with it, after it has
        // written.
        let mut looks = 0_u32;
        while state.load(Ordering::Relaxed) != COMPLETE && looks < PATIENCE {
            looks = looks.wrapping_add(1);
        }
    }
    loop {
        __spelt_trap();
    }
}

/// Whether a thread has failed, in any block. Threads that wait for others check this now and then, since a trap need not end
/// other waves.
#[inline(always)]
pub(crate) fn has_failed() -> bool {
    let state: *mut u32 = __spelt_failure_record().cast();
    // SAFETY: the host gives the address of a record, whose state all threads change atomically.
    !state.is_null() && unsafe { AtomicU32::from_ptr(state) }.load(Ordering::Relaxed) != FREE
}

/// Ends this wave: the value for which it waits will not arrive, because of a failure that has been reported already.
#[cold]
#[inline(never)]
pub(crate) fn give_up() -> ! {
    loop {
        __spelt_trap();
    }
}

/// The `len` bytes of a text.
#[derive(Clone, Copy)]
struct Bytes {
    first: *const u8,
    len: usize,
}

impl Bytes {
    const NONE: Self = Self { first: core::ptr::null(), len: 0 };

    fn of(text: &str) -> Self {
        Self { first: text.as_ptr(), len: text.len() }
    }
}

/// `len` words.
#[derive(Clone, Copy)]
struct Words {
    first: *const u64,
    len: usize,
}

impl Words {
    const NONE: Self = Self { first: core::ptr::null(), len: 0 };

    /// `usize` or `isize` of a device, as words.
    fn of<T>(numbers: &[T]) -> Self {
        const {
            assert!(size_of::<T>() == size_of::<u64>() && align_of::<T>() == align_of::<u64>());
        }
        Self { first: numbers.as_ptr().cast(), len: numbers.len() }
    }
}

/// A record to be written, given by its first byte.
struct Writer(*mut u8);

impl Writer {
    /// # Safety
    /// A field of type `T` begins `offset` bytes from the start of the record.
    #[inline(always)]
    unsafe fn put<T>(&self, offset: usize, value: T) {
        // SAFETY: a field of this type begins `offset` bytes from the start of the record, as the contract asks. Unlike
        // a plain write, this one is never checked for alignment.
        unsafe { self.0.wrapping_add(offset).cast::<T>().write_unaligned(value) }
    }

    /// # Safety
    /// `len` bytes can be read from `from` on, and the record has as many from `offset` on.
    #[inline(always)]
    unsafe fn copy(&self, offset: usize, from: *const u8, len: usize) {
        let mut at = 0;
        while at < len {
            // SAFETY: `at` is below `len`, and `len` bytes can be read from `from` on and written from `offset` on, as
            // the contract asks.
            unsafe { self.put(offset.wrapping_add(at), from.wrapping_add(at).read_unaligned()) };
            at = at.wrapping_add(1);
        }
    }

    /// # Safety
    /// There is a record, and nothing else uses it except its state.
    unsafe fn write(
        &self,
        kind: Kind,
        location: &Location<'_>,
        message: Bytes,
        first: [u64; 2],
        count: usize,
        rest: Words,
    ) {
        use core::mem::offset_of;
        let [one, two] = first;
        let file = Bytes::of(location.file());
        let file_len = file.len.min(FILE_BYTES);
        let message_len = message.len.min(MESSAGE_BYTES);
        let values = count.wrapping_add(rest.len).min(VALUES);
        // SAFETY: each field is written with its type, at its offset and within its length.
        unsafe {
            self.put(offset_of!(FailureRecord, kind), kind as u32);
            self.put(offset_of!(FailureRecord, launch), __spelt_launch());
            self.put(offset_of!(FailureRecord, line), location.line());
            self.put(offset_of!(FailureRecord, column), location.column());
            self.put(offset_of!(FailureRecord, block), __spelt_block());
            self.put(offset_of!(FailureRecord, thread), __spelt_thread());
            self.put(offset_of!(FailureRecord, values), values as u32);
            let mut number = 0_usize;
            while number < values {
                let value = match number {
                    0 if count > 0 => one,
                    1 if count > 1 => two,
                    _ => rest.first.wrapping_add(number.wrapping_sub(count)).read_unaligned(),
                };
                let offset =
                    offset_of!(FailureRecord, value).wrapping_add(number.wrapping_mul(size_of::<u64>()));
                self.put(offset, value);
                number = number.wrapping_add(1);
            }
            self.put(offset_of!(FailureRecord, file_len), file_len as u32);
            self.put(offset_of!(FailureRecord, message_len), message_len as u32);
            let end_of_file = file.first.wrapping_add(file.len.wrapping_sub(file_len));
            self.copy(offset_of!(FailureRecord, file), end_of_file, file_len);
            self.copy(offset_of!(FailureRecord, message), message.first, message_len);
        }
    }
}

/// The replacement of `core::panicking::panic_fmt`.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
#[track_caller]
pub fn __spelt_panic_fmt(message: Arguments<'_>) -> ! {
    let message = message.as_str().map_or(Bytes::NONE, Bytes::of);
    fail(Kind::Panic, Location::caller(), message, [0; 2], 0, Words::NONE)
}

/// The replacement of a panic function with a message given by its name.
///
/// # Safety
/// There are `len` bytes at `message`.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
#[track_caller]
pub unsafe fn __spelt_panic_message(message: *const u8, len: usize) -> ! {
    let message = Bytes { first: message, len };
    fail(Kind::Panic, Location::caller(), message, [0; 2], 0, Words::NONE)
}

/// The replacement of `core::panicking::panic_bounds_check`.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
#[track_caller]
pub fn __spelt_panic_bounds(index: usize, len: usize) -> ! {
    fail(Kind::Bounds, Location::caller(), Bytes::NONE, [index as u64, len as u64], 2, Words::NONE)
}

/// The replacement of [`out_of_bounds`](spelt_access::failure::out_of_bounds).
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
#[track_caller]
pub fn __spelt_view_bounds(address: usize, index: &[usize]) -> ! {
    fail(Kind::ViewBounds, Location::caller(), Bytes::NONE, [address as u64, 0], 1, Words::of(index))
}

/// The replacement of [`out_of_slab`](spelt_access::failure::out_of_slab).
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
#[track_caller]
pub fn __spelt_view_slab(address: usize, numbers: &[usize]) -> ! {
    fail(Kind::Slab, Location::caller(), Bytes::NONE, [address as u64, 0], 1, Words::of(numbers))
}

/// The replacement of [`beyond_halo`](spelt_access::failure::beyond_halo).
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
#[track_caller]
pub fn __spelt_view_halo(address: usize, offset: &[isize], halo: usize) -> ! {
    fail(Kind::Halo, Location::caller(), Bytes::NONE, [address as u64, halo as u64], 2, Words::of(offset))
}

/// Fails: a thread waits at `here`, and another one reached `there`, or has left the kernel.
pub(crate) fn diverged(here: &Location<'_>, there: Option<&Location<'_>>) -> ! {
    match there {
        Some(there) => {
            let place = [u64::from(there.line()), u64::from(there.column())];
            fail(Kind::Divergence, here, Bytes::of(there.file()), place, 2, Words::NONE)
        }
        None => fail(Kind::Divergence, here, Bytes::NONE, [0; 2], 0, Words::NONE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_lies_in_memory_as_the_host_reads_it() {
        assert_eq!(core::mem::offset_of!(FailureRecord, value), 32);
        assert_eq!(core::mem::offset_of!(FailureRecord, file_len), 32 + 8 * VALUES);
        assert_eq!(core::mem::offset_of!(FailureRecord, file), 40 + 8 * VALUES);
        assert_eq!(size_of::<FailureRecord>(), 40 + 8 * VALUES + FILE_BYTES + MESSAGE_BYTES);
    }

    #[test]
    fn kinds_have_numbers() {
        for kind in [Kind::Panic, Kind::Bounds, Kind::ViewBounds, Kind::Halo, Kind::Divergence, Kind::Slab] {
            assert_eq!(Kind::from_number(kind as u32), Some(kind));
        }
        assert_eq!(Kind::from_number(0), None);
        assert_eq!(Kind::from_number(7), None);
    }
}
