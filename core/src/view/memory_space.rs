//! Memory spaces: the memory of a View's elements.

use core::any::Any;
use core::fmt::Debug;

use spelt_access::{Element, Layout};

use super::{CopyFrom, View, ViewMut, ViewRef};
use crate::Result;
use crate::memory::HostAllocation;

/// A kind of memory for the elements of Views.
///
/// Only the type is used: an allocation knows its device, and the type determines which kernels can reach the memory.
///
/// # Safety
/// Dropping an [`Allocation`](MemorySpace::Allocation) frees its memory, unless other code owns it, and nothing else does;
/// [`HOST_ACCESSIBLE`](MemorySpace::HOST_ACCESSIBLE) is true only if host code may use the addresses. The trait is
/// sealed, because it determines the memory that a kernel may access.
///
/// # Examples
/// ```
/// use spelt_core::{HostSpace, MemorySpace, View};
/// fn space_of<M: MemorySpace>(_: &View<f64, 1, M>) -> &'static str {
///     M::NAME
/// }
/// assert_eq!(space_of(&View::zeros("v", [3])?), HostSpace::NAME);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub unsafe trait MemorySpace:
    CopyFrom<HostSpace> + CopyFrom<Self> + Debug + Send + Sync + 'static + sealed::Sealed + Sized
{
    /// The name, for messages.
    const NAME: &'static str;
    /// Whether host code may read and write it: true exactly for [`HostAccessible`] spaces.
    const HOST_ACCESSIBLE: bool;
    /// The owner of one block of this memory.
    type Allocation: Debug + Send + Sync + 'static;
    /// Sets every element to `value`, for [`deep_copy_scalar`](crate::deep_copy_scalar). On a device the work runs on `stream`, if that
    /// is one of this device.
    ///
    /// # Errors
    /// Any error that the device reports.
    #[doc(hidden)]
    fn fill_elements<T: Element, const R: usize, L: Layout>(
        to: ViewMut<'_, T, R, Self, L>,
        value: T,
        stream: Option<CopyStream<'_>>,
    ) -> Result<()>;
    /// Copies all elements to a View on the host, and returns when they have arrived. On a device the work runs on `stream`, if that is
    /// one of this device.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the extents differ; any error that the device reports.
    #[doc(hidden)]
    fn copy_to_host<T: Element, const R: usize, L1: Layout, L2: Layout>(
        to: ViewMut<'_, T, R, HostSpace, L1>,
        from: ViewRef<'_, T, R, Self, L2>,
        stream: Option<CopyStream<'_>>,
    ) -> Result<()>;
    /// Bytes of a message on the device of a View, all zero, as [`ExecutionSpace::message_bytes`](crate::ExecutionSpace) has them; `None`
    /// where the host reaches the memory.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is not enough memory.
    #[doc(hidden)]
    fn message_bytes<T: Element, const R: usize, L: Layout>(
        _beside: ViewRef<'_, T, R, Self, L>,
        _len: usize,
    ) -> Result<Option<View<u8, 1, Self>>> {
        Ok(None)
    }
    /// Calls `take` with the elements in the order of the indices, some at a time: those of a device pass through pinned memory, which is
    /// kept.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is no memory on the host; any error that the device reports.
    #[doc(hidden)]
    fn read_staged<T: Element, const R: usize, L: Layout>(
        from: ViewRef<'_, T, R, Self, L>,
        take: &mut dyn FnMut(&[T]),
    ) -> Result<()> {
        super::staged::read_whole(from, take)
    }
    /// Replaces the elements, in the order of the indices and some at a time, by those that `give` puts into a slice: the way back of
    /// [`read_staged`](MemorySpace::read_staged). It ends at the first error, when earlier elements may have been replaced.
    ///
    /// # Errors
    /// That of `give`; as [`read_staged`](MemorySpace::read_staged).
    #[doc(hidden)]
    fn write_staged<T: Element, const R: usize, L: Layout>(
        to: ViewMut<'_, T, R, Self, L>,
        give: &mut dyn FnMut(&mut [T]) -> Result<()>,
    ) -> Result<()> {
        super::staged::write_whole(to, give)
    }
    /// Waits until no work of a device uses these bytes.
    ///
    /// # Errors
    /// Any error that the device reports.
    #[doc(hidden)]
    fn wait(_view: ViewRef<'_, u8, 1, Self>) -> Result<()> {
        Ok(())
    }
}

/// A stream of a device, on which a space asks that a copy or fill run: only devices know its type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct CopyStream<'a>(
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "only devices have streams"))] &'a dyn Any,
);

#[cfg(feature = "cuda")]
impl<'a> CopyStream<'a> {
    /// The request for this stream.
    pub(crate) fn new(stream: &'a dyn Any) -> Self {
        Self(stream)
    }

    /// The stream, if it is one of this type.
    pub(crate) fn stream<S: Any>(self) -> Option<&'a S> {
        self.0.downcast_ref()
    }
}

/// A memory space that host code may read and write through ordinary references.
///
/// # Safety
/// Addresses in this space are valid on the host.
///
/// # Examples
/// ```
/// use spelt_core::{HostAccessible, View};
/// fn first<M: HostAccessible>(v: &View<f64, 1, M>) -> Option<f64> {
///     v.get(0).copied()
/// }
/// assert_eq!(first(&View::zeros("v", [3])?), Some(0.0));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the host cannot reach a View in `{Self}`",
    note = "copy it first, with `to_host()` or `deep_copy`; or allocate it by `space.shared_zeros`, in memory that both sides reach"
)]
pub unsafe trait HostAccessible: MemorySpace {}

/// The methods of [`MemorySpace`] for a [`HostAccessible`] space: the host fills and copies.
macro_rules! elements_by_the_host {
    () => {
        fn fill_elements<T: Element, const R: usize, L: Layout>(
            mut to: ViewMut<'_, T, R, Self, L>,
            value: T,
            _stream: Option<crate::view::CopyStream<'_>>,
        ) -> Result<()> {
            to.fill(value);
            Ok(())
        }
        fn copy_to_host<T: Element, const R: usize, L1: Layout, L2: Layout>(
            to: ViewMut<'_, T, R, HostSpace, L1>,
            from: ViewRef<'_, T, R, Self, L2>,
            _stream: Option<crate::view::CopyStream<'_>>,
        ) -> Result<()> {
            crate::view::copy_on_host(to, from)
        }
    };
}
#[cfg(feature = "cuda")]
pub(crate) use elements_by_the_host;

/// The host's memory. Allocations are aligned to [`ALIGNMENT`](crate::ALIGNMENT) bytes, and pages are allocated on first use.
///
/// # Examples
/// ```
/// use spelt_core::{HostSpace, MemorySpace, View};
/// let v: View<f64, 1, HostSpace> = View::zeros("v", [3])?;
/// assert!(HostSpace::HOST_ACCESSIBLE);
/// assert_eq!(v.raw().pointer().addr() % spelt_core::ALIGNMENT, 0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
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
