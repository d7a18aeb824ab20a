//! Offering a core to other threads, while that is cheap.
//!
//! A thread that waits yields, so that the thread it waits for may run. If that thread is next in line, a yield takes about a
//! microsecond. If another program is next in line, it gets the core for a whole slice of time, some milliseconds, at each yield.
//! The members of a gang wait for one another thousands of times, so this adds up: work that takes 0.03 s without load took 28 s.
//! A thread that sleeps instead runs again some ten microseconds after it is woken, because the system owes it time.
//!
//! So yields are timed. After an expensive one there is a pause without any, in which waiting threads sleep at once. The pause
//! is a multiple of the time of that yield, so yields cost a small part of the time regardless of the load. All pools of the
//! process share the state, because load affects them all.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::LazyLock;
use std::time::Instant;

/// A yield that takes at least this long is expensive. Unit: time. Source: a few times the cost of sleeping and waking (`signal.rs`),
/// and far below the slices that Linux assigns, some 3 ms.
const DEAR: Duration = Duration::from_micros(200);

/// The pause without yields after an expensive one. Unit: multiples of the time of that one. Source: estimated: yields then take
/// at most a seventeenth of a thread's time.
const REST: u32 = 16;

/// The maximum cost attributed to a yield: a program that was stopped in one is not a sign of load. Unit: time.
const LONGEST: Duration = Duration::from_secs(1);

/// Gives this thread's core to another that needs it, unless that was expensive recently. False if it did not: sleep instead.
pub(crate) fn offer_core() -> bool {
    static PROCESS: Yields = Yields::new();
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    PROCESS.offer(|| START.elapsed(), std::thread::yield_now)
}

/// The time until which yields are too expensive.
struct Yields {
    /// Unit: nanoseconds of the clock that [`offer`](Self::offer) is given.
    dear_until: AtomicU64,
}

impl Yields {
    const fn new() -> Self {
        Self { dear_until: AtomicU64::new(0) }
    }

    /// Calls `give`, unless it was expensive recently, by this clock. True if it was called.
    fn offer(&self, clock: impl Fn() -> Duration, give: impl FnOnce()) -> bool {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let start = clock();
        // Relaxed: a thread that sees it late yields once more.
        if nanos(start) < self.dear_until.load(Ordering::Relaxed) {
            return false;
        }
        give();
        let end = clock();
        let took = end.saturating_sub(start);
        if took >= DEAR {
            let until = nanos(end + took.min(LONGEST) * REST);
            self.dear_until.fetch_max(until, Ordering::Relaxed);
        }
        true
    }
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use super::{DEAR, LONGEST, REST, Yields};
    use core::cell::Cell;
    use core::time::Duration;

    /// The number of `attempts` that yielded, if each yield takes `took` and the time between two attempts is `between`.
    fn yielded(attempts: u32, took: Duration, between: Duration) -> u32 {
        let (yields, time, count) = (Yields::new(), Cell::new(Duration::ZERO), Cell::new(0));
        for _ in 0..attempts {
            let offered = yields.offer(
                || time.get(),
                || {
                    time.set(time.get() + took);
                    count.set(count.get() + 1);
                },
            );
            if !offered {
                time.set(time.get() + between);
            }
        }
        count.get()
    }

    #[test]
    fn cheap_yields_go_on() {
        assert_eq!(yielded(1000, DEAR / 2, Duration::ZERO), 1000);
    }

    #[test]
    fn after_a_dear_one_comes_a_rest() {
        // 16 ms of rest are 160 attempts of 0.1 ms.
        let (slice, between) = (Duration::from_millis(1), Duration::from_micros(100));
        assert_eq!(yielded(161, slice, between), 1);
        assert_eq!(yielded(162, slice, between), 2);
        assert_eq!(yielded(1610, slice, between), 10);
    }

    #[test]
    fn a_stopped_program_yields_again() {
        let hour = Duration::from_secs(3600);
        assert_eq!(yielded(1 + REST, hour, LONGEST), 1);
        assert_eq!(yielded(2 + REST, hour, LONGEST), 2);
    }
}
