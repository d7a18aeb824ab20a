//! The distribution of a launch's items over threads: in chunks, on all threads from the beginning, on the caller, or from the caller on.

use spelt_access::KernelArgs;
use spelt_policies::Schedule;

use super::HostThreads;
use super::chunks::{BREAK_EVEN, UNITS_PER_THREAD, chunk_len, whole_lines};
use super::contest::Way;
use super::history::{Beginning, History};
use super::opening::{self, Opening};
use crate::launch::{Corners, Indices, Prepared};
use crate::moment::Moment;
use crate::names::Names;
use crate::threads::kernel_scope::in_kernel;
use crate::tools::{Pattern, tuned};

/// The distribution of a `parallel_for` over threads.
pub(super) struct Distribution<'a> {
    /// The number of items that a thread takes at a time, if the program sets it.
    pub(super) chunk: Option<usize>,
    /// The number of iterations of an item, or of short iterations that take as long.
    pub(super) per_item: usize,
    /// The number of items in a line of a box, which chunks do not cut if a few lines make one; 1 if there are no lines.
    pub(super) line: usize,
    /// Launches of fewer iterations begin on the caller.
    pub(super) break_even: usize,
    /// Unless the launches before were short, it does not begin on the caller: its first item may be long, and is as much as a thread
    /// gets.
    pub(super) at_once: bool,
    pub(super) schedule: Schedule,
    /// The number of contiguous parts, each of which runs on one thread, if an argument asks for it.
    pub(super) parts: Option<usize>,
    pub(super) names: &'a Names<'a>,
}

impl<'a> Distribution<'a> {
    /// The distribution of a launch, in items of `per_item` iterations.
    #[inline(always)]
    pub(super) fn new<I: Indices<N>, const N: usize>(ranges: &Ranges<'a, I, N>, per_item: usize) -> Self {
        let &Ranges { indices, parts, names, .. } = ranges;
        let (chunk, schedule) = (indices.chunk(), indices.schedule());
        Self { chunk, per_item, line: 1, break_even: BREAK_EVEN, at_once: false, schedule, parts, names }
    }
}

/// The iterations of a launch, without its arguments.
pub(super) struct Ranges<'a, I, const N: usize> {
    pub(super) indices: &'a I,
    pub(super) count: usize,
    pub(super) corners: Corners<N>,
    pub(super) parts: Option<usize>,
    pub(super) names: &'a Names<'a>,
}

impl<'a, I, const N: usize> Ranges<'a, I, N> {
    /// Those of this launch.
    #[inline(always)]
    pub(super) fn of<A: KernelArgs>(launch: &'a Prepared<'_, A, I, N>) -> Self {
        let &Prepared { ref indices, count, corners, parts, names, .. } = launch;
        Self { indices, count, corners, parts, names }
    }
}

/// How a launch begins.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// The caller runs all of it. Its time goes into the history, if there is one.
    Alone { timed: Option<History> },
    /// All threads run it.
    Distributed,
    /// The caller runs all of it, or all threads do, whichever is faster.
    Faster(Way),
    /// The caller begins it, without looks at the clock in its first `unlooked` items.
    OnCaller { unlooked: usize, history: History },
}

impl Start {
    /// The same for another pass over the launch, which is not timed.
    pub(super) fn again(self) -> Self {
        if let Self::Faster(way) = self { Self::Faster(way.again()) } else { self }
    }
}

impl Distribution<'_> {
    /// How a launch of `n` items begins, at least one, of the closure that has this history.
    #[inline(always)]
    pub(super) fn start(&self, space: &impl HostThreads, n: usize, history: History) -> Start {
        let &Self { chunk, per_item, break_even, at_once, parts, .. } = self;
        if parts.is_some() {
            return Start::Distributed;
        }
        if space.threads() == 1 || n == 1 || chunk.is_some_and(|chunk| chunk >= n) {
            return Start::Alone { timed: None };
        }
        if chunk.is_some() {
            return Start::Distributed;
        }
        let iterations = n.saturating_mul(per_item);
        if iterations >= break_even {
            let way = if at_once { None } else { Way::of(history, space.threads(), iterations) };
            return way.map_or(Start::Distributed, Start::Faster);
        }
        if in_kernel() {
            return Start::Alone { timed: None };
        }
        match history.beginning(n) {
            Beginning::Alone { timed } => Start::Alone { timed: timed.then_some(history) },
            Beginning::Looks { unlooked } => Start::OnCaller { unlooked, history },
        }
    }

    /// The way of a launch of `n` items that would begin on the caller if the other threads slept; `None` if it does so in any case.
    #[inline(always)]
    fn way_of_few(&self, space: &impl HostThreads, n: usize, history: History) -> Option<Way> {
        let &Self { chunk, per_item, break_even, at_once, parts, .. } = self;
        let is_free = parts.is_none() && chunk.is_none() && !at_once && n > 1;
        if is_free && n.saturating_mul(per_item) < break_even { Way::of_few(history, space, n) } else { None }
    }
}

/// Cuts `n` items into chunks and calls `unit(first, count, part)` once for each.
#[inline(always)]
pub(super) fn run_chunks<U: Fn(usize, usize, usize) + Sync>(
    space: &impl HostThreads,
    n: usize,
    distribution: &Distribution<'_>,
    unit: U,
) {
    if n > 0 {
        run_chunks_of(None, space, n, distribution, unit);
    }
}

/// [`run_chunks`] of at least one item, for a closure with this history, or the history of `unit`.
#[inline(always)]
pub(super) fn run_chunks_of<U: Fn(usize, usize, usize) + Sync>(
    history: Option<History>,
    space: &impl HostThreads,
    n: usize,
    distribution: &Distribution<'_>,
    unit: U,
) {
    let history = history.unwrap_or_else(History::of::<U>);
    let way = distribution.way_of_few(space, n, history);
    let (start, way) = match way {
        Some(way) if !way.alone => (Start::Faster(way), None),
        _ => {
            let start = distribution.start(space, n, history);
            let is_untimed = matches!(start, Start::Alone { timed: None });
            (start, way.map(|way| if is_untimed { way } else { way.timed_otherwise() }))
        }
    };
    run_chunks_from(start, space, n, distribution, unit);
    if let Some(way) = way {
        way.end();
    }
}

/// [`run_chunks`] for a launch that begins in this way.
#[inline(always)]
pub(super) fn run_chunks_from(
    start: Start,
    space: &impl HostThreads,
    n: usize,
    distribution: &Distribution<'_>,
    unit: impl Fn(usize, usize, usize) + Sync,
) {
    let &Distribution { per_item, at_once, names, .. } = distribution;
    match start {
        Start::Alone { timed } => {
            let timed = timed.map(|history| (history, Moment::now()));
            {
                let _running = names.enter();
                unit(0, n, 0);
            }
            if let Some((history, begun)) = timed {
                history.record(n, begun.elapsed());
            }
        }
        Start::Distributed => distribute(space, n, 0, UNITS_PER_THREAD, distribution, &unit),
        Start::Faster(way) => {
            if way.alone {
                let _running = names.enter();
                unit(0, n, 0);
            } else {
                distribute(space, n, 0, way.units_per_thread(), distribution, &unit);
            }
            way.end();
        }
        Start::OnCaller { unlooked, history } => {
            let opening = Opening::begin(n, per_item);
            let mut begun = 0;
            if !at_once {
                let _running = names.enter();
                let piece = if unlooked == 0 { Opening::first(n) } else { unlooked };
                begun = opening::begin(space, n, &opening, piece, |first, count| unit(first, count, 0));
            }
            if begun < n {
                distribute(space, n, begun, UNITS_PER_THREAD, distribution, &unit);
            }
            if unlooked == 0 {
                let threads = if begun < n { space.threads() } else { 1 };
                history.record(n, opening.elapsed().saturating_mul(threads as u64));
            }
        }
    }
}

/// [`run_chunks`] on all threads, after the first `begun` items, in so many units for each thread. Compiled once for all closures.
fn distribute(
    space: &dyn HostThreads,
    n: usize,
    begun: usize,
    per_thread: usize,
    &Distribution { chunk, per_item, line, at_once, schedule, parts, names, .. }: &Distribution<'_>,
    unit: &(dyn Fn(usize, usize, usize) + Sync),
) {
    if let Some(parts) = parts {
        let part_len = n.div_ceil(parts);
        space.run_units(n.div_ceil(part_len), schedule, &|part| {
            let _running = names.enter();
            unit(part * part_len, part_len.min(n - part * part_len), part);
        });
        return;
    }
    let tuned = tuned(Pattern::For, n);
    let schedule = tuned.and_then(|tuned| tuned.schedule).unwrap_or(schedule);
    if let Some(tiles) = tuned.and_then(|tuned| tuned.tiles).filter(|_| begun == 0) {
        space.run_units(tiles.count(), schedule, &|number| {
            let _running = names.enter();
            tiles.for_each_run(number, |first, count| unit(first, count, 0));
        });
        return;
    }
    let chunk = chunk.or(tuned.and_then(|tuned| tuned.chunk));
    let chunk = chunk.unwrap_or_else(|| {
        if at_once { 1 } else { whole_lines(chunk_len(space, n - begun, per_item, per_thread), line) }
    });
    // Copies: see `HostThreads::run_units`.
    space.run_units((n - begun).div_ceil(chunk), schedule, &move |number| {
        let _running = names.enter();
        let first = begun + number * chunk;
        unit(first, chunk.min(n - first), 0);
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::Readiness;
    use super::super::contest::tests::{FEW, faster_from_the_caller};
    use super::super::opening::tests::Two;
    use super::*;

    /// A launch of short iterations.
    fn distribution<'a>(chunk: Option<usize>, names: &'a Names<'a>) -> Distribution<'a> {
        let (break_even, schedule) = (BREAK_EVEN, Schedule::Static);
        Distribution { chunk, per_item: 1, line: 1, break_even, at_once: false, schedule, parts: None, names }
    }

    /// The pieces of so many launches of 2000 iterations of 5 ns.
    fn pieces(readiness: Readiness, launches: usize, chunk: Option<usize>) -> Vec<Vec<(usize, usize)>> {
        pieces_of(5, readiness, launches, chunk)
    }

    /// [`pieces`] of iterations of so many ns.
    fn pieces_of(
        time: u128,
        readiness: Readiness,
        launches: usize,
        chunk: Option<usize>,
    ) -> Vec<Vec<(usize, usize)>> {
        let args = ();
        let names = Names::new("pieces", &args);
        let distribution = distribution(chunk, &names);
        let launch = |_| {
            let pieces = Mutex::new(Vec::new());
            run_chunks(&Two(readiness), 2000, &distribution, |first, count, _| {
                let begun = std::time::Instant::now();
                while begun.elapsed().as_nanos() < time * count as u128 {}
                pieces.lock().unwrap().push((first, count));
            });
            pieces.into_inner().unwrap()
        };
        (0..launches).map(launch).collect()
    }

    #[test]
    fn launches_that_were_faster_from_the_caller_open_when_they_are_long() {
        let args = ();
        let names = Names::new("pieces", &args);
        let history = faster_from_the_caller();
        let most = Mutex::new(0);
        run_chunks_of(
            Some(history),
            &Two(Readiness::Awake),
            FEW,
            &distribution(None, &names),
            |_, count, _| {
                let begun = std::time::Instant::now();
                while begun.elapsed().as_nanos() < 1000 * count as u128 {}
                let mut most = most.lock().unwrap();
                *most = count.max(*most);
            },
        );
        assert!(most.into_inner().unwrap() < FEW);
    }

    #[test]
    fn launches_that_last_are_distributed_from_the_beginning_where_others_are_awake() {
        let all = &pieces_of(25, Readiness::Awake, 4, None)[3];
        assert_eq!((all[0], all[1], all.len()), ((0, 64), (64, 64), 32));
        // Of a short launch, few, once its time is known.
        let launches = pieces(Readiness::Awake, 4, None);
        let few = &launches[3];
        assert_eq!((few[0], few[1], few.len()), ((0, 256), (256, 256), 8));
        for readiness in [Readiness::Asleep, Readiness::Unknown] {
            assert_ne!(pieces_of(25, readiness, 3, None)[2][0], (0, 64));
        }
        // The program's choice has no contest.
        let halves = pieces(Readiness::Awake, 300, Some(1000));
        assert!(halves.iter().all(|halves| *halves == [(0, 1000), (1000, 1000)]));
    }
}
