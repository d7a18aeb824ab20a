//! The shares of host threads in a launch: who worked when, and who waited.
//!
//! A pool that distributes units wraps the launch's function in [`with_shares`], if a tool [needs
//! them](super::Tool::needs_shares); the pool's own protocol does not know of it. Each thread notes its own units. The thread that
//! launches keeps the shares of its innermost launch until its end, where tools get them with the event. A launch inside a kernel runs
//! on its caller and has none.

use core::time::Duration;
use std::cell::{Cell, RefCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Instant;

use crossbeam_utils::CachePadded;

use crate::moment::Moment;

/// Whether an installed tool needs shares.
static WANTED: AtomicBool = AtomicBool::new(false);

/// Whether one needs those of all launches.
static ALL: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The shares of the innermost launch that tools have been told of and that this thread has begun.
    static COLLECTED: RefCell<Option<Vec<Share>>> = const { RefCell::new(None) };
    /// Whether there are such: it is asked at each launch.
    static IS_COLLECTING: Cell<bool> = const { Cell::new(false) };
    /// The number of launches of this thread since a tool needed shares of some.
    static LAUNCHES: Cell<u32> = const { Cell::new(0) };
}

/// The share of one host thread in a launch: from its first unit to its last.
///
/// A launch has shares where it is distributed over threads: one for each thread that came, for each time it is distributed (a scan
/// may do so twice). A short launch runs on its caller alone and has none. The caller also runs the first iterations of others, before
/// [`opened`](Self::opened), which are in no share.
///
/// # Examples
/// The imbalance of a launch: the longest time that a thread worked, over the mean of all.
/// ```
/// use spelt_core::tools::{LaunchEvent, Tool};
/// struct Imbalance;
/// impl Tool for Imbalance {
///     fn needs_shares(&self) -> bool {
///         true
///     }
///     fn end_launch(&self, launch: &LaunchEvent<'_>, _: u64) {
///         let times: Vec<f64> = launch.shares().iter().map(|share| share.busy().as_secs_f64()).collect();
///         let mean = times.iter().sum::<f64>() / launch.shares().first().map_or(1.0, |share| share.members as f64);
///         println!("`{}`: {}", launch.label, times.iter().copied().fold(0.0, f64::max) / mean);
///     }
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Share {
    /// The thread.
    pub thread: Thread,
    /// The number of threads that could take units; those that took none have no share.
    pub members: usize,
    /// Its number among the threads of the space. In a pool of Spelt's, 0 is the thread that launches.
    pub member: usize,
    /// The number of units (pieces of the iterations, or one member of a team) that it ran.
    pub units: u64,
    /// The time from which all threads could take units.
    pub opened: Instant,
    /// The beginning of its first unit.
    pub begin: Instant,
    /// The end of its last unit.
    pub end: Instant,
    /// The time at which the last thread had ended.
    pub closed: Instant,
}

impl Share {
    /// The time from its first unit to the end of its last.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::tools::Share;
    /// fn percent(share: &Share) -> f64 {
    ///     let waited = share.closed.duration_since(share.end) + share.begin.duration_since(share.opened);
    ///     100.0 * share.busy().as_secs_f64() / (share.busy() + waited).as_secs_f64()
    /// }
    /// ```
    #[must_use]
    pub fn busy(&self) -> Duration {
        self.end.saturating_duration_since(self.begin)
    }
}

/// Has launches collect shares from now on: `all` of them, or some.
pub(super) fn want(all: bool) {
    if all {
        ALL.store(true, Ordering::Relaxed);
    }
    WANTED.store(true, Ordering::Relaxed);
}

/// Whether the shares of this thread's next launch are collected where a tool needs those of some: its first ones, and one in 32 of
/// the later ones, at irregular distances, so that each of several launches in turn is among them.
fn is_one_of_some() -> bool {
    const FIRST: u32 = 64;
    let launch = LAUNCHES.get().wrapping_add(1);
    LAUNCHES.set(launch);
    // Fibonacci hashing (Knuth 1973): the upper bits of the product are evenly distributed.
    launch <= FIRST || launch.wrapping_mul(0x9e37_79b9) >> 27 == 0
}

/// Whether a tool needs shares: one relaxed load.
#[inline(always)]
#[cfg_attr(not(any(feature = "threads", feature = "rayon")), allow(dead_code))]
pub(crate) fn are_shares_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// The shares of the launch around one that begins.
#[derive(Debug)]
pub(super) struct Outer(Option<Vec<Share>>);

/// Nothing is collected where a thread ends, and its variables are gone.
fn replace(collected: Option<Vec<Share>>) -> Outer {
    let is_any = collected.is_some();
    let before = COLLECTED.try_with(|before| before.replace(collected));
    IS_COLLECTING.set(is_any && before.is_ok());
    Outer(before.unwrap_or(None))
}

/// A launch begins on this thread. Its end must be told by [`end`].
pub(super) fn begin() -> Option<Outer> {
    if !are_shares_wanted() {
        return None;
    }
    let is_collected = ALL.load(Ordering::Relaxed) || is_one_of_some();
    // Where nothing is collected before nor now, there is nothing to keep.
    (is_collected || IS_COLLECTING.get()).then(|| replace(is_collected.then(Vec::new)))
}

/// The launch has ended: its shares.
pub(super) fn end(outer: Option<Outer>) -> Vec<Share> {
    outer.and_then(|outer| replace(outer.0).0).unwrap_or_default()
}

/// Lets `run` distribute `body` over `members` threads, and keeps the share of each. `member()` is the number of the thread that calls it.
#[cold]
#[inline(never)]
#[cfg_attr(not(any(feature = "threads", feature = "rayon")), allow(dead_code))]
pub(crate) fn with_shares(
    members: usize,
    member: fn() -> usize,
    body: &(dyn Fn(usize) + Sync),
    run: impl FnOnce(&(dyn Fn(usize) + Sync)),
) {
    if !IS_COLLECTING.get() {
        return run(body);
    }
    let slots = (0..members).map(|_| CachePadded::new(Slot::default())).collect();
    let open = Open { opened: Instant::now(), moment: Moment::now(), slots };
    run(&|unit| {
        let _unit = open.slots.get(member()).map(|slot| slot.begin_unit(open.moment));
        body(unit);
    });
}

/// The place where a thread notes its units. No other thread uses it until all have ended.
///
/// Most units cost one look at the processor's counter: a thread's share begins with its first unit, and ends with the unit that was
/// its last so far. The counter's ticks become times between two readings of the clock, when the launch has ended.
#[derive(Debug, Default)]
struct Slot {
    /// The thread, and the beginning of its first unit. Unit: ticks since the launch was opened.
    first: OnceLock<(Thread, u64)>,
    number: AtomicU64,
    /// The end of the last unit. Unit: ticks since the launch was opened.
    end: AtomicU64,
}

impl Slot {
    fn begin_unit(&self, opened: Moment) -> Unit<'_> {
        self.first.get_or_init(|| (thread::current(), opened.elapsed()));
        Unit { slot: self, opened }
    }
}

/// A unit under way; dropping it notes it, also where it panics. A thread of rayon may take one inside another, which then ends later.
struct Unit<'a> {
    slot: &'a Slot,
    opened: Moment,
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        let end = self.opened.elapsed();
        // No other thread changes them, so no exchange is needed.
        self.slot.number.store(self.slot.number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.slot.end.store(end, Ordering::Relaxed);
    }
}

/// A launch that is distributed; dropping it adds the shares to those of the launch, also where it unwinds.
struct Open {
    opened: Instant,
    /// The same time, as the processor's counter has it.
    moment: Moment,
    slots: Box<[CachePadded<Slot>]>,
}

impl Drop for Open {
    fn drop(&mut self) {
        let (opened, closed, members) = (self.opened, Instant::now(), self.slots.len());
        let (ticks, time) = (self.moment.elapsed(), closed.saturating_duration_since(opened));
        let at = |tick| opened.checked_add(part_of(time, tick, ticks)).unwrap_or(closed);
        // The launch has waited for its threads, so what they have stored is seen.
        let shares = self.slots.iter_mut().enumerate().filter_map(|(member, slot)| {
            let (thread, begin) = slot.first.take()?;
            let (units, begin, end) = (*slot.number.get_mut(), at(begin), at(*slot.end.get_mut()));
            Some(Share { thread, members, member, units, opened, begin, end, closed })
        });
        COLLECTED.with_borrow_mut(|collected| {
            if let Some(collected) = collected {
                collected.extend(shares);
            }
        });
    }
}

/// The time at `tick` of `ticks` that took `time`. Counters that are not synchronised may give a tick before or after all of them.
fn part_of(time: Duration, tick: u64, ticks: u64) -> Duration {
    // Half of the numbers are those below zero, since differences wrap around.
    let tick = if tick > u64::MAX / 2 { 0 } else { tick.min(ticks) };
    time.mul_f64(tick as f64 / ticks.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{is_one_of_some, part_of};

    #[test]
    fn ticks_are_parts_of_the_time_even_if_counters_differ() {
        let of = |tick| part_of(Duration::from_micros(10), tick, 20_000).as_nanos();
        assert_eq!([0, 2, 5_000, 20_000].map(of), [0, 1, 2_500, 10_000]);
        assert_eq!([20_001, 1 << 40, 0_u64.wrapping_sub(300)].map(of), [10_000, 10_000, 0]);
        assert_eq!(part_of(Duration::from_micros(10), 0, 0), Duration::ZERO);
    }

    #[test]
    fn some_launches_are_the_first_and_one_in_32_of_each() {
        assert!((0..64).all(|_| is_one_of_some()));
        for of_how_many in 1..=8 {
            let mut counts = [0; 8];
            for launch in 0..3200 * of_how_many {
                counts[launch % of_how_many] += usize::from(is_one_of_some());
            }
            assert!(counts[..of_how_many].iter().all(|count| (50..150).contains(count)), "{counts:?}");
        }
    }
}
