//! The memory that the kernels of a space reach, and so the arguments that they accept.

use spelt_access::{KernelArgs, Memories};

/// Kernels on this space reach Views in the memory space `M`, or in all those of a [list](Memories).
///
/// # Safety
/// Sealed: it must be true.
#[diagnostic::on_unimplemented(
    message = "a kernel on `{Self}` cannot reach a View in `{M}`",
    note = "in a function for any space, take a `View<T, R, S::Memory>`; otherwise copy the View first, with `to_space(&space)` or `deep_copy`"
)]
pub unsafe trait Reach<M: ?Sized>: sealed::Sealed {}

// SAFETY: there is nothing to reach.
unsafe impl<S: sealed::Sealed + ?Sized> Reach<()> for S {}
// SAFETY: the space reaches the first memory space, and the others.
unsafe impl<S: Reach<M> + Reach<Rest> + ?Sized, M, Rest: Memories> Reach<(M, Rest)> for S {}

/// Kernels on the space `S` reach these arguments: every memory space in their [list](KernelArgs::Memory).
///
/// # Safety
/// Implemented here alone, for all arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel on `{S}`",
    label = "not the arguments of a kernel",
    note = "arguments are `&View`, `&mut View`, adapted Views such as `x.lookup()`, and elements by value",
    note = "a tuple has at most 24 arguments: put more into nested tuples, arrays, or a struct with `#[derive(KernelArgs)]`"
)]
pub unsafe trait ReachedBy<S: ?Sized> {}

// SAFETY: the list of the arguments has all memory spaces that they point into, and the space reaches each of them.
unsafe impl<A: KernelArgs, S: Reach<A::Memory> + ?Sized> ReachedBy<S> for A {}

/// Seals execution spaces: each implements it beside its type.
pub(crate) mod sealed {
    pub trait Sealed {}
}
