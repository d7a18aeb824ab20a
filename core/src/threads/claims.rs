//! The units that are still unclaimed: atomic counters, and the end that a panic has set.

use spelt_policies::Schedule;

use crate::primitive::{AtomicUsize, Ordering};
use crossbeam_utils::CachePadded;

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
    pub(super) fn start(&self, part: usize) -> usize {
        let (each, rest) = (self.units / self.parts, self.units % self.parts);
        part * each + part.min(rest)
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

    /// Calls `run` for every unit this participant can have: from its own part first, then from the others'.
    ///
    /// Relaxed throughout: a unit goes to one claimant because a cursor's values are taken by `fetch_add`, and
    /// the gate orders the writes that units must see of each other.
    pub(super) fn drain(&self, parts: Parts, participant: usize, mut run: impl FnMut(usize)) {
        for step in 0..parts.parts {
            let part = (participant + step) % parts.parts;
            let cursor = &self.cursors[part];
            let part_end = parts.start(part + 1);
            loop {
                let end = part_end.min(self.end.load(Ordering::Relaxed));
                // Look at another's cursor before claiming: that of a used-up part stays shared, and does not run away.
                if step > 0 && cursor.load(Ordering::Relaxed) >= end {
                    break;
                }
                let unit = cursor.fetch_add(1, Ordering::Relaxed);
                if unit >= end {
                    break;
                }
                run(unit);
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
