//! Keeping a woken worker off its waker's core.
//!
//! Linux may put a woken thread on the core of the thread that woke it, though others are idle, and leave both there for
//! some milliseconds: a launch of ten microseconds then has one thread (seen on two cores; the scheduler looks for an
//! idle core only if its load average says that there may be one). So the waker says where it runs, and a worker that
//! finds itself there goes elsewhere. Its allowed cores stay the same.

/// The core that this thread runs on, or `usize::MAX` if the system does not tell.
#[cfg(all(target_os = "linux", not(spelt_loom)))]
pub(super) fn core() -> usize {
    // The C library's: rustix reads the vDSO by itself, which crashes under valgrind.
    // SAFETY: the function takes no argument and only returns a number.
    let core = unsafe { libc::sched_getcpu() };
    usize::try_from(core).unwrap_or(usize::MAX)
}

/// Moves this thread off `waker`, if it is there and another core is allowed.
#[cfg(all(target_os = "linux", not(spelt_loom)))]
pub(super) fn leave(waker: usize) {
    use rustix::thread::{sched_getaffinity, sched_setaffinity};
    if waker == usize::MAX || waker != core() {
        return;
    }
    // If the system refuses, the thread stays where it is: slower, but equally correct.
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let mut others = allowed;
    if waker < rustix::thread::CpuSet::MAX_CPU {
        others.unset(waker);
    }
    if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
        let _ = sched_setaffinity(None, &allowed);
    }
}

/// Gives a worker that was just woken onto this core the time to leave it, where that does not give others more.
#[cfg(all(target_os = "linux", not(spelt_loom)))]
pub(super) fn let_woken_go() {
    super::yielding::offer_core();
}

/// Elsewhere cores are unknown: no thread is ever on its waker's.
#[cfg(not(all(target_os = "linux", not(spelt_loom))))]
pub(super) fn core() -> usize {
    usize::MAX
}

#[cfg(not(all(target_os = "linux", not(spelt_loom))))]
pub(super) fn leave(_waker: usize) {}

#[cfg(not(all(target_os = "linux", not(spelt_loom))))]
pub(super) fn let_woken_go() {}
