//! `parallel_scan` on threads of the host: all tiles in one pass, chunks along a chain, or chunks in two rounds.

use core::cell::UnsafeCell;
use core::mem::needs_drop;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use spelt_access::{Idx, KernelArgs};
use spelt_order::canonical;
use spelt_order::cursor::Cursor;
use spelt_order::if_vector_loops;
use spelt_order::pending_nodes::PendingNodes;
use spelt_policies::Schedule;
use spelt_reducers::Reducer;

use super::HostThreads;
use super::chunks::BREAK_EVEN;
use super::coming_lines::ComingLines;
use super::contest::Way;
use super::distribution::{Distribution, Ranges};
use super::few_scan::{Beginning, FewScan};
use super::history::History;
use super::kernel::{OfBoxes, ScanKernel, ScanStep, places};
use super::scan_chunks::{Before, Chunk, InOrder, Scan, ShortScan, Totals, tiles_of, tiles_per_chunk};
use super::slots::Slots;
use crate::Result;
use crate::arena::NoRoom;
use crate::isa::{self, CompiledFor};
use crate::launch::{Indices, Prepared, SpaceFacts};
use crate::moment::Moment;
use crate::names::Names;
use crate::on_heap::{OnHeap, is_large};
use crate::threads::signal::{Patience, Signal};
use crate::tools::{Pattern, tuned};

/// The state that chunks pass on in order.
struct Chain<V> {
    /// The number of chunks whose totals are in `nodes`; `BROKEN` when one of them panicked.
    ready: AtomicUsize,
    nodes: UnsafeCell<PendingNodes<V>>,
    /// The signal for threads that have waited long and sleep.
    moved_on: Signal,
}

impl<V> Chain<V> {
    /// The chain of the chunks behind the tiles of `nodes`.
    fn new(nodes: PendingNodes<V>) -> Self {
        Self { ready: AtomicUsize::new(0), nodes: UnsafeCell::new(nodes), moved_on: Signal::new() }
    }
}

/// The value of `ready` after which no chunk gets its turn.
const BROKEN: usize = usize::MAX;

/// Rounds of waiting before a thread yields its core, and then sleeps. Unit: rounds of `spin_loop`. Source: a chunk takes about
/// ten microseconds: a predecessor that is running finishes within that time, and one that is not running needs the core.
const SPINS: u32 = 2000;

// SAFETY: `nodes` is used only by the thread whose chunk `ready` names.
unsafe impl<V: Send> Sync for Chain<V> {}

/// One chunk's turn in the chain.
pub(super) struct Turn<'a, V> {
    chain: &'a Chain<V>,
    chunk: usize,
    done: bool,
}

impl<V: Clone> Turn<'_, V> {
    /// Waits for the turn, and passes it on: copies the tiles before the chunk, whose tiles have these totals, to `before`; false if
    /// a chunk has panicked.
    pub(super) fn before<R: Reducer<Value = V>>(
        &mut self,
        reducer: &R,
        totals: &mut Totals<V>,
        before: &mut PendingNodes<V>,
    ) -> bool {
        let look = || match self.chain.ready.load(Ordering::Acquire) {
            ready if ready == self.chunk => Some(true),
            BROKEN => Some(false),
            _ => None,
        };
        let spin = |_| {
            core::hint::spin_loop();
            look()
        };
        let mine = look().or_else(|| (0..SPINS).find_map(spin));
        if !mine.unwrap_or_else(|| self.chain.moved_on.wait(Patience::Yield, look)) {
            return false;
        }
        // SAFETY: it is this chunk's turn until `ready` moves on.
        let nodes = unsafe { &mut *self.chain.nodes.get() };
        before.copy(nodes);
        totals.push_to(reducer, nodes);
        self.done = true;
        // A chunk that has panicked meanwhile stays recorded: later chunks must not wait for it.
        let next = self.chain.ready.compare_exchange(
            self.chunk,
            self.chunk + 1,
            Ordering::Release,
            Ordering::Relaxed,
        );
        self.chain.moved_on.notify();
        next.is_ok()
    }
}

impl<V> Drop for Turn<'_, V> {
    fn drop(&mut self) {
        if !self.done {
            self.chain.ready.store(BROKEN, Ordering::Release);
            self.chain.moved_on.notify();
        }
    }
}

/// Runs a prepared launch.
#[inline(always)]
pub(super) fn run<I, A, F, R, const N: usize>(
    launch: Prepared<'_, A, I, N>,
    closure: &F,
    reducer: &R,
) -> Result<R::Output>
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Clone + Send,
{
    let n = launch.count;
    let most = if R::EXACT { BREAK_EVEN - 1 } else { canonical::tile_len(canonical::scan_lanes::<R>()) };
    if_vector_loops! {{
        let is_plain = launch.state.is_usual() && launch.indices.chunk().is_none();
        if const { !is_large::<R::Value>() && !needs_drop::<R::Value>() }
            && 0 < n && n <= most && is_plain
            && (launch.indices.space().is_caller()
                || n == 1
                || History::of::<ScanKernel<'_, A, F, N>>().goes_alone(launch.state, n)
                || launch.indices.space().threads() == 1)
        {
            // SAFETY: the caller runs all indices, one after the other.
            let body = unsafe { ScanKernel::new(&launch, closure) };
            let start = I::place(&launch.corners, 0);
            let total = {
                let _running = launch.names.enter();
                let level = CompiledFor::UNKNOWN;
                isa::dispatch(ShortScan { reducer, start, len: n, level, body })
            };
            return Ok(reducer.finish(total));
        }
    } else {
        let _ = (n, most);
    }}
    run_any(launch, closure, reducer)
}

/// [`run`] for any number of iterations. Not inlined: what it needs of a launch would go through memory in each of them.
#[inline(never)]
fn run_any<I, A, F, R, const N: usize>(
    launch: Prepared<'_, A, I, N>,
    closure: &F,
    reducer: &R,
) -> Result<R::Output>
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Clone + Send,
{
    let launch = &launch;
    // SAFETY: chunks are disjoint parts of the indices; the two passes over a chunk follow one another.
    let kernel = unsafe { ScanKernel::new(launch, closure) };
    let place = places::<I, N>(launch.corners, 0, 0);
    let distribution = Distribution::new(&Ranges::of(launch), 1);
    scan(launch.indices.space(), launch.count, &distribution, reducer, place, kernel)
        .map_err(|lack| lack.in_kernel(launch.label))
}

/// Scans `n` iterations, and finishes the total. Of the distribution, the schedule decides nothing where chunks wait for one another.
///
/// # Errors
/// If there is no memory for partial results; nothing has run.
#[inline(always)]
pub(super) fn scan<C, R, P, B>(
    space: &impl HostThreads,
    n: usize,
    distribution: &Distribution<'_>,
    reducer: &R,
    place: P,
    body: B,
) -> Result<R::Output, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    P: Fn(usize) -> C + Copy + Sync,
    B: ScanStep<C, R::Value>,
{
    if_vector_loops! {{
        scan_with(space, n, distribution, History::of::<B>(), reducer, place, &body)
    } else {
        let history = History::of_function(<B as super::step::Step<(C, usize, &mut R::Value, bool)>>::step as *const ());
        let body: super::step::Pointed<'_, super::step::ScanSteps<'_, C, R::Value>> = super::step::Pointed::new(&body);
        scan_with(space, n, distribution, history, reducer, place, &body)
    }}
}

/// The way of a scan of `n` iterations of the closure that has this history: `None` if it is not a matter of time.
#[inline(always)]
fn way(space: &impl HostThreads, n: usize, distribution: &Distribution<'_>, history: History) -> Option<Way> {
    if goes_alone(space, n) || distribution.chunk.is_some() {
        None
    } else {
        Way::of(history, space.threads(), n)
    }
}

/// [`scan`] with the body as it is.
#[inline(always)]
fn scan_with<C, R, P, B>(
    space: &impl HostThreads,
    n: usize,
    distribution: &Distribution<'_>,
    history: History,
    reducer: &R,
    place: P,
    body: &B,
) -> Result<R::Output, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    P: Fn(usize) -> C + Copy + Sync,
    B: ScanStep<C, R::Value>,
{
    if const { is_large::<R::Value>() } {
        let on_heap = OnHeap(reducer);
        let value = scan_values(space, n, distribution, history, &on_heap, place, &OfBoxes(*body))?;
        Ok(on_heap.finish(value))
    } else {
        Ok(reducer.finish(scan_values(space, n, distribution, history, reducer, place, body)?))
    }
}

/// [`scan`] without finishing the total.
#[inline(always)]
fn scan_values<C, R, P, B>(
    space: &impl HostThreads,
    n: usize,
    distribution: &Distribution<'_>,
    history: History,
    reducer: &R,
    place: P,
    body: &B,
) -> Result<R::Value, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    P: Fn(usize) -> C + Copy + Sync,
    B: ScanStep<C, R::Value>,
{
    if n == 0 {
        return Ok(reducer.init());
    }
    let mut timed = None;
    // A value for each iteration takes little memory only if it owns none.
    if const { !needs_drop::<R::Value>() } && n < BREAK_EVEN && space.threads() > 1 {
        let few = FewScan { space, n, distribution, reducer, place: &place, body, history };
        match few.beginning() {
            Beginning::Shared { looks } => {
                // Without memory for the values, the caller runs the scan.
                if let Some(total) = few.run(looks) {
                    return Ok(total);
                }
            }
            Beginning::Alone { timed: is_timed } => timed = is_timed.then(Moment::now),
        }
    }
    let (names, way) = (distribution.names, way(space, n, distribution, history));
    let alone = way.map_or_else(|| goes_alone(space, n), |way| way.alone);
    let value = if R::EXACT && alone {
        let _running = names.enter();
        let mut value = reducer.init();
        isa::dispatch(InOrder { n, place: &place, body, value: &mut value });
        value
    } else {
        let mut nodes = PendingNodes::new();
        let tiles = 0..canonical::tile_count(n, canonical::scan_lanes::<R>());
        scan_tiles(space, n, tiles, alone, &mut nodes, distribution.chunk, names, reducer, &place, body)?;
        let _running = names.enter();
        nodes.join(reducer).expect("a range that is not empty has a tile")
    };
    if let Some(way) = way {
        way.end();
    }
    if let Some(begun) = timed {
        history.record(n, begun.elapsed());
    }
    Ok(value)
}

/// Whether a scan of `count` iterations has too few for chunks of tiles.
#[inline]
pub(super) fn goes_alone(space: &impl HostThreads, count: usize) -> bool {
    space.threads() == 1 || count < BREAK_EVEN
}

/// Scans `tiles` of a scan of `n` iterations, behind those in `nodes`, and adds them there: where the reducer is exact, a chunk counts as
/// one. `alone`: on the caller. `chunk`: the iterations of a chunk, if the program sets them.
///
/// # Errors
/// If there is no memory for partial results; nothing has run.
#[inline]
#[expect(clippy::too_many_arguments, reason = "a launch, and its tiles")]
pub(super) fn scan_tiles<C, R, P, B>(
    space: &impl HostThreads,
    n: usize,
    tiles: Range<usize>,
    alone: bool,
    nodes: &mut PendingNodes<R::Value>,
    chunk: Option<usize>,
    names: &Names<'_>,
    reducer: &R,
    place: &P,
    body: &B,
) -> Result<(), NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    P: Fn(usize) -> C + Copy + Sync,
    B: ScanStep<C, R::Value>,
{
    let tile_len = canonical::tile_len(canonical::scan_lanes::<R>());
    let count = tiles.end.saturating_mul(tile_len).min(n) - tiles.start * tile_len;
    let (lines, level) = (&ComingLines::of(names, count), CompiledFor::UNKNOWN);
    if alone {
        let _running = names.enter();
        isa::dispatch(Scan {
            chunk: Chunk { reducer, n, first: tiles.start, count: tiles.len(), place, body, lines, level },
            before: Before::Known,
            tiles: nodes,
        });
        return Ok(());
    }
    let chosen = chunk.or_else(|| tuned(Pattern::Scan, n).and_then(|tuned| tuned.chunk));
    let in_a_chunk = chosen
        .map_or_else(|| tiles_per_chunk::<R>(space, tiles.len()), |chunk| tiles_of::<R>(chunk, tile_len));
    let chunks = tiles.len().div_ceil(in_a_chunk);
    // Copies: see `HostThreads::run_units`.
    let Range { start, end } = tiles;
    let chunk = move |number: usize| {
        let first = start + number * in_a_chunk;
        Chunk { reducer, n, first, count: in_a_chunk.min(end - first), place, body, lines, level }
    };
    if space.in_order() {
        let chain = Chain::new(core::mem::take(nodes));
        let turns = &chain;
        space.run_units(chunks, Schedule::Dynamic, &move |number| {
            let _running = names.enter();
            isa::dispatch(Scan {
                chunk: chunk(number),
                before: Before::Turn(Turn { chain: turns, chunk: number, done: false }),
                tiles: &mut PendingNodes::new(),
            });
        });
        *nodes = chain.nodes.into_inner();
        return Ok(());
    }
    // A pool that may run one unit inside another must not have units that wait for one another, so it gets two launches.
    let mut totals = Slots::<Totals<R::Value>>::new(chunks)?;
    let befores = Slots::<PendingNodes<R::Value>>::new(chunks)?;
    space.run_units(chunks, Schedule::Dynamic, &|number| {
        let _running = names.enter();
        let mut total = Totals::new();
        isa::dispatch(Scan {
            chunk: chunk(number),
            before: Before::Later(&mut total),
            tiles: &mut PendingNodes::new(),
        });
        // SAFETY: each unit runs once.
        unsafe { totals.put(number, total) }
    });
    {
        let _running = names.enter();
        for number in 0..chunks {
            // SAFETY: no other thread uses the slots.
            unsafe { befores.put(number, nodes.clone()) }
            totals.take(number).expect("every unit has run").push_to(reducer, nodes);
        }
    }
    space.run_units(chunks, Schedule::Dynamic, &|number| {
        let _running = names.enter();
        // SAFETY: each unit runs once, and takes its own slot alone.
        let tiles = unsafe { befores.take_shared(number) };
        let mut tiles = tiles.expect("every chunk has its prefix");
        isa::dispatch(Scan { chunk: chunk(number), before: Before::Known, tiles: &mut tiles });
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use spelt_reducers::custom;

    use super::*;

    /// Chunk 1 panics while chunk 0, whose turn it is, joins its totals: the chain stays broken; otherwise later chunks would
    /// wait forever.
    #[test]
    fn a_chunk_that_has_panicked_meanwhile_stays_known() {
        let chain = Chain::new(PendingNodes::new());
        let reducer = custom(0, |into: &mut i32, from: &i32| {
            drop(Turn { chain: &chain, chunk: 1, done: false });
            *into += from;
        });
        let mut totals = Totals::new();
        totals.values[..2].fill(Some(3));
        let mut turn = Turn { chain: &chain, chunk: 0, done: false };
        let mut before = PendingNodes::new();
        assert!(!turn.before(&reducer, &mut totals, &mut before), "the launch is lost");
        assert_eq!(chain.ready.load(Ordering::Acquire), BROKEN);
        drop(turn);
        let mut next = Turn { chain: &chain, chunk: 1, done: false };
        assert!(!next.before(&reducer, &mut Totals::new(), &mut before));
    }

    #[test]
    fn chunks_hand_on_what_was_before() {
        let chain = Chain::new(PendingNodes::new());
        let reducer = custom(0, |into: &mut i32, from: &i32| *into += from);
        for chunk in 0..3 {
            let mut totals = Totals::new();
            totals.values[0] = Some(5);
            let mut turn = Turn { chain: &chain, chunk, done: false };
            let mut before = PendingNodes::new();
            assert!(turn.before(&reducer, &mut totals, &mut before), "nothing panics");
            assert_eq!(before.join(&reducer), (chunk > 0).then_some(5 * chunk as i32));
        }
        assert_eq!(chain.ready.load(Ordering::Acquire), 3);
    }
}
