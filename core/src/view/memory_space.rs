//! Memory spaces: where a View's elements lie.

use core::fmt::Debug;

use spelt_access::{Element, Layout};

use super::{CopyFrom, ViewMut, ViewRef};
use crate::Result;
use crate::memory::HostAllocation;

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

/// The memory of the host: its allocations are [`ALIGNMENT`](crate::ALIGNMENT)-aligned, and pages are touched on first use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostSpace;

impl sealed::Sealed for HostSpace {}
// SAFETY: `HostAllocation` frees its block in `drop`, once.
unsafe impl MemorySpace for HostSpace {
    const NAME: &'static str = "HostSpace";
    const HOST_ACCESSIBLE: bool = true;
    type Allocation = HostAllocation;
    elements_by_the_host!();
}
// SAFETY: the block comes from the global allocator or, mapped, from the system.
unsafe impl HostAccessible for HostSpace {}

/// Seals memory spaces: each implements it beside its type.
pub(crate) mod sealed {
    pub trait Sealed {}
}
