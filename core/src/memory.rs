//! Memory spaces: where a View's elements lie.

use core::fmt::Debug;
use core::ptr::NonNull;
use std::alloc::{Layout as Shape, alloc, alloc_zeroed, dealloc};

use spelt_access::{Element, Layout};

use crate::Result;
#[cfg(all(target_os = "linux", not(miri)))]
use crate::pages::{HUGE_PAGE, LARGE, Pages};
use crate::view::{CopyFrom, ViewMut, ViewRef};

/// Alignment of owned allocations. Unit: bytes. Source: one cache line of x86-64, and one AVX-512 register.
pub const ALIGNMENT: usize = 64;

/// A place where Views may have their elements.
///
/// It is a type without values: an allocation knows its device, the type says only who can reach it.
///
/// # Safety
/// Dropping an [`Allocation`](MemorySpace::Allocation) frees its memory and nothing else does;
/// [`HOST_ACCESSIBLE`](MemorySpace::HOST_ACCESSIBLE) is true only if host code may use the addresses. The trait is
/// sealed, because which memory a kernel may touch rests on it.
pub unsafe trait MemorySpace:
    CopyFrom<HostSpace> + CopyFrom<Self> + Debug + Send + Sync + 'static + sealed::Sealed + Sized
{
    /// The name, as it stands in messages.
    const NAME: &'static str;
    /// Whether host code may read and write it: true exactly for [`HostAccessible`] spaces.
    const HOST_ACCESSIBLE: bool;
    /// What owns one block of this memory.
    type Allocation: Debug + Send + Sync + 'static;
    /// Gives every element this value: what [`deep_copy_scalar`](crate::deep_copy_scalar) calls.
    ///
    /// # Errors
    /// Where the device reports one.
    #[doc(hidden)]
    fn fill_elements<T: Element, const R: usize, L: Layout>(
        to: ViewMut<'_, T, R, Self, L>,
        value: T,
    ) -> Result<()>;
    /// Copies element by element to a View on the host, and returns when they are there.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the extents differ; where the device reports one.
    #[doc(hidden)]
    fn copy_to_host<T: Element, const R: usize, L1: Layout, L2: Layout>(
        to: ViewMut<'_, T, R, HostSpace, L1>,
        from: ViewRef<'_, T, R, Self, L2>,
    ) -> Result<()>;
}

/// A memory space that host code may read and write through ordinary references.
///
/// # Safety
/// Addresses in this space are valid on the host.
#[diagnostic::on_unimplemented(
    message = "the host cannot reach a View in `{Self}`",
    note = "copy it first, with `to_host()` or `deep_copy`"
)]
pub unsafe trait HostAccessible: MemorySpace {}

/// What a [`HostAccessible`] memory space has of [`MemorySpace`]: the host fills and copies.
macro_rules! elements_by_the_host {
    () => {
        fn fill_elements<T: Element, const R: usize, L: Layout>(
            mut to: ViewMut<'_, T, R, Self, L>,
            value: T,
        ) -> Result<()> {
            to.fill(value);
            Ok(())
        }
        fn copy_to_host<T: Element, const R: usize, L1: Layout, L2: Layout>(
            to: ViewMut<'_, T, R, HostSpace, L1>,
            from: ViewRef<'_, T, R, Self, L2>,
        ) -> Result<()> {
            crate::view::copy_on_host(to, from)
        }
    };
}
#[cfg(feature = "cuda")]
pub(crate) use elements_by_the_host;

/// The memory of the host: its allocations are [`ALIGNMENT`]-aligned, and pages are touched on first use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostSpace;

// SAFETY: `HostAllocation` frees its block in `drop`, once.
unsafe impl MemorySpace for HostSpace {
    const NAME: &'static str = "HostSpace";
    const HOST_ACCESSIBLE: bool = true;
    type Allocation = HostAllocation;
    elements_by_the_host!();
}
// SAFETY: the block comes from the global allocator or, mapped, from the system.
unsafe impl HostAccessible for HostSpace {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::HostSpace {}
    #[cfg(feature = "cuda")]
    impl Sealed for crate::cuda::CudaSpace {}
    #[cfg(feature = "cuda")]
    impl Sealed for crate::cuda::CudaHostPinnedSpace {}
    #[cfg(feature = "cuda")]
    impl Sealed for crate::cuda::CudaManagedSpace {}
}

/// A block of host memory: from the global allocator, from the system, or from a `Vec`.
#[derive(Debug)]
pub struct HostAllocation {
    base: NonNull<u8>,
    /// What the global allocator gave, of size 0 if that is nothing.
    shape: Shape,
    /// What the system gave instead.
    #[cfg(all(target_os = "linux", not(miri)))]
    _pages: Option<Pages>,
}

// SAFETY: it owns its block alone and never reads or writes it; any thread may free or unmap it.
unsafe impl Send for HostAllocation {}
// SAFETY: a shared reference allows no access to the block.
unsafe impl Sync for HostAllocation {}

/// How a new block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// All bytes zero; pages that the system hands out zeroed stay untouched.
    Zeroed,
    /// Any bytes; reading them before they are written is undefined.
    Uninitialised,
}

impl HostAllocation {
    /// What the global allocator gave with this shape.
    fn of(base: NonNull<u8>, shape: Shape) -> Self {
        Self {
            base,
            shape,
            #[cfg(all(target_os = "linux", not(miri)))]
            _pages: None,
        }
    }

    /// A block of `bytes` and its first address, a multiple of [`ALIGNMENT`] and of `align`.
    ///
    /// The block is a little larger than asked and aligned here: the system allocator gives untouched zero pages
    /// (`calloc`) for small alignments only, and would write, so place on this thread's NUMA node, all others.
    pub(crate) fn new(bytes: usize, align: usize, start: Start) -> Option<(Self, NonNull<u8>)> {
        let align = align.max(ALIGNMENT);
        if bytes == 0 {
            let base = NonNull::without_provenance(align.try_into().ok()?);
            return Some((Self::of(base, Shape::new::<()>()), base));
        }
        #[cfg(all(target_os = "linux", not(miri)))]
        if bytes >= LARGE && align <= HUGE_PAGE {
            // Where the system has no more mappings, the global allocator may have memory still.
            if let Some((pages, start)) = Pages::new(bytes) {
                let mut block = Self::of(start, Shape::new::<()>());
                block._pages = Some(pages);
                return Some((block, start));
            }
        }
        let shape = Shape::from_size_align(bytes.checked_add(align)?, 1).ok()?;
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

    /// The block of a `Vec`, whose elements need no drop, and its first address.
    pub(crate) fn from_vec<T: Copy>(vec: Vec<T>) -> (Self, NonNull<T>) {
        let mut vec = core::mem::ManuallyDrop::new(vec);
        // SAFETY: a `Vec`'s pointer is never null.
        let pointer = unsafe { NonNull::new_unchecked(vec.as_mut_ptr()) };
        let shape = Shape::array::<T>(vec.capacity()).expect("a Vec's own size fits");
        (Self::of(pointer.cast(), shape), pointer)
    }

    /// The block as the `Vec` that it came from, or itself where it came from elsewhere.
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
        // the global allocator, with `len` of them initialised as the caller promises; `block` will not free it.
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
