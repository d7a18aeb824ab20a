//! The beginning of a launch of few iterations: on the calling thread, until it has lasted long enough to make waking other threads
//! worthwhile.
//!
//! The number of iterations does not tell how long each takes. So the caller runs a small piece and looks at the clock, and again
//! after each further piece. When the launch has lasted for [`OPENS_AFTER`], the rest goes to all threads of the space. If they
//! are awake and much seems to be left, [`OPENS_FOR_AWAKE`] is enough. If they sleep, launches that follow one another closely wake them
//! (`succession.rs`).
//!
//! A look costs as much as some hundred cheap iterations, so there are few: after pieces of [`MAX_PIECE`] iterations if those are
//! cheap (in longer launches of up to [`MAX_CHEAP_PIECE`], if they seem to take less than [`OPENS_FOR_AWAKE`]), and otherwise after as
//! many iterations as had run before. Where other threads may join early, the first of them comes after about [`OPENS_FOR_AWAKE`]. The clock decides only which thread runs an iteration.

use super::chunks::BREAK_EVEN;
use super::{HostThreads, Readiness, succession};
use crate::environment::{self, Opens};
use crate::moment::Moment;

/// The time after which a launch opens. Unit: ticks of [`Moment`], 20 us at 2.5 GHz. Source: a worker that sleeps takes 30 us to
/// begin (docs/benchmarks.md).
pub(super) const OPENS_AFTER: u64 =
    if cfg!(all(target_arch = "x86_64", not(miri))) { 50_000 } else { 20_000 };

/// If the other threads are awake, a launch opens already after this time, provided that what is left will take at least
/// [`LEFT_FOR_AWAKE`]. Earlier, a few cache misses of the first iterations would decide. Unit: as
/// [`OPENS_AFTER`], 0.5 us.
const OPENS_FOR_AWAKE: u64 = OPENS_AFTER / 40;

/// The time that the rest of a launch must take for threads that are awake to join it. Unit: as [`OPENS_AFTER`], 2 us. Source: the
/// empty loop takes 0.6 us (docs/benchmarks.md), and two threads halve the rest.
pub(super) const LEFT_FOR_AWAKE: u64 = OPENS_AFTER / 10;

/// The maximum number of iterations between two looks. Unit: iterations. Source: a look takes 10 ns (docs/benchmarks.md), and 512
/// iterations of the cheapest kernels 50. If long iterations follow cheap ones, one thread runs at most so many of them.
pub(super) const MAX_PIECE: usize = 512;

/// That number in launches of [`BREAK_EVEN`] iterations and more, if so many seem to take less than [`OPENS_FOR_AWAKE`]. Unit:
/// iterations. Source: estimated: half of the shortest of these launches.
const MAX_CHEAP_PIECE: usize = 4096;

/// Iterations below this time are cheap: a tile of them takes less than 4 us. Unit: as [`OPENS_AFTER`], 2 ns.
const CHEAP: u64 = OPENS_AFTER / 10_000;

/// The first piece is at most this part of the launch: if its iterations are long, other threads wait for them.
const FIRST_PART: usize = 64;

/// The maximum number of iterations of the first piece. Unit: iterations. Source: two cache lines of numbers of 8 bytes, so that
/// the vectors of the next piece begin on a line.
const MAX_FIRST_PIECE: usize = 16;

/// The looks at the clock of one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    begun: Moment,
    /// The maximum number of items between two looks.
    max_piece: usize,
}

/// How a launch goes on with whole tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tiles {
    /// The caller runs the next one, without looks in it: its iterations are cheap.
    Run,
    /// All threads run them: their iterations are cheap, but there are many.
    Open,
    /// The caller runs the next one, with looks in it.
    Look,
}

impl Opening {
    /// A launch that begins now, of `n` items of `per_item` iterations.
    #[inline]
    pub(super) fn begin(n: usize, per_item: usize) -> Self {
        let max_piece = if n >= BREAK_EVEN { MAX_CHEAP_PIECE } else { (MAX_PIECE / per_item).max(1) };
        Self { begun: Moment::now(), max_piece }
    }

    /// The length of the first piece of `n` items.
    #[inline(always)]
    pub(super) fn first(n: usize) -> usize {
        let most = (n / FIRST_PART).clamp(1, MAX_FIRST_PIECE);
        1 << most.ilog2()
    }

    /// The length of the next piece, after `done` items have run; `None` if the `left` others go to all threads of the space.
    pub(super) fn next(&self, done: usize, left: usize, space: &dyn HostThreads) -> Option<usize> {
        self.next_after(self.begun.elapsed(), done, left, space)
    }

    /// [`next`](Self::next) of a launch that has lasted for `elapsed`.
    fn next_after(&self, elapsed: u64, done: usize, left: usize, space: &dyn HostThreads) -> Option<usize> {
        let limit = limit();
        if limit == OPENS_AFTER && lasts_for_awake(elapsed, done, left) {
            if elapsed >= OPENS_FOR_AWAKE {
                if self.opens_early(elapsed, done, left, space) {
                    return None;
                }
            } else if space.readiness() != Readiness::Unknown {
                return Some(piece_before_others(elapsed, done).min(self.max_piece).min(left));
            }
        }
        next_piece(elapsed, limit, self.max_piece, done, left)
    }

    /// Whether a launch that gains from threads which are awake opens before its time, because they are, or because it wakes them for the
    /// next launches.
    fn opens_early(&self, elapsed: u64, done: usize, left: usize, space: &dyn HostThreads) -> bool {
        match space.readiness() {
            Readiness::Awake => true,
            Readiness::Asleep => {
                let lasts = elapsed.saturating_add(elapsed.saturating_mul(left as u64) / done as u64);
                succession::wakes(self.begun, elapsed, lasts)
            }
            Readiness::Unknown => false,
        }
    }

    /// What to do with the tiles that are `left` after `done` iterations.
    pub(super) fn tiles(&self, done: usize, left: usize, space: &dyn HostThreads) -> Tiles {
        let (elapsed, limit) = (self.begun.elapsed(), limit());
        if !is_cheap(elapsed, done) {
            return Tiles::Look;
        }
        let gains =
            limit == OPENS_AFTER && elapsed >= OPENS_FOR_AWAKE && lasts_for_awake(elapsed, done, left);
        let early = gains && self.opens_early(elapsed, done, left, space);
        if early || next_piece(elapsed, limit, self.max_piece, done, left).is_none() {
            Tiles::Open
        } else {
            Tiles::Run
        }
    }

    /// The time since the launch began. Unit: ticks of [`Moment`].
    #[inline(always)]
    pub(super) fn elapsed(&self) -> u64 {
        self.begun.elapsed()
    }

    /// Whether the iterations are so short that vector code matters, to judge by the first `done`: below a tenth of a microsecond.
    pub(super) fn is_of_short_iterations(&self, done: usize) -> bool {
        self.begun.elapsed().saturating_mul(200) < OPENS_AFTER.saturating_mul(done as u64)
    }
}

/// Whether what is left of a launch that has lasted for `elapsed` seems to take long enough for threads that are awake.
#[inline(always)]
fn lasts_for_awake(elapsed: u64, done: usize, left: usize) -> bool {
    elapsed.saturating_mul(left as u64) >= LEFT_FOR_AWAKE.saturating_mul(done as u64)
}

/// The number of items, a multiple of those before, after which a launch that has lasted for `elapsed` has lasted for [`OPENS_FOR_AWAKE`].
fn piece_before_others(elapsed: u64, done: usize) -> usize {
    let times = OPENS_FOR_AWAKE.saturating_sub(elapsed).div_ceil(elapsed.max(1)).max(1);
    done.saturating_mul(times as usize)
}

/// [`Opening::next`] of a launch that has lasted for `elapsed` and opens after `limit`.
#[inline(always)]
fn next_piece(elapsed: u64, limit: u64, max_piece: usize, done: usize, left: usize) -> Option<usize> {
    let times = |ticks: u64, items: usize| ticks.saturating_mul(items as u64);
    // If little seems to be left, waking others would take as long.
    if elapsed >= limit && times(elapsed, left) >= times(limit / 2, done) {
        return None;
    }
    let most = if max_piece == MAX_CHEAP_PIECE {
        let cheap = times(OPENS_FOR_AWAKE, done) / elapsed.max(1);
        cheap.clamp(MAX_PIECE as u64, MAX_CHEAP_PIECE as u64) as usize
    } else {
        max_piece
    };
    let most = most.min(left);
    // Judging by the items before, so many might take too long.
    let long = times(elapsed, most) >= times(limit, done);
    Some(if long { done.min(most) } else { most })
}

/// Runs the first pieces of a launch of `n` items, the first of them of `piece` items, by `run(first, count)`. Returns the number of
/// items that have run: all, or those before the launch opened.
#[inline(always)]
pub(super) fn begin(
    space: &impl HostThreads,
    n: usize,
    opening: &Opening,
    mut piece: usize,
    mut run: impl FnMut(usize, usize),
) -> usize {
    let mut done = 0;
    loop {
        run(done, piece);
        done += piece;
        if done == n {
            return n;
        }
        match opening.next(done, n - done, space) {
            Some(next) => piece = next,
            None => return done,
        }
    }
}

/// Whether the number of looks of this thread's launches is given, by a test.
#[inline(always)]
pub(super) fn is_forced() -> bool {
    #[cfg(test)]
    return tests::LOOKS.get().is_some();
    #[cfg(not(test))]
    false
}

/// The time after which this launch opens. Unit: ticks of [`Moment`].
#[inline(always)]
pub(super) fn limit() -> u64 {
    match environment::opens() {
        Opens::ByTime => opens_after(),
        Opens::AtOnce => 0,
        Opens::Never => u64::MAX,
    }
}

#[cfg(not(test))]
#[inline(always)]
fn opens_after() -> u64 {
    OPENS_AFTER
}

/// Whether `done` iterations were cheap.
#[cfg(not(test))]
#[inline(always)]
fn is_cheap(elapsed: u64, done: usize) -> bool {
    elapsed < CHEAP.saturating_mul(done as u64)
}

/// Where looks are counted, the tiles are whole from an even number of looks on, regardless of the time.
#[cfg(test)]
fn is_cheap(elapsed: u64, done: usize) -> bool {
    match tests::LOOKS.get() {
        None => elapsed < CHEAP.saturating_mul(done as u64),
        Some(looks) => looks % 2 == 0,
    }
}

#[cfg(test)]
fn opens_after() -> u64 {
    match tests::LOOKS.get() {
        None => OPENS_AFTER,
        Some(0) => 0,
        Some(looks) => {
            tests::LOOKS.set(Some(looks - 1));
            u64::MAX
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use core::cell::Cell;

    use spelt_policies::Schedule;

    use super::*;
    use crate::Serial;
    use crate::launch::SpaceFacts;
    use crate::reach::sealed::Sealed;

    /// Two threads, of which the other is as ready as it says. It takes no part.
    #[derive(Clone, Copy, Debug)]
    pub(in crate::host) struct Two(pub(in crate::host) Readiness);

    impl SpaceFacts for Two {
        fn space_name(&self) -> &'static str {
            "Two"
        }
        fn threads(&self) -> usize {
            2
        }
    }

    impl Sealed for Two {}

    // SAFETY: each unit runs once, before the call returns; units are in order.
    unsafe impl HostThreads for Two {
        fn run_units(&self, units: usize, _schedule: Schedule, body: &(dyn Fn(usize) + Sync)) {
            UNITS.set(UNITS.get() + units);
            (0..units).for_each(body);
        }
        fn in_order(&self) -> bool {
            true
        }
        fn readiness(&self) -> Readiness {
            self.0
        }
    }

    thread_local! {
        /// The number of looks of this thread before it opens a launch; without a number, time decides.
        pub(super) static LOOKS: Cell<Option<usize>> = const { Cell::new(None) };

        /// The units that launches of this thread on [`Two`] have had.
        pub(in crate::host) static UNITS: Cell<usize> = const { Cell::new(0) };
    }

    /// Runs `body`; its launches open, but for the first `looks` looks.
    pub(in crate::host) fn opening_after<T>(looks: usize, body: impl FnOnce() -> T) -> T {
        let usual = LOOKS.replace(Some(looks));
        let output = body();
        LOOKS.set(usual);
        output
    }

    /// The pieces of `n` items.
    fn pieces(n: usize, per_item: usize) -> Vec<usize> {
        let mut pieces = Vec::new();
        let opening = Opening::begin(n, per_item);
        let done = begin(&Serial::new(), n, &opening, Opening::first(n), |first, count| {
            assert_eq!(first, pieces.iter().sum::<usize>());
            pieces.push(count);
        });
        assert_eq!(done, pieces.iter().sum::<usize>());
        pieces
    }

    #[test]
    fn cheap_iterations_run_in_few_pieces() {
        opening_after(usize::MAX, || {
            assert_eq!(pieces(1, 1), [1]);
            assert_eq!(pieces(2, 1), [1, 1]);
            assert_eq!(pieces(64, 1), [1, 63]);
            assert_eq!(pieces(128, 1), [2, 126]);
            assert_eq!(pieces(1000, 1), [8, 512, 480]);
            assert_eq!(pieces(2047, 1), [16, 512, 512, 512, 495]);
            // Tiles of 100, and of 1000 iterations.
            assert_eq!(pieces(20, 100), [1, 5, 5, 5, 4]);
            assert_eq!(pieces(4, 1000), [1, 1, 1, 1]);
        });
    }

    #[test]
    fn long_iterations_open_after_the_first_piece() {
        opening_after(0, || {
            assert_eq!(pieces(1, 1), [1]);
            assert_eq!(pieces(64, 1), [1]);
            assert_eq!(pieces(1000, 1), [8]);
            assert_eq!(pieces(8000, 1), [16]);
        });
    }

    #[test]
    fn threads_that_are_awake_join_early() {
        let (early, left) = (OPENS_FOR_AWAKE, LEFT_FOR_AWAKE);
        assert!(lasts_for_awake(early, 1, 4) && !lasts_for_awake(early, 1, 3));
        assert!(lasts_for_awake(left, 1000, 1000) && !lasts_for_awake(left, 1000, 999));
        assert!(lasts_for_awake(u64::MAX, usize::MAX, usize::MAX));
        // Until then, multiples of the first piece.
        assert_eq!(piece_before_others(early - 1, 8), 8);
        assert_eq!(piece_before_others(early.div_ceil(3), 8), 16);
        assert_eq!(piece_before_others(early / 10, 8), 72);
        assert_eq!(piece_before_others(0, 1), early as usize);
    }

    /// The next piece of a launch of 0.5 us so far and `left` times as long in the future.
    fn next_of_left(left: usize, readiness: Readiness) -> Option<usize> {
        Opening::begin(left + 1, 1).next_after(OPENS_FOR_AWAKE, 1, left, &Two(readiness))
    }

    #[test]
    fn no_piece_before_others_join_is_longer_than_others_may_be() {
        let next = |n: usize, per_item: usize, done: usize| {
            let opening = Opening::begin(n, per_item);
            opening.next_after(1, done, LEFT_FOR_AWAKE as usize * done, &Two(Readiness::Awake))
        };
        assert_eq!(next(BREAK_EVEN - 1, 1, 8), Some(MAX_PIECE));
        assert_eq!(next(1000, 16, 8), Some(MAX_PIECE / 16), "teams");
        assert_eq!(next(BREAK_EVEN, 1, 8), Some(MAX_CHEAP_PIECE));
    }

    #[test]
    #[cfg_attr(miri, ignore = "launches do not follow one another closely")]
    fn threads_that_sleep_are_woken_by_a_succession_of_launches() {
        // In a thread of its own, which has launched nothing yet.
        std::thread::scope(|scope| {
            scope.spawn(succession_wakes_threads_that_sleep);
        });
    }

    fn succession_wakes_threads_that_sleep() {
        assert_eq!(next_of_left(16, Readiness::Awake), None);
        assert_eq!(next_of_left(1, Readiness::Awake), Some(1), "little is left");
        let opens = |left, readiness| (0..1000).any(|_| next_of_left(left, readiness).is_none());
        assert!(!opens(16, Readiness::Unknown));
        assert!(!opens(1, Readiness::Asleep), "none would gain");
        assert!(next_of_left(16, Readiness::Asleep).is_some(), "one is not enough");
        // Whenever this thread loses its core, the succession begins again.
        assert!((0..1000).any(|_| opens(16, Readiness::Asleep)));
    }

    #[test]
    fn iterations_of_medium_length_run_in_pieces_that_double() {
        assert_eq!(next_piece(20, 1000, MAX_PIECE, 8, 10_000), Some(8));
        assert_eq!(next_piece(20, 1000, MAX_PIECE, 8, 5), Some(5));
        assert_eq!(next_piece(300, 1000, 5, 1, 80), Some(1));
        assert_eq!(next_piece(1, 1000, MAX_PIECE, 8, 10_000), Some(512));
        assert_eq!(next_piece(1, 1000, MAX_PIECE, 8, 500), Some(500));
        assert_eq!(next_piece(999, 1000, MAX_PIECE, 512, 1024), Some(512));
        assert_eq!(next_piece(1000, 1000, MAX_PIECE, 1000, 1000), None);
        // Little is left.
        assert_eq!(next_piece(1000, 1000, MAX_PIECE, 1000, 499), Some(499));
        assert_eq!(next_piece(2000, 1000, MAX_PIECE, 1000, 249), Some(249));
        assert_eq!(next_piece(2000, 1000, MAX_PIECE, 1000, 250), None);
        // In a longer launch, as many as seem to take less than `OPENS_FOR_AWAKE`.
        let awake = OPENS_FOR_AWAKE;
        assert_eq!(next_piece(awake / 2, u64::MAX, MAX_CHEAP_PIECE, 1024, 10_000), Some(2048));
        assert_eq!(next_piece(awake, u64::MAX, MAX_CHEAP_PIECE, 64, 10_000), Some(512));
        assert_eq!(next_piece(0, u64::MAX, MAX_CHEAP_PIECE, 64, 10_000), Some(4096));
        assert_eq!(next_piece(awake / 2, u64::MAX, MAX_CHEAP_PIECE, 1024, 1000), Some(1000));
        // A counter that was set back.
        assert_eq!(next_piece(u64::MAX, 1000, MAX_PIECE, 8, 8), None);
    }
}
