//! Whether this process is a fork of the one in which something was made.
//!
//! A child of `fork` has the memory of its parent's pools and none of their threads: waiting for those would never end,
//! and locks that they held stay locked.

#[cfg(all(any(target_os = "linux", target_vendor = "apple"), not(miri), not(spelt_loom)))]
mod number {
    use core::sync::atomic::{AtomicU64, Ordering};
    use std::sync::Once;

    /// Forks between this process and the one that first asked.
    static FORKS: AtomicU64 = AtomicU64::new(0);

    extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    /// Not the system's number of the process, which would take a system call at each launch.
    pub(super) fn this() -> u64 {
        static COUNTING: Once = Once::new();
        COUNTING.call_once(|| {
            // SAFETY: the function is there as long as the code that registers it is, and does nothing but add to an atomic
            // number, as a function that runs between `fork` and `exec` may. Where there is no memory for it, forks stay
            // undetected, as they are in programs that never ask.
            unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
        FORKS.load(Ordering::Relaxed)
    }
}

#[cfg(not(all(any(target_os = "linux", target_vendor = "apple"), not(miri), not(spelt_loom))))]
mod number {
    pub(super) fn this() -> u64 {
        if cfg!(spelt_loom) { 0 } else { u64::from(std::process::id()) }
    }
}

/// A process, distinguished from its forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u64);

impl Process {
    /// The one that this code runs in.
    pub(crate) fn this() -> Self {
        Self(number::this())
    }

    /// Whether this code runs in a fork of it.
    pub(crate) fn was_forked(self) -> bool {
        self != Self::this()
    }
}
