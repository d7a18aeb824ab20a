//! The memory that the kernels of a space reach, and so the arguments that they accept.

/// Kernels on this space reach Views in the memory space `M`.
///
/// # Safety
/// Sealed: it must be true.
#[diagnostic::on_unimplemented(
    message = "a kernel on `{Self}` cannot reach a View in `{M}`",
    note = "copy the View first, with `to_space(&space)` or `deep_copy`"
)]
pub unsafe trait Reach<M: ?Sized>: sealed::Sealed {}

/// Kernels on the space `S` reach these arguments.
///
/// # Safety
/// Every View among the arguments is in a memory space that `S` [reaches](Reach).
#[diagnostic::on_unimplemented(
    message = "a kernel on `{S}` cannot reach the arguments `{Self}`",
    label = "one of them is a View in another memory space, or no kernel argument",
    note = "copy the View first, with `to_space(&space)` or `deep_copy`"
)]
pub unsafe trait ReachedBy<S: ?Sized> {}

/// Kernels on the space `S` reach this member of the arguments.
///
/// # Safety
/// As for [`ReachedBy`].
#[diagnostic::on_unimplemented(
    message = "a kernel on `{S}` cannot reach `{Self}`",
    label = "a View in another memory space, or no kernel argument",
    note = "copy the View first, with `to_space(&space)` or `deep_copy`"
)]
pub unsafe trait ArgReachedBy<S: ?Sized> {}

/// Seals execution spaces: each implements it beside its type.
pub(crate) mod sealed {
    pub trait Sealed {}
}
