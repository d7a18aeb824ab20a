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

/// Whether an installed tool needs shares.
static WANTED: AtomicBool = AtomicBool::new(false);

/// Whether one needs those of all launches.
static ALL: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The shares of the innermost launch that tools have been told of and that this thread has begun.
    static COLLECTED: RefCell<Option<Vec<Share>>> = const { RefCell::new(None) };
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

/// Whether the shares of this thread's next launch are collected where a tool needs those of some: its first ones, and one in sixteen of
/// the later ones, at irregular distances, so that each of several launches in turn is among them.
fn is_one_of_some() -> bool {
    const FIRST: u32 = 64;
    let launch = LAUNCHES.get().wrapping_add(1);
    LAUNCHES.set(launch);
    // Fibonacci hashing (Knuth 1973): the upper bits of the product are evenly distributed.
    launch <= FIRST || launch.wrapping_mul(0x9e37_79b9) >> 28 == 0
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
    Outer(COLLECTED.try_with(|before| before.replace(collected)).unwrap_or(None))
}

/// A launch begins on this thread. Its end must be told by [`end`].
pub(super) fn begin() -> Option<Outer> {
    if !are_shares_wanted() {
        return None;
    }
    let is_collected = ALL.load(Ordering::Relaxed) || is_one_of_some();
    // Where nothing is collected before nor now, there is nothing to keep.
    let is_any = is_collected || COLLECTED.try_with(|before| before.borrow().is_some()).unwrap_or(false);
    is_any.then(|| replace(is_collected.then(Vec::new)))
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
    if COLLECTED.try_with(|collected| collected.borrow().is_none()).unwrap_or(true) {
        return run(body);
    }
    let slots = (0..members).map(|_| CachePadded::new(Slot::default())).collect();
    let open = Open { opened: Instant::now(), slots };
    run(&|unit| {
        let _unit = open.slots.get(member()).map(|slot| slot.begin_unit(open.opened));
        body(unit);
    });
}

/// The place where a thread notes its units. No other thread uses it until all have ended.
///
/// Most units cost one look at the clock: a thread's share begins with its first unit, and ends with the unit that was its last so far.
#[derive(Debug, Default)]
struct Slot {
    /// The thread, and the beginning of its first unit.
    first: OnceLock<(Thread, Instant)>,
    number: AtomicU64,
    /// The end of the last unit, since the launch was opened. Unit: ns.
    end_ns: AtomicU64,
}

impl Slot {
    fn begin_unit(&self, opened: Instant) -> Unit<'_> {
        self.first.get_or_init(|| (thread::current(), Instant::now()));
        Unit { slot: self, opened }
    }
}

/// A unit under way; dropping it notes it, also where it panics. A thread of rayon may take one inside another, which then ends later.
struct Unit<'a> {
    slot: &'a Slot,
    opened: Instant,
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        let end_ns = u64::try_from(self.opened.elapsed().as_nanos()).unwrap_or(u64::MAX);
        // No other thread changes them, so no exchange is needed.
        self.slot.number.store(self.slot.number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.slot.end_ns.store(end_ns, Ordering::Relaxed);
    }
}

/// A launch that is distributed; dropping it adds the shares to those of the launch, also where it unwinds.
struct Open {
    opened: Instant,
    slots: Box<[CachePadded<Slot>]>,
}

impl Drop for Open {
    fn drop(&mut self) {
        let (opened, closed, members) = (self.opened, Instant::now(), self.slots.len());
        // The launch has waited for its threads, so what they have stored is seen.
        let shares = self.slots.iter_mut().enumerate().filter_map(|(member, slot)| {
            let (thread, begin) = slot.first.take()?;
            let (units, end_ns) = (*slot.number.get_mut(), *slot.end_ns.get_mut());
            let end = opened.checked_add(Duration::from_nanos(end_ns)).unwrap_or(closed);
            Some(Share { thread, members, member, units, opened, begin, end, closed })
        });
        COLLECTED.with_borrow_mut(|collected| {
            if let Some(collected) = collected {
                collected.extend(shares);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::is_one_of_some;

    #[test]
    fn some_launches_are_the_first_and_one_in_sixteen_of_each() {
        assert!((0..64).all(|_| is_one_of_some()));
        for of_how_many in 1..=8 {
            let mut counts = [0; 8];
            for launch in 0..1600 * of_how_many {
                counts[launch % of_how_many] += usize::from(is_one_of_some());
            }
            assert!(counts[..of_how_many].iter().all(|count| (50..150).contains(count)), "{counts:?}");
        }
    }
}
