//! The units that are still unclaimed: atomic counters, and the end that a panic has set.

use spelt_policies::Schedule;

use crate::primitive::{AtomicUsize, Ordering};
use crossbeam_utils::CachePadded;

/// Units at the end of a part that others leave, for a while, to a thread that is at work there. Unit: units. Source: where the memory
/// of a part is in the cache of its thread's core, a unit takes another thread several times as long, and that thread again in the next
/// launch (docs/benchmarks.md, triad).
const LEFT: usize = 4;

/// Looks at a part whose last units are left, after each of its claims, before they are taken. Unit: looks, of 8 rounds of
/// `hint::spin_loop` each, some 0.4 us on Intel's processors: together as long as a unit of a launch of some 20 us. None in models:
/// the units that a thread takes are the same without them.
const LOOKS: u32 = if cfg!(spelt_loom) { 0 } else { 4 };

/// The units of one job. The thread that advances a part's cursor over a unit owns that unit.
#[derive(Debug)]
pub(super) struct Claims {
    /// The next unit of each part.
    cursors: Box<[CachePadded<AtomicUsize>]>,
    /// Units from here on are not given out: the number of units, or the lowest unit that has panicked.
    end: CachePadded<AtomicUsize>,
}

/// How one job's units are cut into parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    units: usize,
    parts: usize,
}

impl Parts {
    pub(super) fn new(units: usize, participants: usize, schedule: Schedule) -> Self {
        let parts = match schedule {
            Schedule::Static => participants,
            Schedule::Dynamic => 1,
        };
        Self { units, parts }
    }

    /// First unit of a part; of part `parts`, the number of units.
    ///
    /// The last parts are those with one unit more: the last unit of all is often a short one, and the first part is the caller's, who joins the
    /// results.
    pub(super) fn start(&self, part: usize) -> usize {
        let (each, rest) = (self.units / self.parts, self.units % self.parts);
        part * each + (part + rest).saturating_sub(self.parts)
    }
}

impl Claims {
    pub(super) fn new(participants: usize) -> Self {
        let cursor = || CachePadded::new(AtomicUsize::new(0));
        Self { cursors: (0..participants).map(|_| cursor()).collect(), end: cursor() }
    }

    /// Makes all units of the next job available. Only while no thread claims.
    pub(super) fn reset(&self, parts: Parts) {
        for (part, cursor) in self.cursors.iter().enumerate().take(parts.parts) {
            cursor.store(parts.start(part), Ordering::Relaxed);
        }
        // Seldom another number, and then the line stays where the workers read it.
        if self.end.load(Ordering::Relaxed) != parts.units {
            self.end.store(parts.units, Ordering::Relaxed);
        }
    }

    /// Calls `run` for every unit this participant can have: from its own part first, then from the others'. Calls `wait` between two looks
    /// at a part whose last units it leaves to a thread that is at work there.
    ///
    /// Relaxed throughout: a unit goes to one claimant because a cursor's values are taken by `fetch_add`, and
    /// the gate orders the writes that units must see of each other.
    pub(super) fn drain(
        &self,
        parts: Parts,
        participant: usize,
        mut wait: impl FnMut(),
        mut run: impl FnMut(usize),
    ) {
        for step in 0..parts.parts {
            let part = (participant + step) % parts.parts;
            let cursor = &self.cursors[part];
            let part_end = parts.start(part + 1);
            // Where the cursor stays if no other thread is at work in the part.
            let mut untouched = parts.start(part);
            loop {
                if LOOKS > 0 && step > 0 {
                    self.leave_last(part, part_end, untouched, &mut wait);
                }
                let end = part_end.min(self.end.load(Ordering::Relaxed));
                // Look at another's cursor before claiming: that of a used-up part stays shared, and does not run away.
                if step > 0 && cursor.load(Ordering::Relaxed) >= end {
                    break;
                }
                let unit = cursor.fetch_add(1, Ordering::Relaxed);
                if unit >= end {
                    break;
                }
                untouched = unit + 1;
                run(unit);
            }
        }
    }

    /// Waits while a thread at work in another's part, which has moved its cursor from `untouched`, takes the last units.
    fn leave_last(&self, part: usize, part_end: usize, untouched: usize, wait: &mut impl FnMut()) {
        let next = || self.cursors[part].load(Ordering::Relaxed);
        let (mut before, mut looks) = (next(), 0);
        while before != untouched && looks < LOOKS {
            let end = part_end.min(self.end.load(Ordering::Relaxed));
            if !(1..=LEFT).contains(&end.saturating_sub(before)) {
                break;
            }
            wait();
            looks += 1;
            let now = next();
            if now != before {
                (before, looks) = (now, 0);
            }
        }
    }

    /// Stops giving out units above this one, which has panicked.
    ///
    /// Lower units still run, and so the lowest unit that panics is found regardless of the timing.
    pub(super) fn stop_above(&self, unit: usize) {
        self.end.fetch_min(unit, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[cfg(not(spelt_loom))]
mod tests {
    use core::cell::RefCell;

    use super::*;

    #[test]
    fn the_last_parts_have_a_unit_more() {
        let starts = |units, parts: usize| {
            let cut = Parts::new(units, parts, Schedule::Static);
            (0..=parts).map(|part| cut.start(part)).collect::<Vec<_>>()
        };
        assert_eq!(starts(25, 2), [0, 12, 25]);
        assert_eq!(starts(11, 4), [0, 2, 5, 8, 11]);
        assert_eq!(starts(8, 4), [0, 2, 4, 6, 8]);
        assert_eq!(starts(2, 2), [0, 1, 2]);
    }

    /// The claims of two threads with `units` units each, of which the second has taken `taken`.
    fn two_parts(units: usize, taken: usize) -> (Claims, Parts) {
        let (claims, parts) = (Claims::new(2), Parts::new(2 * units, 2, Schedule::Static));
        claims.reset(parts);
        claims.cursors[1].fetch_add(taken, Ordering::Relaxed);
        (claims, parts)
    }

    /// The units that the first thread takes of the second's part, while that one takes another whenever the first waits, if it does.
    fn taken_by_the_first(units: usize, taken: usize, at_work: bool) -> Vec<usize> {
        let (claims, parts) = two_parts(units, taken);
        let found = RefCell::new(Vec::new());
        let wait = || {
            if at_work {
                claims.cursors[1].fetch_add(1, Ordering::Relaxed);
            }
        };
        claims.drain(parts, 0, wait, |unit| found.borrow_mut().push(unit));
        let mut found = found.into_inner();
        assert_eq!(found.drain(..units).collect::<Vec<_>>(), (0..units).collect::<Vec<_>>(), "its own part");
        found
    }

    #[test]
    fn the_last_units_stay_with_a_thread_at_work() {
        // The first thread leaves the last four units.
        assert_eq!(taken_by_the_first(8, 4, true), [0_usize; 0]);
        assert_eq!(taken_by_the_first(8, 7, true), [0_usize; 0]);
        assert_eq!(taken_by_the_first(8, 3, true), [11, 12, 13, 14, 15]);
        assert_eq!(taken_by_the_first(8, 8, true), [0_usize; 0]);
    }

    #[test]
    fn units_of_a_thread_that_does_not_come_are_taken() {
        assert_eq!(taken_by_the_first(8, 6, false), [14, 15]);
        assert_eq!(taken_by_the_first(8, 2, false), [10, 11, 12, 13, 14, 15]);
        // No thread has begun: nothing is waited for.
        let (claims, parts) = two_parts(2, 0);
        let mut units = 0;
        claims.drain(parts, 0, || panic!("nothing is at work"), |_| units += 1);
        assert_eq!(units, 4);
    }

    #[test]
    fn a_panic_ends_the_wait() {
        let (claims, parts) = two_parts(8, 6);
        let wait = || claims.stop_above(14);
        let mut units = Vec::new();
        claims.drain(parts, 0, wait, |unit| units.push(unit));
        assert_eq!(units, (0..8).collect::<Vec<_>>(), "units from 14 on are not given out");
    }
}
