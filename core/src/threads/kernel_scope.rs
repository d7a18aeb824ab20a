//! Whether the running thread is inside a kernel.
//!
//! A launch inside a kernel runs inline on its caller (the workers are busy, and it could wait
//! for itself). One mark for all spaces and pools: a kernel of one pool may launch on another.

use core::cell::Cell;
use core::marker::PhantomData;

thread_local! {
    /// The depth of nested kernels on this thread, as far as [`RUNNING`] does not show them.
    static DEPTH: Cell<usize> = const { Cell::new(0) };

    /// The innermost launch that runs its kernel on this thread, for messages, or null.
    pub(crate) static RUNNING: Cell<*const ()> = const { Cell::new(core::ptr::null()) };
}

/// True on a thread that is running a kernel's body, on any space.
#[inline]
pub(crate) fn in_kernel() -> bool {
    DEPTH.get() > 0 || !RUNNING.get().is_null()
}

/// Marks the thread as inside a kernel for as long as it lives; panics undo it too.
#[derive(Debug)]
pub(crate) struct KernelScope {
    /// Must be dropped on the thread that made it.
    _not_send: PhantomData<*const ()>,
}

impl KernelScope {
    /// Enters a kernel on this thread.
    #[inline]
    pub(crate) fn enter() -> Self {
        DEPTH.with(|depth| depth.set(depth.get() + 1));
        Self { _not_send: PhantomData }
    }
}

impl Drop for KernelScope {
    #[inline]
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get() - 1));
    }
}
