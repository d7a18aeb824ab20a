//! Launches of medium length: on the caller alone or on all threads, whichever has been faster.
//!
//! Some ten thousand cheap iterations take about as long as waking a thread, waiting for it, and moving the lines of memory that it writes.
//! Which of both is faster depends on the machine and on the loop. So each thread times the first launches of a closure either way, and
//! keeps to the faster way for the next ones. Launches that take long on all threads are not tried on one, and those on one are timed now and
//! then: if they have become long, another contest is held.
//!
//! Launches of fewer iterations that are known to last have a contest too, as long as the other threads are awake: the looks at the clock, and
//! the time in which the caller is alone before the first of them, take half a microsecond and more (`opening.rs`). The other way is the one that
//! they would have without a contest: they begin on the caller, so one that lasts longer than the others opens.
//!
//! The contest decides only which thread runs an iteration.

use core::cell::Cell;

use super::chunks::{BREAK_EVEN, UNITS_OF_SHORT, UNITS_PER_THREAD};
use super::history::History;
use super::opening::{OPENS_AFTER, is_forced};
use super::{HostThreads, Readiness};
use crate::environment::{self, Opens};
use crate::moment::Moment;
use crate::threads::kernel_scope::in_kernel;
use crate::tools::is_tuning;

/// Longer launches have no contest. Unit: iterations. Source: that number of the cheapest, sums of `f32`, take 5 us on one thread.
const LONGEST: usize = 1 << 17;

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

/// Of the launches on one thread, and of short ones on all, one among so many is timed, and a contest held again if it took [`LONGER`] times as
/// long as before. A power of two. Source: two looks at the clock cost 1 ns a launch then.
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
    /// Whether it runs on the caller alone, or begins there if it has few iterations.
    pub(super) alone: bool,
    tag: u32,
    begun: Option<Moment>,
    /// Whether the time is that of a launch after a contest.
    confirms: bool,
    /// Whether launches on all threads take so little time that each thread has few units: a unit takes some 30 ns by itself.
    is_short: bool,
    /// The history that the time of a launch of few items goes into, and their number, if it runs on the caller and is not timed otherwise.
    few: Option<(History, usize)>,
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
        Some(Self::next(history, threads, n))
    }

    /// That of a launch of `n` items, fewer than would be distributed from the beginning; `None` if it has no contest: it begins on the caller.
    pub(super) fn of_few(history: History, space: &dyn HostThreads, n: usize) -> Option<Self> {
        if !history.lasts(n) || in_kernel() {
            return None;
        }
        if space.readiness() != Readiness::Awake {
            return None;
        }
        if environment::opens() != Opens::ByTime || is_forced() || is_tuning() {
            return None;
        }
        Some(Self { few: Some((history, n)), ..Self::next(history, space.threads(), n) })
    }

    /// That of the next launch.
    fn next(history: History, threads: usize, n: usize) -> Self {
        // Launches of other sizes and on other spaces have other records.
        let tag = history.tag() ^ n.ilog2() << 8 ^ (threads as u32) << 16;
        let record = get(tag);
        if record.tag != tag || record.left == 0 {
            return Self::trial(tag, record);
        }
        let (alone, is_short) = (record.best[1] < record.best[0], record.best[0] <= LONG);
        // After the last one, another contest.
        set(tag, if record.left > 1 { Record { left: record.left - 1, ..record } } else { NONE });
        let confirms = (alone || is_short) && record.left.is_multiple_of(CONFIRMED_EVERY);
        Self { alone, tag, begun: confirms.then(Moment::now), confirms, is_short, few: None }
    }

    /// The units of each thread, if the launch goes to all of them.
    #[inline(always)]
    pub(super) fn units_per_thread(self) -> usize {
        if self.is_short { UNITS_OF_SHORT } else { UNITS_PER_THREAD }
    }

    /// The same way for a launch that is timed for its history already.
    pub(super) fn timed_otherwise(self) -> Self {
        Self { few: None, ..self }
    }

    /// The same way for another part of the launch, which is not timed.
    pub(super) fn again(self) -> Self {
        Self { begun: None, ..self }
    }

    /// A launch that is timed.
    #[cold]
    fn trial(tag: u32, record: Record) -> Self {
        let is_this = record.tag == tag;
        let (alone, is_short) = (is_this && record.alone, is_this && record.best[0] <= LONG);
        Self { alone, tag, begun: Some(Moment::now()), confirms: false, is_short, few: None }
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
        // The history hears of it, so that a closure that has become brief has no further contest.
        if let Some((history, n)) = self.few.filter(|_| self.alone) {
            history.record(n, elapsed);
        }
        let before = get(self.tag);
        if self.confirms {
            if before.tag == self.tag && elapsed / LONGER > before.best[usize::from(self.alone)] {
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
pub(super) mod tests {
    use super::super::history::BRIEF;
    use super::super::opening::tests::{Two, opening_after};
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
    fn a_closure_that_is_short_on_all_threads_and_becomes_long_has_another_contest_soon() {
        let is_short = || Way::of(history(), 2, N).is_some_and(|way| way.is_short);
        assert!(!is_short(), "its time is unknown");
        assert_eq!(launches(2 * SHARED + ALONE, N, [LONG / 2, LONG]), [ALONE, 2 * SHARED + ALONE]);
        assert!(is_short());
        let long = LONG * (LONGER + 1);
        let [alone, timed] = launches(1000, N, [long, 0]);
        assert_eq!((alone, timed), (0, (SETTLED / long) as usize));
        assert!(!is_short());
    }

    /// The launches out of `number` of [`FEW`] items that run on the caller, and those that have no contest, if they take so long on all threads
    /// and on one.
    fn few(number: usize, elapsed: [u64; 2]) -> [usize; 2] {
        let mut count = [0; 2];
        for _ in 0..number {
            match Way::of_few(history(), &Two(Readiness::Awake), FEW) {
                None => count[1] += 1,
                Some(way) => {
                    count[0] += usize::from(way.alone);
                    if way.begun.is_some() {
                        way.record(elapsed[usize::from(way.alone)]);
                    }
                }
            }
        }
        count
    }

    pub(in crate::host) const FEW: usize = 1000;

    /// A closure whose launches of [`FEW`] items have had a contest, in which it was faster to begin on the caller.
    pub(in crate::host) fn faster_from_the_caller() -> History {
        history().record(FEW, 2 * BRIEF);
        few(ALL + ALONE, [LONG, LONG - 1]);
        assert!(Way::of_few(history(), &Two(Readiness::Awake), FEW).is_some_and(|way| way.alone));
        history()
    }

    /// Ends the first contest of launches of `n` iterations of this closure, in favour of the caller or of all threads.
    pub(in crate::host) fn decide(history: History, n: usize, alone: bool) {
        let elapsed = [LONG, if alone { LONG - 1 } else { LONG }];
        let trial = || Way::of(history, 2, n).filter(|way| way.begun.is_some());
        while let Some(way) = trial() {
            way.record(elapsed[usize::from(way.alone)]);
        }
    }

    #[test]
    fn few_iterations_that_last_have_a_contest_where_other_threads_are_awake() {
        let way = |readiness, n| Way::of_few(history(), &Two(readiness), n).map(|way| way.alone);
        assert_eq!(way(Readiness::Awake, FEW), None, "their time is unknown");
        history().record(FEW, 2 * BRIEF);
        assert_eq!(way(Readiness::Awake, FEW), Some(false));
        assert_eq!(way(Readiness::Awake, FEW / 2), None, "half as many are brief");
        assert_eq!(way(Readiness::Awake, FEW / 2 + 1), Some(false));
        assert_eq!([Readiness::Asleep, Readiness::Unknown].map(|readiness| way(readiness, FEW)), [None; 2]);
        opening_after(usize::MAX, || assert_eq!(way(Readiness::Awake, FEW), None));
        let scope = crate::threads::kernel_scope::KernelScope::enter();
        assert_eq!(way(Readiness::Awake, FEW), None, "in a kernel");
        drop(scope);
        assert_eq!(few(ALL + 1000, [LONG, LONG - 1]), [ALONE + 1000, 0]);
    }

    #[test]
    fn few_iterations_on_all_threads_stay_there() {
        history().record(FEW, 2 * LONG);
        assert_eq!(few(ALL + 1000, [LONG, LONG + 1]), [ALONE, 0]);
    }

    #[test]
    fn few_iterations_that_are_long_on_all_threads_are_not_tried_on_one() {
        history().record(FEW, 2 * LONG);
        assert_eq!(few(3 * ALL, [LONG + 1, 0]), [0, 0]);
    }

    #[test]
    fn few_iterations_that_become_brief_have_no_more_contests() {
        history().record(FEW, 2 * LONG);
        assert_eq!(few(SHARED + 1, [LONG, BRIEF]), [1, 0]);
        assert_eq!(few(10, [LONG, BRIEF]), [0, 10]);
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
