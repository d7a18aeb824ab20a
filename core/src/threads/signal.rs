//! Waiting for a condition on atomics: spin for a while, then sleep.

use super::placement;
use super::process::Process;
use crate::primitive::{AtomicUsize, Condvar, Mutex, Ordering, fence, lock};
use core::time::Duration;

/// The time that a waiting thread spins before it sleeps. Unit: time.
///
/// Source: `cost_tests.rs` on two cores of a virtual machine: a sleeping worker joins after 30 to 100 µs, an awake
/// one after 0.3. Spinning for about as long as waking takes costs at most twice what the best choice would.
const SPIN: Duration = Duration::from_micros(50);

/// Looks between two readings of the clock. Unit: rounds of `hint::spin_loop`, 10 to 60 ns each; the clock
/// takes about 25 ns, which then no longer matters.
const LOOKS_PER_CLOCK: u32 = 32;

/// The number of times that a thread that must not spin yields before it sleeps, where that is cheap (`yielding.rs`). Unit: yields.
///
/// Source: `cost_tests.rs`, 4 threads on 2 cores: an empty gang takes 50 µs with 0 and 1.7 µs with 8.
const YIELDS: u32 = 8;

/// Whether a waiting thread may use up a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Spin briefly, then sleep: there is a core for every thread.
    Spin,
    /// Do not spin: the thread that we wait for may need this core. Offer it, then sleep.
    Yield,
}

/// A signal on which threads sleep until a condition on atomics holds.
#[derive(Debug)]
pub(crate) struct Signal {
    /// Threads that are about to sleep, or do.
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
    /// The core of the last one that woke sleepers, where they are workers: those leave it.
    waker: Option<AtomicUsize>,
    /// The process that has the threads that are waited for.
    process: Process,
}

impl Signal {
    pub(crate) fn new() -> Self {
        Self {
            sleepers: AtomicUsize::new(0),
            lock: Mutex::new(()),
            wake: Condvar::new(),
            waker: None,
            process: Process::this(),
        }
    }

    /// A signal for a worker of a pool, which is a thread that may be moved.
    pub(super) fn of_worker() -> Self {
        Self { waker: Some(AtomicUsize::new(usize::MAX)), ..Self::new() }
    }

    /// Returns what `look` finds, as soon as it finds something.
    ///
    /// The thread that makes `look` succeed must call [`notify`](Self::notify) afterwards.
    ///
    /// # Panics
    /// In a fork of the process that made the signal, where the other threads do not exist.
    pub(crate) fn wait<T>(&self, patience: Patience, mut look: impl FnMut() -> Option<T>) -> T {
        loop {
            if let Some(found) = look() {
                return found;
            }
            let busy = match patience {
                Patience::Spin => spin(&mut look),
                Patience::Yield => hand_over(&mut look),
            };
            if let Some(found) = busy {
                return found;
            }
            assert!(
                !self.process.was_forked(),
                "this process was forked inside a kernel, by one of several threads that ran it; the others are not in the \
                 fork, and what they had to do is lost: fork outside kernels"
            );
            let guard = lock(&self.lock);
            self.sleepers.fetch_add(1, Ordering::Relaxed);
            // Pairs with the fence in `notify`: either `look` sees the change, or the notifier sees the sleeper.
            fence(Ordering::SeqCst);
            let found = look();
            if found.is_none() {
                // Waking takes longer than a short job: a thread that wakes too late stays awake for the next one, or launches one
                // after the other would each wake a worker that misses them all.
                drop(self.wake.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner()));
                if let Some(waker) = &self.waker
                    && patience == Patience::Spin
                {
                    placement::leave(waker.load(Ordering::Relaxed));
                }
            }
            self.sleepers.fetch_sub(1, Ordering::Relaxed);
            if let Some(found) = found {
                return found;
            }
        }
    }

    /// Whether a thread sleeps, or is about to: a hint.
    pub(super) fn has_sleepers(&self) -> bool {
        self.sleepers.load(Ordering::Relaxed) > 0
    }

    /// Wakes the sleepers, so that they look again. Cheap when there are none.
    pub(crate) fn notify(&self) {
        fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            if let Some(waker) = &self.waker {
                waker.store(placement::core(), Ordering::Relaxed);
            }
            // A sleeper holds the lock from before its look until it sleeps, so we cannot call between the two.
            drop(lock(&self.lock));
            self.wake.notify_all();
            if self.waker.is_some() {
                placement::let_woken_go();
            }
        }
    }
}

#[cfg(not(spelt_loom))]
fn spin<T>(look: &mut impl FnMut() -> Option<T>) -> Option<T> {
    let start = std::time::Instant::now();
    loop {
        for _ in 0..LOOKS_PER_CLOCK {
            core::hint::spin_loop();
            if let Some(found) = look() {
                return Some(found);
            }
        }
        if start.elapsed() >= SPIN {
            return None;
        }
    }
}

#[cfg(not(spelt_loom))]
fn hand_over<T>(look: &mut impl FnMut() -> Option<T>) -> Option<T> {
    (0..YIELDS).take_while(|_| super::yielding::offer_core()).find_map(|_| look())
}

/// Loom explores every interleaving; spinning would only repeat them.
#[cfg(spelt_loom)]
fn spin<T>(_look: &mut impl FnMut() -> Option<T>) -> Option<T> {
    None
}

/// See above.
#[cfg(spelt_loom)]
fn hand_over<T>(_look: &mut impl FnMut() -> Option<T>) -> Option<T> {
    None
}
