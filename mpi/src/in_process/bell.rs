//! The end of a rank's sleep.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The longest sleep of a rank, after which it looks at its time-out. Unit: ms. A bell ends it earlier.
pub(super) const NAP: Duration = Duration::from_millis(1);

/// Wakes a rank that waits. Ranks are often more than cores: a rank that slept for some microseconds between its looks, as those of a library
/// do, would take the cores from those that have something to do.
#[derive(Debug, Default)]
pub(super) struct Bell {
    /// Whether it was rung since the last wait.
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    /// Ends a wait, or the next one.
    pub(super) fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_one();
    }

    /// Waits for the bell, unless it has rung since the last wait.
    pub(super) fn wait(&self, longest: Duration) {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(rung, longest, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_ring_before_the_wait_ends_it_and_only_it() {
        let bell = Bell::default();
        bell.ring();
        let start = Instant::now();
        bell.wait(Duration::from_secs(60));
        assert!(start.elapsed() < Duration::from_secs(30));
        let (start, time) = (Instant::now(), Duration::from_millis(20));
        bell.wait(time);
        assert!(start.elapsed() >= time);
    }

    #[test]
    fn a_ring_during_the_wait_ends_it() {
        let bell = Bell::default();
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| bell.wait(Duration::from_secs(60)));
            std::thread::sleep(Duration::from_millis(20));
            bell.ring();
        });
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
