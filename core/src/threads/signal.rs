//! Waiting for a condition on atomics: spin for a while, then sleep.

use crate::primitive::{AtomicUsize, Condvar, Mutex, Ordering, fence, lock};
use core::time::Duration;

/// How long a waiting thread spins before it sleeps. Unit: time.
///
/// Source: a sleeping thread takes 5 to 60 µs to wake (futex, virtual machine), so spinning for about as long
/// costs at most twice the best choice; kernels launched back to back lie closer together than this.
const SPIN: Duration = Duration::from_micros(50);

/// Looks between two readings of the clock. Unit: rounds of `hint::spin_loop`, 10 to 60 ns each; the clock
/// takes about 25 ns, which then no longer matters.
const LOOKS_PER_CLOCK: u32 = 32;

/// Whether a waiting thread may use up a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Spin briefly, then sleep: there is a core for every thread.
    Spin,
    /// Sleep at once: whom we wait for may need this core.
    Sleep,
}

/// Where threads sleep until a condition on atomics holds.
#[derive(Debug)]
pub(super) struct Signal {
    /// Threads that are about to sleep, or do.
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Signal {
    pub(super) fn new() -> Self {
        Self { sleepers: AtomicUsize::new(0), lock: Mutex::new(()), wake: Condvar::new() }
    }

    /// Returns what `look` finds, as soon as it finds something.
    ///
    /// Whoever makes `look` succeed must call [`notify`](Self::notify) afterwards.
    pub(super) fn wait<T>(&self, patience: Patience, mut look: impl FnMut() -> Option<T>) -> T {
        if let Some(found) = look() {
            return found;
        }
        if patience == Patience::Spin
            && let Some(found) = spin(&mut look)
        {
            return found;
        }
        let mut guard = lock(&self.lock);
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        // Pairs with the fence in `notify`: either `look` sees the change, or the notifier sees the sleeper.
        fence(Ordering::SeqCst);
        let found = loop {
            if let Some(found) = look() {
                break found;
            }
            guard = self.wake.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner());
        };
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
        found
    }

    /// Wakes the sleepers, so that they look again. Cheap when there are none.
    pub(super) fn notify(&self) {
        fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            // A sleeper holds the lock from before its look until it sleeps, so we cannot call between the two.
            drop(lock(&self.lock));
            self.wake.notify_all();
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

/// Loom explores every interleaving; spinning would only repeat them.
#[cfg(spelt_loom)]
fn spin<T>(_look: &mut impl FnMut() -> Option<T>) -> Option<T> {
    None
}
