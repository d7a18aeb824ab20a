//! Launches that follow one another closely: waking the other threads for all of them is worthwhile where it is not for one.
//!
//! A launch of ten microseconds is over before a thread that sleeps has woken. But a thread that was woken looks for work for a while,
//! so it joins the next launches, and while these come it does not sleep. So each launch that would have gained from threads which sleep
//! counts its time and that of such launches just before it. When they have lasted for [`WAKES_AFTER`] together, it opens: that wakes the
//! others for the launches after it.
//!
//! The count decides only which thread runs an iteration.

use core::cell::Cell;

use super::opening::OPENS_AFTER;
use crate::moment::Moment;

/// The time of launches, each soon after the one before, that wakes the other threads. Unit: ticks of [`Moment`], 50 us. Source: for so long
/// a thread that was woken looks for work in vain if no other launch follows (`threads/signal.rs`): the price of waking it is at most about
/// what the launches before have lost.
const WAKES_AFTER: u64 = OPENS_AFTER / 2 * 5;

/// The longest pause between two such launches. Unit: as [`WAKES_AFTER`], 20 us. Source: half of the time for which a thread looks for work,
/// so that it finds the next one.
const PAUSE: u64 = OPENS_AFTER;

/// The last launch of this thread that would have gained from threads which slept.
#[derive(Clone, Copy)]
struct Last {
    begun: Moment,
    /// The time that it was expected to last, at most [`OPENS_AFTER`]: the first iterations, which fetch what they read, tell little.
    lasts: u64,
    /// The time of the launches before it that belong to the same succession.
    before: u64,
}

thread_local! {
    static LAST: Cell<Option<Last>> = const { Cell::new(None) };
}

/// Counts a launch that began at `begun`, has lasted for `elapsed`, and probably lasts for `lasts`. Returns whether it wakes the other
/// threads.
#[cold]
#[inline(never)]
pub(super) fn wakes(begun: Moment, elapsed: u64, lasts: u64) -> bool {
    let before = match LAST.get() {
        // Another look of the same launch.
        Some(last) if last.begun == begun => last.before,
        Some(last) if begun.since(last.begun) <= last.lasts + PAUSE => last.before + last.lasts,
        _ => 0,
    };
    let wakes = before + elapsed.min(OPENS_AFTER) >= WAKES_AFTER;
    LAST.set(if wakes { None } else { Some(Last { begun, lasts: lasts.min(OPENS_AFTER), before }) });
    wakes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the first launch that wakes others, out of a hundred that last for `lasts`, `pause` apart.
    fn first_that_wakes(lasts: u64, pause: u64) -> Option<usize> {
        LAST.set(None);
        let mut begun = Moment::now();
        (0..100).find(|_| {
            // Two looks, of which the last is in the middle.
            let wakes = wakes(begun, 1, lasts) || wakes(begun, lasts / 2, lasts);
            begun = begun.after(lasts + pause);
            wakes
        })
    }

    #[test]
    fn close_launches_add_up() {
        let tenth = WAKES_AFTER / 10;
        assert_eq!(first_that_wakes(tenth, 0), Some(10), "after ten whole ones");
        assert_eq!(first_that_wakes(tenth, PAUSE), Some(10), "a short pause is none");
        assert_eq!(first_that_wakes(tenth, PAUSE + 1), None, "each begins another succession");
        // Half of the third one.
        assert_eq!(first_that_wakes(WAKES_AFTER / 5 * 2, 0), Some(2));
    }

    #[test]
    fn a_launch_that_seems_to_be_long_counts_little() {
        LAST.set(None);
        let begun = Moment::now();
        let launch = |at: u64| wakes(begun.after(at), 1, u64::MAX);
        assert_eq!([0, 10, 20, 30].map(launch), [false, false, false, true], "20 us each");
        // The next one, which begins when this one would have been over if it had been that long.
        LAST.set(None);
        assert!(!launch(0));
        assert!(!wakes(begun.after(OPENS_AFTER + PAUSE + 1), WAKES_AFTER, u64::MAX));
    }

    #[test]
    fn a_succession_that_has_woken_others_begins_again() {
        let tenth = WAKES_AFTER / 10;
        assert_eq!(first_that_wakes(tenth, 0), Some(10));
        assert!(LAST.get().is_none());
        // A clock that was set back, and large numbers.
        let begun = Moment::now();
        assert!(!wakes(begun.after(WAKES_AFTER), 1, tenth));
        assert!(!wakes(begun, u64::MAX, u64::MAX));
    }
}
