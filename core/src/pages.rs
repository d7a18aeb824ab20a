//! Large blocks of host memory, directly from the system.
//!
//! A page that is touched for the first time costs its thread some 0.3 us, regardless of its size: 40 MB in pages of 4 KiB take four
//! times as long as to write them. So large blocks are asked for in huge pages; as NumPy does for arrays of 4 MiB and more.
//! They do not come from the global allocator, which would reuse memory and clear it on one thread.
//!
//! Blocks that are freed are kept for the next that may begin with any bytes, as the allocator keeps smaller ones: a function that returns a
//! large View would otherwise touch fresh pages in each call, which takes as long as to fill them. Their number and size are bounded, and
//! the system may have their memory back when it is short.

use core::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Blocks of at least this size are mapped. Unit: bytes. Source: two huge pages; at any address the block contains a whole one.
pub(crate) const LARGE: usize = 4 << 20;

/// A huge page of x86-64, and of AArch64 with pages of 4 KiB. Unit: bytes.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// The most bytes of freed blocks that are kept. Unit: bytes. Source: estimated: a temporary View of 10^7 pairs, and others. The allocator of
/// glibc keeps up to 64 MiB.
const KEPT_BYTES: usize = 128 << 20;

/// The number of freed blocks that are kept. Source: estimated: a function needs few large blocks at a time.
const KEPT: usize = 8;

/// A large block of memory.
#[derive(Debug)]
pub(crate) struct Pages {
    /// There until it is dropped.
    mapping: Option<Mapping>,
    /// Whether it is zero, with pages that no thread has touched.
    pub(crate) fresh: bool,
}

impl Pages {
    /// Memory for `bytes` untouched zero bytes, and its first address, a multiple of a huge page's size.
    pub(crate) fn new(bytes: usize) -> Option<(Self, NonNull<u8>)> {
        let mapping = Mapping::new(bytes).or_else(|| {
            // The memory that is missing may be kept here.
            while kept(Kept::take_oldest).is_some() {}
            Mapping::new(bytes)
        });
        mapping.map(|mapping| Self::of(mapping, true))
    }

    /// Memory for `bytes` bytes, which a block before may have left.
    pub(crate) fn any(bytes: usize) -> Option<(Self, NonNull<u8>)> {
        kept(|kept| kept.take(bytes)).map(|mapping| Self::of(mapping, false)).or_else(|| Self::new(bytes))
    }

    fn of(mapping: Mapping, fresh: bool) -> (Self, NonNull<u8>) {
        let start = mapping.start();
        (Self { mapping: Some(mapping), fresh }, start)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let mut mapping = self.mapping.take();
        if let Some(mapping) = &mapping
            && mapping.bytes <= KEPT_BYTES
        {
            mapping.may_be_taken();
        }
        // What does not find a place is unmapped, where the lock is not held.
        while let Some(gone) = mapping {
            mapping = match kept(|kept| kept.put(gone)) {
                Ok(()) => None,
                Err(gone) if gone.bytes > KEPT_BYTES => None,
                Err(gone) => {
                    drop(kept(Kept::take_oldest));
                    Some(gone)
                }
            };
        }
    }
}

/// Calls `body` with the blocks that are kept.
fn kept<O>(body: impl FnOnce(&mut Kept) -> O) -> O {
    static ALL: Mutex<Kept> = Mutex::new(Kept::new());
    body(&mut ALL.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Freed blocks, the oldest first.
struct Kept {
    places: [Option<Mapping>; KEPT],
}

impl Kept {
    const fn new() -> Self {
        Self { places: [const { None }; KEPT] }
    }

    /// Keeps a block, or returns it if there is no room.
    fn put(&mut self, mapping: Mapping) -> Result<(), Mapping> {
        let all: usize = self.places.iter().flatten().map(|mapping| mapping.bytes).sum();
        match self.places.iter_mut().find(|place| place.is_none()) {
            Some(place) if all.saturating_add(mapping.bytes) <= KEPT_BYTES => {
                *place = Some(mapping);
                Ok(())
            }
            _ => Err(mapping),
        }
    }

    /// The smallest block that has room for `bytes` bytes, and is not much larger.
    fn take(&mut self, bytes: usize) -> Option<Mapping> {
        let least = bytes.checked_add(HUGE_PAGE)?;
        let fits = |place: &Option<Mapping>| {
            let mapped = place.as_ref()?.bytes;
            (least <= mapped && mapped / 2 <= least).then_some(mapped)
        };
        let fitting =
            self.places.iter().enumerate().filter_map(|(number, place)| Some((fits(place)?, number)));
        let (_, number) = fitting.min()?;
        self.remove(number)
    }

    fn take_oldest(&mut self) -> Option<Mapping> {
        self.remove(0)
    }

    fn remove(&mut self, number: usize) -> Option<Mapping> {
        self.places[number..].rotate_left(1);
        self.places[KEPT - 1].take()
    }
}

/// A separate mapping, zero until it is written.
#[derive(Debug)]
struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it is the only owner of its memory and never reads or writes it; any thread may unmap it.
unsafe impl Send for Mapping {}
// SAFETY: a shared reference allows no access to the memory.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// A new one with room for `bytes` bytes from [`start`](Self::start) on.
    fn new(bytes: usize) -> Option<Self> {
        let mapped = bytes.checked_add(HUGE_PAGE)?;
        // SAFETY: a new private mapping at an address of the system's choice touches nothing that is in use.
        let base = unsafe {
            mmap_anonymous(
                core::ptr::null_mut(),
                mapped,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
        };
        let mapping = Self { base: NonNull::new(base.ok()?.cast::<u8>())?, bytes: mapped };
        // SAFETY: the bytes lie in the mapping, and the advice changes no contents. A system without huge pages
        // returns an error, and small pages serve as well.
        let _ = unsafe { madvise(mapping.start().as_ptr().cast(), bytes, Advice::LinuxHugepage) };
        Some(mapping)
    }

    /// The first multiple of a huge page's size. All bytes but a huge page lie behind it.
    fn start(&self) -> NonNull<u8> {
        let shift = self.base.addr().get().wrapping_neg() & (HUGE_PAGE - 1);
        // SAFETY: `shift` is less than a huge page, and the mapping is one larger than asked for.
        unsafe { self.base.add(shift) }
    }

    /// Lets the system have the memory back if it is short, while it is not in use. Each page that is written again is in use again.
    fn may_be_taken(&self) {
        // SAFETY: the bytes are those of the mapping, which nothing uses. Where the advice is not known, they stay.
        let _ = unsafe { madvise(self.base.as_ptr().cast(), self.bytes, Advice::LinuxFree) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value only and is unmapped here only. Unmapping a valid mapping cannot fail.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::{HUGE_PAGE, KEPT, KEPT_BYTES, Kept, LARGE, Mapping, Pages};

    #[test]
    fn pages_are_zero_and_aligned_and_given_back() {
        // Twice: what was written before must not be seen.
        for bytes in [LARGE, LARGE + 1, 3 * HUGE_PAGE - 7, LARGE, LARGE + 1] {
            let (pages, start) = Pages::new(bytes).expect("memory");
            assert_eq!(start.addr().get() % HUGE_PAGE, 0);
            // SAFETY: the block is ours, and zero bytes are values.
            let block = unsafe { core::slice::from_raw_parts_mut(start.as_ptr(), bytes) };
            assert!(block.iter().all(|&byte| byte == 0));
            block.fill(7);
            assert_eq!(block[bytes - 1], 7);
            drop(pages);
        }
        assert!(Pages::new(usize::MAX).is_none() && Pages::new(isize::MAX as usize).is_none());
        assert!(Pages::any(usize::MAX).is_none());
    }

    #[test]
    fn blocks_of_any_bytes_have_room() {
        for bytes in [LARGE, 2 * LARGE, LARGE + 1, 3 * LARGE, LARGE, KEPT_BYTES + 1, 2 * LARGE] {
            let (pages, start) = Pages::any(bytes).expect("memory");
            assert_eq!(start.addr().get() % HUGE_PAGE, 0);
            for place in [0, bytes - 1] {
                // SAFETY: the byte lies in the block, which is ours; it is zero, or was written by a test.
                let before = unsafe { start.add(place).read_volatile() };
                assert!(before == 0 || !pages.fresh);
                // SAFETY: the byte lies in the block, which is ours.
                unsafe { start.add(place).write_volatile(7) };
            }
        }
    }

    #[test]
    fn a_freed_block_is_used_for_another_of_about_its_size() {
        let mut kept = Kept::new();
        let sizes = [3 * LARGE, LARGE, 2 * LARGE];
        for bytes in sizes {
            kept.put(Mapping::new(bytes).expect("memory")).expect("room");
        }
        // The smallest that has room, and none that is more than twice as large.
        assert!(kept.take(1).is_none() && kept.take(3 * LARGE + 1).is_none());
        assert_eq!(kept.take(LARGE + 1).map(|block| block.bytes), Some(2 * LARGE + HUGE_PAGE));
        assert_eq!(kept.take(LARGE).map(|block| block.bytes), Some(LARGE + HUGE_PAGE));
        assert_eq!(kept.take_oldest().map(|block| block.bytes), Some(3 * LARGE + HUGE_PAGE));
        assert!(kept.take_oldest().is_none() && kept.take(LARGE).is_none());
        assert!(kept.take(usize::MAX).is_none());
    }

    #[test]
    fn no_more_is_kept_than_may_be() {
        let mut kept = Kept::new();
        for _ in 0..KEPT {
            kept.put(Mapping::new(LARGE).expect("memory")).expect("room");
        }
        kept.put(Mapping::new(LARGE).expect("memory")).expect_err("too many");
        while kept.take_oldest().is_some() {}
        let half = || Mapping::new(KEPT_BYTES / 2 - HUGE_PAGE).expect("memory");
        kept.put(half()).expect("room");
        kept.put(half()).expect("room");
        kept.put(Mapping::new(1).expect("memory")).expect_err("too large together");
    }
}
