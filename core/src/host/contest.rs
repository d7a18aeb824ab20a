//! Launches of medium length: on the caller alone or on all threads, whichever has been faster.
//!
//! Some ten thousand cheap iterations take about as long as waking a thread, waiting for it, and moving the lines of memory that it writes.
//! Which of both is faster depends on the machine and on the loop. So each thread times the first launches of a closure either way, and
//! keeps to the faster way for the next ones. A launch that takes long on all threads never runs on one.
//!
//! The contest decides only which thread runs an iteration.

use core::cell::Cell;

use super::chunks::BREAK_EVEN;
use super::history::History;
use super::opening::{OPENS_AFTER, is_forced};
use crate::environment::{self, Opens};
use crate::moment::Moment;
use crate::threads::kernel_scope::in_kernel;
use crate::tools::is_tuning;

/// Longer launches have no contest. Unit: iterations. Source: estimated: that number of the cheapest take 10 us on one thread.
const LONGEST: usize = 1 << 16;

/// A launch that takes longer on all threads is never tried on one. Unit: ticks of [`Moment`], 20 us. Source: those that begin on the caller
/// go to all threads then.
const LONG: u64 = OPENS_AFTER;

/// The launches that are timed either way, at least, of which the fastest counts: the first ones fetch what they read.
const TRIALS: u8 = 4;

/// The time of the trials on all threads, at least. Unit: ticks of [`Moment`], 1 ms. Source: a worker that sleeps takes 30 us to begin, and
/// each thread must have its part of the memory in its cache (docs/benchmarks.md).
const SETTLED: u64 = 50 * OPENS_AFTER;

/// The launches after which a contest is held again. Source: some hundred trials cost less than a hundredth then.
const HELD_FOR: u16 = 32_768;

/// The number of records of a thread, a power of two.
const RECORDS: usize = 64;

/// The contest of one closure on this thread.
#[derive(Clone, Copy)]
struct Record {
    /// The closure and the size class of its launches: 0 for none.
    tag: u32,
    /// The trials so far on all threads, or on one after those, up to [`TRIALS`], and their time.
    trials: u8,
    spent: u64,
    /// Whether the caller has its trials.
    alone: bool,
    /// The launches before the next contest.
    left: u16,
    /// The least times on all threads and on one. Unit: ticks of [`Moment`].
    best: [u64; 2],
}

const NONE: Record = Record { tag: 0, trials: 0, spent: 0, alone: false, left: 0, best: [u64::MAX; 2] };

thread_local! {
    static RECORD: [Cell<Record>; RECORDS] = const { [const { Cell::new(NONE) }; RECORDS] };
}

/// The way of one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Whether it runs on the caller alone.
    pub(super) alone: bool,
    tag: u32,
    begun: Option<Moment>,
}

impl Way {
    /// That of a launch of `n` iterations of the closure with this history; `None` if it has no contest: it runs on all threads.
    #[inline]
    pub(super) fn of(history: History, n: usize) -> Option<Self> {
        if !(BREAK_EVEN..LONGEST).contains(&n) || environment::opens() != Opens::ByTime || is_forced() {
            return None;
        }
        if is_tuning() || in_kernel() {
            return None;
        }
        // Launches of other sizes have records of their own.
        let tag = history.tag() ^ n.ilog2() << 8;
        let record = get(tag);
        if record.tag != tag || record.left == 0 {
            return Some(Self::trial(tag, record));
        }
        let alone = record.best[1] < record.best[0];
        // After the last one, another contest.
        set(tag, if record.left > 1 { Record { left: record.left - 1, ..record } } else { NONE });
        Some(Self { alone, tag, begun: None })
    }

    /// A launch that is timed.
    #[cold]
    fn trial(tag: u32, record: Record) -> Self {
        Self { alone: record.tag == tag && record.alone, tag, begun: Some(Moment::now()) }
    }

    /// The launch has ended.
    #[inline]
    pub(super) fn end(self) {
        if let Some(begun) = self.begun {
            self.record(begun.elapsed());
        }
    }

    #[cold]
    fn record(self, elapsed: u64) {
        let before = get(self.tag);
        let mut record = if before.tag == self.tag { before } else { Record { tag: self.tag, ..NONE } };
        let best = &mut record.best[usize::from(self.alone)];
        *best = elapsed.min(*best);
        record.trials = (record.trials + 1).min(TRIALS);
        record.spent = record.spent.saturating_add(elapsed);
        if record.trials == TRIALS && (self.alone || record.spent >= SETTLED) {
            // Without trials, the caller is not faster.
            let alone = !self.alone && record.best[0] <= LONG;
            let left = if alone { 0 } else { HELD_FOR };
            record = Record { tag: self.tag, best: record.best, alone, left, ..NONE };
        }
        set(self.tag, record);
    }
}

/// The number of the record of a tag.
fn number(tag: u32) -> usize {
    tag as usize >> 10 & (RECORDS - 1)
}

fn get(tag: u32) -> Record {
    RECORD.with(|records| records[number(tag)].get())
}

fn set(tag: u32, record: Record) {
    RECORD.with(|records| records[number(tag)].set(record));
}

#[cfg(test)]
mod tests {
    use super::super::opening::tests::opening_after;
    use super::*;

    fn history() -> History {
        History::of_function(get as *const ())
    }

    /// The launches out of `number` of `n` iterations that run on the caller, and those that are timed, if they take so long on all threads and
    /// on one.
    fn launches(number: usize, n: usize, elapsed: [u64; 2]) -> [usize; 2] {
        let mut count = [0; 2];
        for _ in 0..number {
            let Some(way) = Way::of(history(), n) else { continue };
            count[0] += usize::from(way.alone);
            if way.begun.is_some() {
                count[1] += 1;
                way.record(elapsed[usize::from(way.alone)]);
            }
        }
        count
    }

    const N: usize = 10_000;
    /// The trials on all threads, of launches that take [`LONG`], and on the caller.
    const SHARED: usize = (SETTLED / LONG) as usize;
    const ALONE: usize = TRIALS as usize;
    const ALL: usize = SHARED + ALONE;
    const HELD: usize = HELD_FOR as usize;

    #[test]
    fn the_faster_way_is_kept_for_a_while() {
        assert_eq!(launches(ALL, N, [LONG, LONG - 1]), [ALONE, ALL]);
        assert_eq!(launches(HELD, N, [0, 0]), [HELD, 0]);
        // The machine has changed.
        assert_eq!(launches(ALL, N, [LONG, LONG + 1]), [ALONE, ALL]);
        assert_eq!(launches(HELD, N, [0, 0]), [0, 0]);
        // Launches of another size are others.
        assert_eq!(launches(ALL + 1, 4 * N, [LONG, 1]), [ALONE + 1, ALL]);
        assert_eq!(launches(ALL + 1, N, [LONG, LONG]), [ALONE, ALL]);
    }

    #[test]
    fn the_least_time_counts() {
        for (number, elapsed) in [SETTLED, LONG, 9 * LONG, 8 * LONG].into_iter().enumerate() {
            assert_eq!(launches(1, N, [elapsed, 0]), [0, 1], "trial {number}");
        }
        assert_eq!(launches(ALONE, N, [0, LONG + 1]), [ALONE, ALONE]);
        assert_eq!(launches(9, N, [0, 0]), [0, 0]);
    }

    #[test]
    fn few_trials_are_not_enough() {
        assert_eq!(launches(SHARED, N, [LONG - 1, 0]), [0, SHARED]);
        assert_eq!(launches(1, N, [LONG - 1, 0]), [0, 1]);
        assert_eq!(launches(1, N, [0, LONG]), [1, 1]);
        // A long time, and too few of them.
        assert_eq!(launches(ALONE - 1, 2 * N, [SETTLED, 0]), [0, ALONE - 1]);
        assert_eq!(launches(1, 2 * N, [LONG, 0]), [0, 1]);
        assert_eq!(launches(1, 2 * N, [0, 0]), [1, 1]);
    }

    #[test]
    fn long_launches_and_those_of_other_lengths_are_never_alone() {
        assert_eq!(launches(3 * HELD, N, [LONG + 1, 0])[0], 0);
        for n in [0, 1, BREAK_EVEN - 1, LONGEST, usize::MAX] {
            assert!(Way::of(history(), n).is_none(), "{n}");
        }
        opening_after(usize::MAX, || assert!(Way::of(history(), N).is_none()));
    }
}
