//! The one place that chooses between std's synchronisation and loom's model of it.
//!
//! Code with a protocol (`threads/`) takes its atomics, locks and cells from here, so that
//! `RUSTFLAGS="--cfg spelt_loom"` lets loom run that same code through its possible interleavings, in unit tests: no other build
//! has loom.
#![cfg_attr(not(feature = "threads"), allow(dead_code, reason = "part of it serves the pool alone"))]

#[cfg(not(spelt_loom))]
mod chosen {
    #[cfg(feature = "threads")]
    pub(crate) use core::sync::atomic::AtomicBool;
    pub(crate) use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

    /// std's cell behind loom's interface: access goes through closures, so that loom can watch its span.
    #[derive(Debug)]
    pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(core::cell::UnsafeCell::new(value))
        }

        /// Calls `read` with the pointer; the caller justifies its use.
        pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        /// Calls `write` with the pointer; the caller justifies its use.
        pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }
}

#[cfg(spelt_loom)]
mod chosen {
    pub(crate) use loom::cell::UnsafeCell;
    #[cfg(feature = "threads")]
    pub(crate) use loom::sync::atomic::AtomicBool;
    pub(crate) use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
}

pub(crate) use chosen::*;

/// Locks a mutex whose data no panic can leave half written, so poison does not matter.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
