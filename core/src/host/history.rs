//! The short launches of a closure: if the last ones were short, the next one runs on the calling thread without a look at the clock.
//!
//! The looks of `opening.rs` take as long as some hundred cheap iterations. So each thread keeps a record of the closures that it has
//! launched over few items. After two launches that were short, most of the next ones have no looks, or a larger first piece; one in 32,
//! later one in 128, is timed as a whole, or has looks if it is longer, and confirms the record. A closure whose launches turn out to be long
//! after all is looked at for twice as many launches as the last time: so the launches that should have been distributed and were not become few, regardless of the order in which
//! short and long ones follow.
//!
//! The record decides only which thread runs an iteration.

use core::cell::Cell;
use core::hash::{Hash, Hasher};

use super::chunks::BREAK_EVEN_OF_SUMS;
use super::opening::{LEFT_FOR_AWAKE, MAX_PIECE, OPENS_AFTER, is_forced};
use crate::environment::{self, Opens};
use crate::launch_state::LaunchState;

/// One launch among so many is timed. Unit: launches. Source: two looks take 20 to 70 ns (docs/benchmarks.md), and the branches to
/// them are mispredicted, so that each launch takes 1 to 3 ns for them.
const TIMED_EVERY: u8 = 32;

/// Each launch that is timed and short doubles that number, so many times at most: 128. Source: with 32, a sum of 100 elements takes 4 ns
/// more on `Threads` than on `Serial` (docs/benchmarks.md).
const MAX_CONFIRMATIONS: u8 = 2;

/// A launch that is expected to take longer has looks. Unit: ticks, 5 us. Source: a quarter of the time after which a launch opens.
const SHORT: u64 = OPENS_AFTER / 4;

/// Launches that are expected to take longer may gain from threads that are awake: `contest.rs` times them on all threads and on one. Unit:
/// ticks, 1 us. Source: two threads that share a cache take 1.1 us for a launch of 1.1 us and 1.2 for one of 1.4 (docs/benchmarks.md).
pub(super) const BRIEF: u64 = OPENS_AFTER / 20;

/// The most items of a launch without looks, if they are so cheap that all of them take [`LEFT_FOR_AWAKE`]. Unit: items. Source: from
/// so many on no launch begins on the caller.
const MAX_ALONE: usize = BREAK_EVEN_OF_SUMS;

/// The maximum of [`Record::doublings`].
const MAX_DOUBLINGS: u8 = 20;

/// The number of records of a thread, a power of two.
const RECORDS: usize = 64;

/// The launches of one closure on this thread.
#[derive(Clone, Copy)]
struct Record {
    /// The closure: 0 for none.
    tag: u32,
    /// The number of launches that have looks before the first that has none.
    looks_left: u32,
    /// The maximum number of items of a launch without looks.
    items: u16,
    /// The maximum number of items of a launch that takes [`BRIEF`].
    brief: u16,
    /// The number of launches without looks before the next that has them.
    unlooked: u8,
    /// The number of times that `looks_left` was doubled, because a launch was long after others had been short.
    doublings: u8,
    /// The number of times that launches without looks have been confirmed to be short, at most [`MAX_CONFIRMATIONS`].
    confirmations: u8,
}

impl Record {
    const NONE: Self =
        Self { tag: 0, looks_left: 1, items: 0, brief: 0, unlooked: 0, doublings: 0, confirmations: 0 };

    /// The record after a launch of `n` items that took `elapsed` ticks.
    fn after(mut self, n: usize, elapsed: u64) -> Self {
        let was_short = self.items > 0;
        let within =
            |ticks: u64| (ticks.saturating_mul(n as u64) / elapsed.max(1)).min(MAX_ALONE as u64) as usize;
        let items = within(SHORT).min(within(LEFT_FOR_AWAKE).max(MAX_PIECE));
        self.items = items as u16;
        self.brief = within(BRIEF) as u16;
        self.unlooked = 0;
        // Of a launch of many items, as many as may follow one another without a look.
        let of_a_piece = if n > MAX_PIECE { elapsed / n as u64 * MAX_PIECE as u64 } else { elapsed };
        if of_a_piece >= OPENS_AFTER {
            self.items = 0;
            if was_short {
                self.doublings = (self.doublings + 1).min(MAX_DOUBLINGS);
            }
            self.looks_left = 1 << self.doublings;
            self.confirmations = 0;
        } else if self.looks_left > 0 {
            self.looks_left -= 1;
        } else {
            self.unlooked = (TIMED_EVERY << self.confirmations) - 1;
            self.confirmations = (self.confirmations + 1).min(MAX_CONFIRMATIONS);
        }
        self
    }
}

/// How a launch of few items begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// The caller runs all of it. `timed`: its time goes into the history.
    Alone { timed: bool },
    /// The caller begins it, without looks at the clock in its first `unlooked` items. If there are none, its time goes into the
    /// history.
    Looks { unlooked: usize },
}

/// The launches of a closure, by the last one that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    Unknown,
    Short,
    Long,
}

thread_local! {
    static RECORD: [Cell<Record>; RECORDS] = const { [const { Cell::new(Record::NONE) }; RECORDS] };
}

/// The launches of one closure, by the types of the loops around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct History {
    slot: usize,
    tag: u32,
}

impl History {
    /// The launches whose loop is a `T`.
    #[inline(always)]
    pub(super) fn of<T>() -> Self {
        let mut hash = Low(0);
        typeid::of::<T>().hash(&mut hash);
        Self { slot: hash.0 as usize % RECORDS, tag: (hash.0 >> 32) as u32 | 1 }
    }

    /// The launches of a closure, by a function that is compiled for it alone.
    #[inline]
    #[cfg_attr(spelt_vector_loops, allow(dead_code, reason = "for loops that are not optimised"))]
    pub(super) fn of_function(function: *const ()) -> Self {
        // The bits of an address that differ come first.
        let hash = (function as usize as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self { slot: (hash >> 58) as usize % RECORDS, tag: (hash >> 26) as u32 | 1 }
    }

    /// A number that tells the closure apart from most others.
    pub(super) fn tag(self) -> u32 {
        self.tag
    }

    /// How a launch of `n` items begins.
    #[inline(always)]
    pub(super) fn beginning(self, n: usize) -> Beginning {
        let opens = environment::opens();
        if is_forced() || opens == Opens::AtOnce {
            return Beginning::Looks { unlooked: 0 };
        }
        if opens == Opens::Never {
            return Beginning::Alone { timed: false };
        }
        // That of most launches; the rest is not inlined.
        if self.is_short(n) { Beginning::Alone { timed: false } } else { self.unusual_beginning(n) }
    }

    /// Whether a launch of `n` items begins as [`Beginning::Alone`], untimed, given the [usual](LaunchState::is_usual) facts of the process:
    /// because the ones before were short, or it would never open.
    #[inline(always)]
    pub(super) fn goes_alone(self, state: LaunchState, n: usize) -> bool {
        !is_forced() && (state.has(LaunchState::NEVER_OPENS) || self.is_short(n))
    }

    /// [`goes_alone`](Self::goes_alone) of a launch that may have a contest where other threads are awake: if it is known to be brief.
    #[inline(always)]
    pub(super) fn goes_alone_briefly(self, state: LaunchState, n: usize) -> bool {
        let is_brief = n <= usize::from(self.cell().get().brief);
        !is_forced() && (state.has(LaunchState::NEVER_OPENS) || is_brief && self.is_short(n))
    }

    /// The outlook for the closure's next launch.
    pub(super) fn outlook(self) -> Outlook {
        match self.cell().get() {
            before if before.tag != self.tag => Outlook::Unknown,
            before if before.items > 0 => Outlook::Short,
            _ => Outlook::Long,
        }
    }

    /// Whether the launches before tell that one of `n` items is not brief.
    pub(super) fn lasts(self, n: usize) -> bool {
        let before = self.cell().get();
        before.tag == self.tag && n > usize::from(before.brief)
    }

    /// Whether a launch of `n` items begins as [`Beginning::Alone`], untimed, where time decides.
    #[inline(always)]
    pub(super) fn is_short(self, n: usize) -> bool {
        let record = self.cell();
        let before = record.get();
        let is_short = before.tag == self.tag && before.unlooked > 0 && n <= usize::from(before.items);
        if is_short {
            record.set(Record { unlooked: before.unlooked - 1, ..before });
        }
        is_short
    }

    /// [`beginning`](Self::beginning) of a launch that is timed, or begins with looks or without them.
    #[cold]
    #[inline(never)]
    fn unusual_beginning(self, n: usize) -> Beginning {
        let record = self.cell();
        let before = record.get();
        let items = usize::from(before.items);
        if before.tag != self.tag || before.looks_left > 0 || items == 0 {
            return Beginning::Looks { unlooked: 0 };
        }
        if n <= items {
            return Beginning::Alone { timed: true };
        }
        if before.unlooked == 0 || items < MAX_PIECE {
            return Beginning::Looks { unlooked: 0 };
        }
        record.set(Record { unlooked: before.unlooked - 1, ..before });
        Beginning::Looks { unlooked: MAX_PIECE }
    }

    /// The record of this thread.
    #[inline(always)]
    fn cell(&self) -> &Cell<Record> {
        let records = RECORD.with(core::ptr::from_ref);
        // SAFETY: they are constant at first and need not be dropped, so they exist until the thread ends, which is the one that runs this:
        // the reference is not sent, as it does not outlive a method of this module, and cells are not `Sync`.
        let records = unsafe { &*records };
        &records[self.slot]
    }

    /// Records that a launch of `n` items that was timed, or had looks from the beginning, took `elapsed` ticks of all of its threads together.
    #[cold]
    #[inline(never)]
    pub(super) fn record(self, n: usize, elapsed: u64) {
        let record = self.cell();
        let before = record.get();
        let before = if before.tag == self.tag { before } else { Record { tag: self.tag, ..Record::NONE } };
        record.set(before.after(n, elapsed));
    }
}

/// The hash that a `TypeId` is.
struct Low(u64);

impl Hasher for Low {
    #[inline(always)]
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::opening::tests::opening_after;
    use super::*;

    const ONE: History = History { slot: 3, tag: 5 };

    /// The launches out of `number` of `n` items that are not timed, if each takes `elapsed`.
    fn unlooked(history: History, number: usize, n: usize, elapsed: u64) -> usize {
        let launch = |_: &usize| match history.beginning(n) {
            Beginning::Alone { timed: false } => true,
            Beginning::Looks { unlooked: 1.. } => false,
            Beginning::Alone { timed: true } | Beginning::Looks { unlooked: 0 } => {
                history.record(n, elapsed);
                false
            }
        };
        (0..number).filter(launch).count()
    }

    const UNTIMED: usize = TIMED_EVERY as usize - 1;
    const UNTIMED_THEN: usize = 2 * TIMED_EVERY as usize - 1;
    const UNTIMED_AT_LAST: usize = 4 * TIMED_EVERY as usize - 1;
    const ALONE: Beginning = Beginning::Alone { timed: false };
    const TIMED: Beginning = Beginning::Alone { timed: true };
    const LOOKS: Beginning = Beginning::Looks { unlooked: 0 };
    const LOOKS_LATER: Beginning = Beginning::Looks { unlooked: MAX_PIECE };

    #[test]
    fn few_short_launches_are_timed_after_the_first_two() {
        assert_eq!(unlooked(ONE, 2, 100, 500), 0);
        assert_eq!(unlooked(ONE, UNTIMED, 100, 500), UNTIMED);
        // On the caller: other threads may sleep, and a launch that wakes them is not short.
        assert_eq!(ONE.beginning(100), TIMED);
        assert_eq!(unlooked(ONE, 1, 100, 500), 0);
        assert_eq!(unlooked(ONE, UNTIMED_THEN, 100, 500), UNTIMED_THEN);
        assert_eq!(unlooked(ONE, 10 * (1 + UNTIMED_AT_LAST), 100, 500), 10 * UNTIMED_AT_LAST);
        let other = History { slot: 4, tag: 5 };
        assert_eq!(unlooked(other, 2, 100, 500), 0);
        assert_eq!(unlooked(ONE, 1 + UNTIMED_AT_LAST, 100, 500), UNTIMED_AT_LAST);
        // Another closure in the same place begins from the beginning.
        let other = History { slot: 3, tag: 7 };
        assert_eq!(unlooked(other, 3, 100, 500), 1);
        assert_eq!(unlooked(ONE, 3, 100, 500), 1);
    }

    #[test]
    fn the_outlook_is_that_of_the_last_launch() {
        let history = History { slot: 7, tag: 9 };
        assert_eq!(history.outlook(), Outlook::Unknown);
        for (elapsed, outlook) in
            [(500, Outlook::Short), (OPENS_AFTER, Outlook::Long), (OPENS_AFTER - 1, Outlook::Short)]
        {
            history.record(100, elapsed);
            assert_eq!(history.outlook(), outlook, "{elapsed} ticks");
        }
        // Many cheap iterations are short, however long all of them take.
        history.record(8000, 8 * OPENS_AFTER - 8000);
        assert_eq!(history.outlook(), Outlook::Short);
        assert_eq!(History { slot: 7, tag: 11 }.outlook(), Outlook::Unknown);
    }

    #[test]
    fn closures_are_told_apart_also_if_they_capture_references() {
        fn of<T>(_: &T) -> u32 {
            History::of::<T>().tag
        }
        let number = 1;
        let (one, other) = (|| &number, || &number);
        assert_eq!(of(&one), of(&one));
        assert_ne!(of(&one), of(&other));
        assert_eq!(one(), other());
    }

    #[test]
    fn functions_are_told_apart() {
        let [one, other]: [fn() -> u8; 2] = [|| 1, || 2];
        let of = |function: fn() -> u8| {
            let History { slot, tag } = History::of_function(function as *const ());
            assert!(slot < RECORDS && tag != 0);
            (slot, tag)
        };
        assert_eq!(of(one), of(one));
        assert_ne!(of(one), of(other));
    }

    #[test]
    fn launches_of_more_items_than_are_known_to_be_short_have_looks() {
        // As many items as take 5 us.
        assert_eq!(unlooked(ONE, 3, 100, SHORT / 2), 1);
        assert_eq!([ONE.beginning(201), ONE.beginning(200)], [LOOKS, ALONE]);
        // Of more items than may follow one another without a look, as many as take 2 us.
        let cheap = History { slot: 0, tag: 1 };
        assert_eq!(unlooked(cheap, 3, 100, LEFT_FOR_AWAKE / 10), 1);
        assert_eq!(
            [1, 1000, 1001, 8000].map(|n| cheap.beginning(n)),
            [ALONE, ALONE, LOOKS_LATER, LOOKS_LATER]
        );
        let less_cheap = History { slot: 1, tag: 1 };
        assert_eq!(unlooked(less_cheap, 3, 100, LEFT_FOR_AWAKE / 5), 1);
        assert_eq!([MAX_PIECE, MAX_PIECE + 1].map(|n| less_cheap.beginning(n)), [ALONE, LOOKS_LATER]);
        let cheapest = History { slot: 2, tag: 1 };
        assert_eq!(unlooked(cheapest, 3, 100, 1), 1);
        assert_eq!([MAX_ALONE, MAX_ALONE + 1].map(|n| cheapest.beginning(n)), [ALONE, LOOKS_LATER]);
        let medium = History { slot: RECORDS - 1, tag: 1 };
        assert_eq!(unlooked(medium, 100, 100, SHORT + SHORT / 50), 0);
    }

    #[test]
    fn a_closure_that_is_long_now_and_then_is_looked_at_ever_longer() {
        for times in 1..=8 {
            assert!(unlooked(ONE, 1000, 64, 200) > 0);
            // Long until a launch has looks.
            assert!(unlooked(ONE, 1 + UNTIMED_AT_LAST, 64, 2 * OPENS_AFTER) <= UNTIMED_AT_LAST);
            // Twice as many launches as the last time.
            assert_eq!(unlooked(ONE, 1 << times, 64, 200), 0);
            assert_eq!(unlooked(ONE, 2 + UNTIMED, 64, 200), UNTIMED);
        }
    }

    #[test]
    fn brief_launches_go_alone_and_longer_ones_are_known_to_last() {
        let facts = LaunchState::READ;
        assert!(!ONE.lasts(1) && !ONE.goes_alone_briefly(facts, 1), "nothing is known");
        // As many items as take 1 us; the third launch is the first that is not timed.
        assert_eq!(unlooked(ONE, 3, 100, BRIEF / 2), 1);
        let brief = |n| ONE.goes_alone_briefly(facts, n);
        assert_eq!([200, 201].map(brief), [true, false]);
        assert_eq!([200, 201].map(|n| ONE.lasts(n)), [false, true]);
        // Where no threads are awake, longer ones go alone too.
        assert!(ONE.goes_alone(facts, 400));
        let other = History { slot: 3, tag: 7 };
        assert!(!other.lasts(1000) && !other.goes_alone_briefly(facts, 1));
        assert!(other.goes_alone_briefly(LaunchState::NEVER_OPENS, 1_000_000));
        opening_after(usize::MAX, || assert!(!brief(1)));
    }

    #[test]
    fn many_short_items_are_not_a_long_launch() {
        assert_eq!(unlooked(ONE, 100, 8000, 2 * OPENS_AFTER), 0);
        assert!(matches!(ONE.beginning(MAX_PIECE), Beginning::Alone { .. }));
        assert_eq!(unlooked(ONE, 1 + UNTIMED_AT_LAST, 8000, 8000 * (OPENS_AFTER / 500)), 0);
        assert_eq!(ONE.beginning(1), LOOKS);
    }

    #[test]
    fn a_closure_that_is_always_long_is_always_looked_at() {
        assert_eq!(unlooked(ONE, 100, 64, OPENS_AFTER), 0);
        // And has not been doubted: it may turn out to be short.
        assert_eq!(unlooked(ONE, 3 + UNTIMED, 64, 200), UNTIMED);
    }

    #[test]
    fn forced_looks_are_made() {
        assert_eq!(unlooked(ONE, 3, 100, 500), 1);
        opening_after(usize::MAX, || assert_eq!(ONE.beginning(1), LOOKS));
        assert_eq!(ONE.beginning(1), ALONE);
    }
}
