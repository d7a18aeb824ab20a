//! Blocks of the host's memory.

use core::ptr::NonNull;
use std::alloc::{Layout as BlockLayout, alloc, alloc_zeroed, dealloc};

#[cfg(all(target_os = "linux", not(miri)))]
use crate::pages::{HUGE_PAGE, LARGE, Pages};

/// Alignment of owned allocations. Unit: bytes. Source: one cache line of x86-64, and one AVX-512 register.
pub const ALIGNMENT: usize = 64;

/// A block of host memory: from the global allocator, from the system, or from a `Vec`.
#[derive(Debug)]
pub struct HostAllocation {
    base: NonNull<u8>,
    /// The layout of the global allocator's block; size 0 if there is none.
    shape: BlockLayout,
    /// The system's block instead.
    #[cfg(all(target_os = "linux", not(miri)))]
    pages: Option<Pages>,
}

// SAFETY: it is the only owner of its block and never reads or writes it; any thread may free or unmap it.
unsafe impl Send for HostAllocation {}
// SAFETY: a shared reference allows no access to the block.
unsafe impl Sync for HostAllocation {}

/// The initial content of a new block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// All bytes zero; pages that the system provides zeroed stay untouched.
    Zeroed,
    /// Any bytes; reading them before they are written is undefined.
    Uninitialised,
}

impl HostAllocation {
    /// The global allocator's block of this shape.
    fn of(base: NonNull<u8>, shape: BlockLayout) -> Self {
        Self {
            base,
            shape,
            #[cfg(all(target_os = "linux", not(miri)))]
            pages: None,
        }
    }

    /// A block of `bytes` and its first address, a multiple of [`ALIGNMENT`] and of `align`.
    ///
    /// The block is a little larger than requested and aligned here: the system allocator gives untouched zero pages
    /// (`calloc`) for small alignments only. It would write all other blocks, which places them on this thread's NUMA node.
    pub(crate) fn new(bytes: usize, align: usize, start: Start) -> Option<(Self, NonNull<u8>)> {
        let align = align.max(ALIGNMENT);
        if bytes == 0 {
            let base = NonNull::without_provenance(align.try_into().ok()?);
            return Some((Self::of(base, BlockLayout::new::<()>()), base));
        }
        #[cfg(all(target_os = "linux", not(miri)))]
        if bytes >= LARGE && align <= HUGE_PAGE {
            // If the system has no more mappings, the global allocator may still have memory.
            let pages = match start {
                Start::Zeroed => Pages::new(bytes),
                Start::Uninitialised => Pages::any(bytes),
            };
            if let Some((pages, start)) = pages {
                let mut block = Self::of(start, BlockLayout::new::<()>());
                block.pages = Some(pages);
                return Some((block, start));
            }
        }
        let shape = BlockLayout::from_size_align(bytes.checked_add(align)?, 1).ok()?;
        // SAFETY: the size is not zero.
        let base = NonNull::new(unsafe {
            match start {
                Start::Zeroed => alloc_zeroed(shape),
                Start::Uninitialised => alloc(shape),
            }
        })?;
        let block = Self::of(base, shape);
        let shift = base.addr().get().wrapping_neg() & (align - 1);
        // SAFETY: `align` is a power of two, so `shift < align`, and the block has `align` bytes more than asked for.
        Some((block, unsafe { base.add(shift) }))
    }

    /// Whether its block came from the system, all zero, in pages that no thread had touched.
    pub(crate) fn began_untouched(&self) -> bool {
        #[cfg(all(target_os = "linux", not(miri)))]
        return self.pages.as_ref().is_some_and(|pages| pages.fresh);
        #[cfg(not(all(target_os = "linux", not(miri))))]
        false
    }

    /// The block of a `Vec`, whose elements need no drop, and its first address.
    pub(crate) fn from_vec<T: Copy>(vec: Vec<T>) -> (Self, NonNull<T>) {
        let mut vec = core::mem::ManuallyDrop::new(vec);
        // SAFETY: a `Vec`'s pointer is never null.
        let pointer = unsafe { NonNull::new_unchecked(vec.as_mut_ptr()) };
        let shape = BlockLayout::array::<T>(vec.capacity()).expect("a Vec's own size fits");
        (Self::of(pointer.cast(), shape), pointer)
    }

    /// The owner of a block that other code owns and frees.
    pub(crate) fn unmanaged() -> Self {
        Self::of(NonNull::dangling(), BlockLayout::new::<()>())
    }

    /// The block as the `Vec` that it came from, or the block itself if it did not come from one.
    ///
    /// # Safety
    /// `pointer` came with this block, and its first `len` elements are initialised.
    pub(crate) unsafe fn into_vec<T: Copy>(self, pointer: NonNull<T>, len: usize) -> Result<Vec<T>, Self> {
        let size = size_of::<T>();
        let same = self.base == pointer.cast() && self.shape.align() == align_of::<T>();
        if !same || size == 0 || self.shape.size() == 0 || !self.shape.size().is_multiple_of(size) {
            return Err(self);
        }
        let block = core::mem::ManuallyDrop::new(self);
        // SAFETY: the block has the alignment of `T` and a whole number of `T`s, so it is `capacity` elements of
        // the global allocator, with `len` of them initialised, by the contract; `block` will not free it.
        Ok(unsafe { Vec::from_raw_parts(pointer.as_ptr(), len, block.shape.size() / size) })
    }
}

impl Drop for HostAllocation {
    fn drop(&mut self) {
        if self.shape.size() != 0 {
            // SAFETY: the block came from the global allocator with this shape and is freed here only.
            unsafe { dealloc(self.base.as_ptr(), self.shape) }
        }
    }
}
