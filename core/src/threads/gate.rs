//! Admission to the open job: one atomic word, so that "is it open" and "I am in" are one step.
//!
//! ```text
//! bits  63..24   23     22        21..11            10..0
//!       epoch    open   shutdown  entered so far    present now
//! ```
//! The epoch counts jobs; it tells a worker whether the open job is a new one or the one it has left. It wraps
//! after 2^40 jobs, which a worker would have to sleep through exactly to miss one.

use crate::primitive::{AtomicU64, AtomicUsize, Ordering};

/// The maximum number of threads of one pool, caller included; the two counts have room for one more.
pub(super) const MAX_THREADS: usize = 1024;

const PRESENT: u64 = 1;
const ENTERED: u64 = 1 << 11;
const COUNT_MASK: u64 = (1 << 11) - 1;
const SHUTDOWN: u64 = 1 << 22;
const OPEN: u64 = 1 << 23;
const EPOCH: u64 = 1 << 24;

/// The result of a worker's look at the gate.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passage {
    /// It is in the job of this epoch and must [`leave`](Gate::leave).
    Entered(u64),
    /// The pool is being dropped.
    Shutdown,
}

/// The gate to the pool's only job.
#[derive(Debug)]
pub(super) struct Gate {
    word: AtomicU64,
    /// Participants (the caller is 0) below this number may enter. Written only while the gate is closed, so a
    /// worker that entered has compared with the value of the job it entered.
    wanted: AtomicUsize,
}

impl Gate {
    pub(super) fn new() -> Self {
        Self { word: AtomicU64::new(0), wanted: AtomicUsize::new(0) }
    }

    /// Opens the next job to the participants `1..wanted`, and publishes the caller's earlier writes to them.
    /// Only for the one caller that holds the pool, when the gate is closed and empty.
    pub(super) fn open(&self, wanted: usize) {
        let word = self.word.load(Ordering::Relaxed);
        debug_assert_eq!(word & (OPEN | COUNT_MASK), 0, "the last job is not over");
        self.wanted.store(wanted, Ordering::Relaxed);
        let epoch = (word & !(EPOCH - 1)).wrapping_add(EPOCH);
        self.word.store(epoch | OPEN | (word & SHUTDOWN), Ordering::Release);
    }

    /// Enters the open job, if there is one that wants this participant and is not the one it has left.
    pub(super) fn try_enter(&self, participant: usize, left: u64) -> Option<Passage> {
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            if word & SHUTDOWN != 0 {
                return Some(Passage::Shutdown);
            }
            let epoch = word & !(EPOCH - 1);
            let wanted = self.wanted.load(Ordering::Relaxed);
            if word & OPEN == 0 || epoch == left || participant >= wanted {
                return None;
            }
            // Acquire: the caller's writes before it opened. Release: the reading of `wanted` above, so that
            // the next job's value cannot have been it.
            match self.word.compare_exchange_weak(
                word,
                word + ENTERED + PRESENT,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return Some(Passage::Entered(epoch)),
                Err(now) => word = now,
            }
        }
    }

    /// Leaves the job. Returns true if no other worker is in it; the caller may wait for that.
    pub(super) fn leave(&self) -> bool {
        // Release: all that this worker did in the job. Acquire is not needed here.
        let before = self.word.fetch_sub(PRESENT, Ordering::Release);
        before & COUNT_MASK == 1
    }

    /// Closes the job: no worker enters any more.
    pub(super) fn close(&self) {
        self.word.fetch_and(!OPEN, Ordering::AcqRel);
    }

    /// True if no worker is in the job; all of their work is then visible.
    pub(super) fn is_empty(&self) -> bool {
        self.word.load(Ordering::Acquire) & COUNT_MASK == 0
    }

    /// True when this many have entered since the job was opened, and all have left.
    pub(super) fn has_seen(&self, entrants: usize) -> bool {
        let word = self.word.load(Ordering::Acquire);
        word & COUNT_MASK == 0 && (word / ENTERED) & COUNT_MASK == entrants as u64
    }

    /// Ends the workers: from now on every look at the gate finds [`Passage::Shutdown`].
    pub(super) fn shut_down(&self) {
        self.word.fetch_or(SHUTDOWN, Ordering::Release);
    }
}
