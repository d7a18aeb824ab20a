//! Launches of medium length: on the caller alone or on all threads, whichever has been faster.
//!
//! Some ten thousand cheap iterations take about as long as waking a thread, waiting for it, and moving the lines of memory that it writes.
//! Which of both is faster depends on the machine and on the loop. So each thread times the first launches of a closure either way, and
//! keeps to the faster way for the next ones. Launches that take long on all threads are not tried on one, and those on one are timed now and
//! then: if they have become long, another contest is held.
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

/// Of the launches on one thread one among so many is timed, and a contest held again if it took [`LONGER`] times as long as before. A power
/// of two. Source: two looks at the clock cost 1 ns a launch then.
const CONFIRMED_EVERY: u16 = 64;

/// See [`CONFIRMED_EVERY`]. Source: estimated: other work on the machine makes few launches that long.
const LONGER: u64 = 4;

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
    /// Whether the time is that of a launch after a contest.
    confirms: bool,
}

impl Way {
    /// That of a launch of `n` iterations of the closure with this history on a space of so many threads; `None` if it has no contest: it
    /// runs on all of them.
    #[inline]
    pub(super) fn of(history: History, threads: usize, n: usize) -> Option<Self> {
        if !(BREAK_EVEN..LONGEST).contains(&n) || environment::opens() != Opens::ByTime || is_forced() {
            return None;
        }
        if is_tuning() || in_kernel() {
            return None;
        }
        // Launches of other sizes and on other spaces have other records.
        let tag = history.tag() ^ n.ilog2() << 8 ^ (threads as u32) << 16;
        let record = get(tag);
        if record.tag != tag || record.left == 0 {
            return Some(Self::trial(tag, record));
        }
        let alone = record.best[1] < record.best[0];
        // After the last one, another contest.
        set(tag, if record.left > 1 { Record { left: record.left - 1, ..record } } else { NONE });
        let confirms = alone && record.left.is_multiple_of(CONFIRMED_EVERY);
        Some(Self { alone, tag, begun: confirms.then(Moment::now), confirms })
    }

    /// The same way for another part of the launch, which is not timed.
    pub(super) fn again(self) -> Self {
        Self { begun: None, ..self }
    }

    /// A launch that is timed.
    #[cold]
    fn trial(tag: u32, record: Record) -> Self {
        Self { alone: record.tag == tag && record.alone, tag, begun: Some(Moment::now()), confirms: false }
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
        if self.confirms {
            if before.tag == self.tag && elapsed / LONGER > before.best[1] {
                set(self.tag, NONE);
            }
            return;
        }
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
            let Some(way) = Way::of(history(), 2, n) else { continue };
            count[0] += usize::from(way.alone);
            if way.begun.is_some() {
                count[1] += usize::from(!way.confirms);
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
        assert_eq!(launches(HELD, N, [0, LONGER * (LONG - 1)]), [HELD, 0]);
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
    fn a_closure_that_becomes_long_has_another_contest_soon() {
        assert_eq!(launches(ALL + 100, N, [LONG, LONG / 2]), [ALONE + 100, ALL]);
        assert_eq!(Way::of(history(), 3, N).map(|way| way.alone), Some(false), "another space");
        let [alone, _] = launches(1000, N, [LONG, LONG * (LONGER + 1)]);
        assert!(alone <= usize::from(CONFIRMED_EVERY) + ALONE, "{alone} launches are long");
        // And is alone no more.
        assert_eq!(launches(1000, N, [LONG, 1])[0], 0);
    }

    #[test]
    fn long_launches_and_those_of_other_lengths_are_never_alone() {
        assert_eq!(launches(3 * HELD, N, [LONG + 1, 0])[0], 0);
        for n in [0, 1, BREAK_EVEN - 1, LONGEST, usize::MAX] {
            assert!(Way::of(history(), 2, n).is_none(), "{n}");
        }
        opening_after(usize::MAX, || assert!(Way::of(history(), 2, N).is_none()));
    }
}
