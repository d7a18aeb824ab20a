//! The clock of a summary: the processor's counter, where the system trusts it.
//!
//! A reading of the system's clock and its arithmetic take some 30 ns, of the counter 10. Two of them are a good part of the cost of a summary.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::moment::Moment;

/// The time after which the counter's rate is known well enough: readings of both clocks are some 30 ns apart. Unit: ns.
const KNOWN_AFTER_NS: u64 = 1_000_000_000;

/// A clock that begins at 0.
pub(super) struct Clock {
    start: Instant,
    /// The same time by the counter; `None` where the clock is the system's, whose ticks are nanoseconds.
    counter: Option<Moment>,
    /// The length of a tick, as the bits of an `f64`. Unit: ns.
    tick_ns: AtomicU64,
    /// The tick at which it is found again: the longer the time, the better it is known.
    next: AtomicU64,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("counter", &self.counter).finish_non_exhaustive()
    }
}

impl Clock {
    /// It begins now.
    pub(super) fn new() -> Self {
        Self::with_counter(is_counter_trusted())
    }

    fn with_counter(is_counter: bool) -> Self {
        let counter = is_counter.then(Moment::now);
        let (tick_ns, next) = (AtomicU64::new(1.0_f64.to_bits()), AtomicU64::new(0));
        Self { start: Instant::now(), counter, tick_ns, next }
    }

    /// The ticks since the beginning.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        match self.counter {
            Some(counter) => counter.elapsed(),
            None => self.run_ns(),
        }
    }

    /// The time from the tick `begin` to the tick `end`. Unit: ns. Counters of two cores may differ by a little: then it is 0.
    #[inline]
    pub(super) fn between_ns(&self, begin: u64, end: u64) -> u64 {
        let ticks = end.saturating_sub(begin);
        if self.counter.is_none() {
            return ticks;
        }
        if end >= self.next.load(Ordering::Acquire) {
            self.measure();
        }
        (ticks as f64 * f64::from_bits(self.tick_ns.load(Ordering::Relaxed))) as u64
    }

    /// Finds the length of a tick, from the beginning to now.
    #[cold]
    fn measure(&self) {
        let (ns, ticks) = (self.run_ns(), self.now());
        self.tick_ns.store((ns as f64 / ticks.max(1) as f64).to_bits(), Ordering::Relaxed);
        // After the length, which a thread that sees this has then.
        self.next.store(next_after(ns, ticks), Ordering::Release);
    }

    /// The time since the beginning, by the system's clock. Unit: ns.
    pub(super) fn run_ns(&self) -> u64 {
        let elapsed = self.start.elapsed();
        elapsed.as_secs().saturating_mul(1_000_000_000).saturating_add(elapsed.subsec_nanos().into())
    }
}

/// Whether the system's own clock is the processor's counter: then it runs at one rate, and is the same on all cores.
fn is_counter_trusted() -> bool {
    const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let is_read = cfg!(all(target_os = "linux", target_arch = "x86_64", not(miri)));
    is_read && std::fs::read_to_string(SOURCE).is_ok_and(|source| source.trim() == "tsc")
}

/// The tick at which the rate is found again, if it was found after this time.
fn next_after(ns: u64, ticks: u64) -> u64 {
    if ns < KNOWN_AFTER_NS { ticks.saturating_mul(2) } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clock, KNOWN_AFTER_NS, is_counter_trusted, next_after};

    /// Both clocks agree on a time that both have seen begin and end.
    #[test]
    fn times_are_nanoseconds_by_either_clock() {
        for is_counter in [false, is_counter_trusted()] {
            let clock = Clock::with_counter(is_counter);
            for _ in 0..3 {
                let (outer, begin) = (clock.run_ns(), clock.now());
                std::thread::sleep(Duration::from_millis(5));
                let (end, latest) = (clock.now(), clock.run_ns());
                let time = clock.between_ns(begin, end);
                assert!(time >= 4_990_000, "{time} ns after a pause of 5 ms");
                assert!(time <= (latest - outer) / 1000 * 1002, "{time} ns within {} ns", latest - outer);
                assert_eq!(clock.between_ns(end, begin), 0, "counters that differ");
            }
        }
    }

    #[test]
    fn the_rate_is_found_again_at_twice_the_time_and_kept_after_a_second() {
        let cases = [
            (0, 10, 20),
            (KNOWN_AFTER_NS - 1, 10, 20),
            (0, u64::MAX, u64::MAX),
            (KNOWN_AFTER_NS, 10, u64::MAX),
        ];
        for (ns, ticks, next) in cases {
            assert_eq!(next_after(ns, ticks), next, "{ns} {ticks}");
        }
    }
}
