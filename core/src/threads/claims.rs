//! The units that are still unclaimed: atomic counters, and the end that a panic has set.

use crate::primitive::{AtomicUsize, Ordering};
use crossbeam_utils::CachePadded;

/// How the units of a launch are dealt to threads. Results do not depend on it, only time does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// Each thread starts with its own contiguous block, the same in every launch of as many units, so that
    /// it meets again the memory pages it touched first; then it helps the others.
    Static,
    /// Each thread takes the next unit of the common order.
    Dynamic,
}

/// The units of one job. The thread that advances a block's cursor over a unit owns that unit.
#[derive(Debug)]
pub(super) struct Claims {
    /// The next unit of each block.
    cursors: Box<[CachePadded<AtomicUsize>]>,
    /// Units from here on are not given out: the number of units, or the lowest unit that has panicked.
    end: CachePadded<AtomicUsize>,
}

/// How one job's units are cut into blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    units: usize,
    blocks: usize,
}

impl Blocks {
    pub(super) fn new(units: usize, participants: usize, schedule: Schedule) -> Self {
        let blocks = match schedule {
            Schedule::Static => participants,
            Schedule::Dynamic => 1,
        };
        Self { units, blocks }
    }

    /// First unit of a block; of block `blocks`, the number of units.
    pub(super) fn start(&self, block: usize) -> usize {
        let (each, rest) = (self.units / self.blocks, self.units % self.blocks);
        block * each + block.min(rest)
    }
}

impl Claims {
    pub(super) fn new(participants: usize) -> Self {
        let cursor = || CachePadded::new(AtomicUsize::new(0));
        Self { cursors: (0..participants).map(|_| cursor()).collect(), end: cursor() }
    }

    /// Makes all units of the next job free. Only while nobody claims.
    pub(super) fn reset(&self, blocks: Blocks) {
        for (block, cursor) in self.cursors.iter().enumerate().take(blocks.blocks) {
            cursor.store(blocks.start(block), Ordering::Relaxed);
        }
        self.end.store(blocks.units, Ordering::Relaxed);
    }

    /// Calls `run` for every unit this participant can have: from its own block first, then from the others'.
    ///
    /// Relaxed throughout: a unit goes to one claimant because a cursor's values are taken by `fetch_add`, and
    /// what the units need to see of each other travels through the gate.
    pub(super) fn drain(&self, blocks: Blocks, participant: usize, mut run: impl FnMut(usize)) {
        for step in 0..blocks.blocks {
            let block = (participant + step) % blocks.blocks;
            let cursor = &self.cursors[block];
            let block_end = blocks.start(block + 1);
            loop {
                let end = block_end.min(self.end.load(Ordering::Relaxed));
                // Look before claiming: a used-up block's cursor stays shared, and does not run away.
                if cursor.load(Ordering::Relaxed) >= end {
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
    /// Lower units still run, and so the lowest unit that panics is found whatever the timing.
    pub(super) fn stop_above(&self, unit: usize) {
        self.end.fetch_min(unit, Ordering::Relaxed);
    }
}
