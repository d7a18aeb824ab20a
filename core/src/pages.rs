//! Large blocks of host memory, directly from the system.
//!
//! A page that is touched for the first time costs its thread some 0.3 us, regardless of its size: 40 MB in pages of 4 KiB take four
//! times as long as to write them. So large blocks are asked for in huge pages; as NumPy does for arrays of 4 MiB and more.
//! They do not come from the global allocator, which would reuse memory and clear it on one thread.

use core::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Blocks of at least this size are mapped. Unit: bytes. Source: two huge pages; at any address the block contains a whole one.
pub(crate) const LARGE: usize = 4 << 20;

/// A huge page of x86-64, and of AArch64 with pages of 4 KiB. Unit: bytes.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// A separate mapping, zero until it is written.
#[derive(Debug)]
pub(crate) struct Pages {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it is the only owner of its mapping and never reads or writes it; any thread may unmap it.
unsafe impl Send for Pages {}
// SAFETY: a shared reference allows no access to the mapping.
unsafe impl Sync for Pages {}

impl Pages {
    /// Memory for `bytes` untouched zero bytes, and its first address, a multiple of a huge page's size.
    pub(crate) fn new(bytes: usize) -> Option<(Self, NonNull<u8>)> {
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
        let base = NonNull::new(base.ok()?.cast::<u8>())?;
        let pages = Self { base, bytes: mapped };
        let shift = base.addr().get().wrapping_neg() & (HUGE_PAGE - 1);
        // SAFETY: `shift` is less than a huge page, and the mapping is one larger than asked for.
        let start = unsafe { base.add(shift) };
        // SAFETY: the bytes lie in the mapping, and the advice changes no contents. A system without huge pages
        // returns an error, and small pages serve as well.
        let _ = unsafe { madvise(start.as_ptr().cast(), bytes, Advice::LinuxHugepage) };
        Some((pages, start))
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value only and is unmapped here only. Unmapping a valid mapping cannot fail.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::{HUGE_PAGE, LARGE, Pages};

    #[test]
    fn pages_are_zero_and_aligned_and_given_back() {
        for bytes in [LARGE, LARGE + 1, 3 * HUGE_PAGE - 7] {
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
    }
}
