//! `parallel_reduce` on threads of the host: all tiles, distributed over threads, joined in the canonical order.

use core::ops::Range;

use spelt_access::KernelArgs;
use spelt_order::body::Inlined;
use spelt_order::cursor::Cursor;
use spelt_order::if_vector_loops;
use spelt_order::pending_nodes::PendingNodes;
use spelt_order::stopped_tile::{Ascending, Stops};
use spelt_order::whole_tiles::{reduce_two_tiles, reduce_whole_tile, two_gain};
use spelt_order::{canonical, tile, whole_tiles};
use spelt_policies::Schedule;
use spelt_reducers::Reducer;

use super::HostThreads;
use super::chunks::{
    BREAK_EVEN, BREAK_EVEN_OF_SUMS, UNITS_PER_THREAD, lanes_of, lanes_per_unit, tiles_per_chunk,
    tiles_per_part, tiles_per_unit, tiles_per_unit_in_parts,
};
use super::contest::Way;
use super::history::{Beginning, History};
use super::kernel::{OfBoxes, ReduceKernel, ReduceStep, places};
use super::opening::{self, Opening};
use super::shared_tiles::{Looks, SharedTiles};
use super::short_reduce;
use super::unit_values::UnitValues;
use crate::Result;
use crate::arena::NoRoom;
use crate::isa::{self, CompiledFor, Work};
use crate::launch::{Contribution, Indices, Prepared};
use crate::moment::Moment;
use crate::names::Names;
use crate::on_heap::{OnHeap, is_large};
use crate::threads::kernel_scope::in_kernel;
use crate::tools::{Pattern, tuned};

/// Consecutive tiles, at least one, of a launch of `n` iterations; exactly one if it may stop.
///
/// It holds a reference to the body and its lowered arguments, so that making it costs no copy. `run` makes a copy, which the
/// compiler need not reload after each store of the kernel. Its frame has room for the nodes of a tree of any size: 64 values.
struct Tiles<'a, P, R: Reducer, B> {
    reducer: &'a R,
    place: &'a P,
    n: usize,
    numbers: Range<usize>,
    part: usize,
    level: CompiledFor,
    body: &'a B,
    stops: Option<&'a mut dyn Stops<R::Value>>,
}

impl<C, P, R, B> Work for Tiles<'_, P, R, B>
where
    C: Cursor,
    P: Fn(usize) -> C,
    R: Reducer,
    B: ReduceStep<C, R::Value>,
{
    /// `None` if the tile has stopped.
    type Output = Option<R::Value>;
    #[inline(always)]
    fn compiled_for(self, level: CompiledFor) -> Self {
        Self { level, ..self }
    }
    #[inline(always)]
    fn run(self) -> Option<R::Value> {
        self.run_with::<false, C>()
    }
    #[inline(always)]
    fn run_masked(self) -> Option<R::Value> {
        // Under masks, loops that are not vector code go over all lanes for a few of them.
        if const { B::MAY_FAIL } { self.run_with::<false, C>() } else { self.run_with::<true, C>() }
    }
}

impl<P, R: Reducer, B> Tiles<'_, P, R, B> {
    /// Runs the tiles; `MASKS`: as [`reduce_tile_with`](tile::reduce_tile_with).
    #[inline(always)]
    fn run_with<const MASKS: bool, C>(self) -> Option<R::Value>
    where
        C: Cursor,
        P: Fn(usize) -> C,
        B: ReduceStep<C, R::Value>,
    {
        let Self { reducer, place, n, mut numbers, part, level, body, mut stops } = self;
        let original = body.in_part(part).at_level(level);
        let mut body = Inlined::new::<(C, usize, &mut R::Value)>(original);
        let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
        let mut nodes = PendingNodes::<R::Value>::new();
        loop {
            let first = numbers.start * tile_len;
            let start = place(first);
            let len = tile_len.min(n - first);
            let value = if_vector_loops! {{
                let whole = numbers.len().min((n - first) / tile_len);
                if const { !B::WRITES && !B::MAY_FAIL && whole_tiles::gain::<R, C>() } && whole > 0 && stops.is_none() {
                    if two_gain::<R>(n) && whole > 1 {
                        let [first, second] = reduce_two_tiles(reducer, start, &mut body);
                        nodes.push(reducer, first, 1);
                        numbers.start += 1;
                        Some(second)
                    } else {
                        Some(reduce_whole_tile(reducer, start, &mut body))
                    }
                } else if const { B::WRITES } {
                    let run = |body: B| {
                        let mut body = Inlined::new::<(C, usize, &mut R::Value)>(body);
                        tile::reduce_tile_with::<MASKS, _, _, _, _>(reducer, start, len, &mut body, &mut stops)
                    };
                    // SAFETY: the iterations of a tile follow one another in this order; those that run before it stops run there and nowhere else, the
                    // others afterwards.
                    unsafe { original.on_span(start, place(first + len - 1), run) }
                } else {
                    tile::reduce_tile_with::<MASKS, _, _, _, _>(reducer, start, len, &mut body, &mut stops)
                }
            } else {
                tile::reduce_tile_with::<MASKS, _, _, _, _>(reducer, start, len, &mut body, &mut stops)
            }}?;
            numbers.start += 1;
            if numbers.is_empty() {
                return Some(nodes.join_last(reducer, value));
            }
            nodes.push(reducer, value, 1);
        }
    }
}

/// How a reduction is distributed over threads.
pub(super) struct Sharing {
    pub(super) chunk: Option<usize>,
    /// An iteration may take as long as this many short ones.
    pub(super) per_item: usize,
    /// Unless the launches before were short, it does not begin on the caller, and its items are distributed one by one.
    pub(super) at_once: bool,
    pub(super) schedule: Schedule,
    pub(super) parts: Option<usize>,
    /// The units of each thread, if the program sets no chunk.
    pub(super) per_thread: usize,
}

impl Sharing {
    /// That of iterations which are as short as those of most loops.
    #[inline(always)]
    pub(super) fn of_iterations(chunk: Option<usize>, schedule: Schedule, parts: Option<usize>) -> Self {
        Self { chunk, per_item: 1, at_once: false, schedule, parts, per_thread: UNITS_PER_THREAD }
    }
}

/// Runs a prepared launch.
#[inline(always)]
pub(super) fn run<I, A, G, R, const N: usize>(
    launch: Prepared<'_, A, I, N>,
    body: &G,
    reducer: &R,
) -> Result<R::Output>
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    G: Contribution<N, A, R>,
    R: Reducer + Sync,
    R::Value: Send,
{
    if let Some(output) = short_reduce::run(&launch, body, reducer) {
        return Ok(output);
    }
    run_any(launch, body, reducer)
}

/// [`run`] for any number of iterations.
#[inline(never)]
fn run_any<I, A, G, R, const N: usize>(
    launch: Prepared<'_, A, I, N>,
    body: &G,
    reducer: &R,
) -> Result<R::Output>
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    G: Contribution<N, A, R>,
    R: Reducer + Sync,
    R::Value: Send,
{
    let launch = &launch;
    let indices = &launch.indices;
    let sharing = Sharing::of_iterations(indices.chunk(), indices.schedule(), launch.parts);
    // SAFETY: tiles, and lanes of a tile, are disjoint parts of the indices, and `run_units` runs each once.
    let kernel = unsafe { ReduceKernel::new(launch, body, reducer) };
    let place = places::<I, N>(launch.corners, 0, 0);
    reduce(indices.space(), launch.count, &sharing, launch.names, reducer, place, kernel)
        .map_err(|lack| lack.in_kernel(launch.label))
}

/// Reduces `n` iterations in the canonical order, and finishes; `place(offset)` is the place of an iteration.
///
/// # Errors
/// If there is no memory for partial results; nothing has run.
#[inline(always)]
pub(super) fn reduce<C, R, B>(
    space: &impl HostThreads,
    n: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    place: impl Fn(usize) -> C + Copy + Sync,
    body: B,
) -> Result<R::Output, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    if_vector_loops! {{
        reduce_with(space, n, sharing, History::of::<B>(), names, reducer, place, body)
    } else {
        let history = History::of_function(<B as super::step::Step<(C, usize, &mut R::Value)>>::step as *const ());
        let body: super::step::Pointed<'_, super::step::ReduceSteps<'_, C, R::Value>> = super::step::Pointed::new(&body);
        reduce_with(space, n, sharing, history, names, reducer, place, body)
    }}
}

/// [`reduce`] with the launches of the closure before.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a launch, and its distribution")]
fn reduce_with<C, R, B>(
    space: &impl HostThreads,
    n: usize,
    sharing: &Sharing,
    history: History,
    names: &Names<'_>,
    reducer: &R,
    place: impl Fn(usize) -> C + Copy + Sync,
    body: B,
) -> Result<R::Output, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    if const { is_large::<R::Value>() } {
        let on_heap = OnHeap(reducer);
        let value = reduce_values(space, n, sharing, history, names, &on_heap, place, OfBoxes(body))?;
        Ok(on_heap.finish(value))
    } else {
        Ok(reducer.finish(reduce_values(space, n, sharing, history, names, reducer, place, body)?))
    }
}

/// [`reduce`] without finishing the value.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a launch, and its distribution")]
fn reduce_values<C, R, B>(
    space: &impl HostThreads,
    n: usize,
    sharing: &Sharing,
    history: History,
    names: &Names<'_>,
    reducer: &R,
    place: impl Fn(usize) -> C + Copy + Sync,
    body: B,
) -> Result<R::Value, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
    let tiles = n.div_ceil(tile_len);
    if n == 0 {
        return Ok(reducer.init());
    }
    let threads = space.threads();
    // Few items, such as teams, are distributed one by one.
    let break_even = if sharing.per_item == 1 { BREAK_EVEN_OF_SUMS } else { BREAK_EVEN };
    let few = sharing.chunk.is_none() && n.saturating_mul(sharing.per_item) < break_even;
    let small_units = sharing.at_once || sharing.chunk.map_or(sharing.per_item > 1, |chunk| chunk < tile_len);
    let fine = small_units && tiles < 4 * threads;
    let (mut way, mut beginning) = (None, None);
    if sharing.parts.is_none() {
        let alone = threads == 1 || n == 1 || (!few && !fine && tiles == 1) || (few && in_kernel());
        if !alone && !small_units && tiles > 1 {
            way = match (few, sharing.chunk) {
                (true, _) => Way::of_few(history, space, n),
                (false, None) => Way::of(history, threads, n),
                (false, Some(_)) => None,
            };
        }
        beginning = match way {
            Some(way) if !way.alone => None,
            Some(_) if !few => Some(Beginning::Alone { timed: false }),
            _ if alone => Some(Beginning::Alone { timed: false }),
            _ => few.then(|| history.beginning(n)),
        };
        if !matches!(beginning, Some(Beginning::Alone { timed: false })) {
            way = way.map(Way::timed_otherwise);
        }
    }
    let value = match beginning {
        Some(Beginning::Alone { timed }) => {
            let begun = timed.then(Moment::now);
            let value = {
                let _running = names.enter();
                run_tiles(reducer, &place, n, 0..tiles, None, &body)
            };
            if let Some(begun) = begun {
                history.record(n, begun.elapsed());
            }
            value
        }
        Some(Beginning::Looks { unlooked }) => {
            reduce_few(space, n, sharing, (unlooked, history), names, reducer, &place, &body)?
        }
        None => {
            let per_thread = way.map_or(sharing.per_thread, Way::units_per_thread);
            let sharing = &Sharing { per_thread, ..*sharing };
            reduce_distributed(space, n, fine, sharing, names, reducer, &place, &body)?
        }
    };
    if let Some(way) = way {
        way.end();
    }
    Ok(value)
}

/// Runs tiles of `n` iterations, without looks at the clock. With a `part`, its replicas take contributions, whose order matters:
/// iterations run in ascending order.
#[inline(always)]
pub(super) fn run_tiles<C, P, R, B>(
    reducer: &R,
    place: &P,
    n: usize,
    numbers: Range<usize>,
    part: Option<usize>,
    body: &B,
) -> R::Value
where
    C: Cursor,
    P: Fn(usize) -> C,
    R: Reducer,
    B: ReduceStep<C, R::Value>,
{
    let mut ascending = Ascending::new(canonical::lanes(R::LANE_BYTES));
    let stops = part.is_some().then_some(&mut ascending as &mut dyn Stops<R::Value>);
    let (part, level) = (part.unwrap_or(0), CompiledFor::UNKNOWN);
    isa::dispatch(Tiles { reducer, place, n, numbers, part, level, body, stops })
        .expect("there is a tile, and none stops")
}

/// [`reduce_values`] on several threads from the beginning, in units of lanes if it is `fine`. Not inlined: its slots would enlarge
/// the stack frame of launches that do not use them, and each page of a frame is probed.
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "a launch, and its distribution")]
fn reduce_distributed<C, R, B>(
    space: &impl HostThreads,
    n: usize,
    fine: bool,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    place: &(impl Fn(usize) -> C + Copy + Sync),
    body: &B,
) -> Result<R::Value, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    let tiles = canonical::tile_count(n, canonical::lanes(R::LANE_BYTES));
    let tuned = tuned(Pattern::Reduce, n);
    let schedule = tuned.and_then(|tuned| tuned.schedule).unwrap_or(sharing.schedule);
    let chunk = sharing.chunk.or(tuned.and_then(|tuned| tuned.chunk));
    if fine && sharing.parts.is_none() {
        let mut shared = SharedTiles::new::<R>(n, 0, 0)?;
        let width = chunk.map_or(1, |chunk| lanes_of(chunk, n, canonical::lanes(R::LANE_BYTES)));
        shared.run(space, schedule, names, width, reducer, place, body);
        let _running = names.enter();
        return Ok(tile::join_pairwise(reducer, tiles, &mut |number| shared.join(reducer, number)));
    }
    let per_unit = match sharing.parts {
        None => match chunk {
            None => tiles_per_unit(space, tiles, sharing.per_thread),
            Some(chunk) => {
                let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
                tiles_per_chunk(tiles, chunk.div_ceil(tile_len))
            }
        },
        Some(_) => tiles_per_unit_in_parts(tiles),
    };
    let units = tiles.div_ceil(per_unit);
    let mut values = UnitValues::<R::Value>::new(units)?;
    // Copies: see `HostThreads::run_units`.
    let (filled, place, body) = (values.shared(), *place, *body);
    let run_unit = move |unit: usize, part: Option<usize>| {
        let first = unit * per_unit;
        let numbers = first..tiles.min(first + per_unit);
        let value = run_tiles(reducer, &place, n, numbers, part, &body);
        // SAFETY: each unit runs once.
        unsafe { filled.put(unit, value) }
    };
    match sharing.parts {
        None => space.run_units(units, schedule, &move |unit| {
            let _running = names.enter();
            run_unit(unit, None);
        }),
        Some(parts) => {
            let part_units = tiles_per_part(tiles, parts) / per_unit;
            space.run_units(units.div_ceil(part_units), sharing.schedule, &move |part| {
                let _running = names.enter();
                (part * part_units..units.min((part + 1) * part_units))
                    .for_each(|unit| run_unit(unit, Some(part)));
            });
        }
    }
    let _running = names.enter();
    // SAFETY: `run_units` has returned, so the call for each unit has (`HostThreads`), and there is at least one.
    Ok(unsafe { values.join(reducer) })
}

/// [`reduce_values`] for a launch of few iterations. `unlooked` of them run without looks; if there are none, the launch's time goes into
/// the history.
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "a launch, and its distribution")]
fn reduce_few<C, R, B>(
    space: &impl HostThreads,
    n: usize,
    sharing: &Sharing,
    (unlooked, history): (usize, History),
    names: &Names<'_>,
    reducer: &R,
    place: &(impl Fn(usize) -> C + Copy + Sync),
    body: &B,
) -> Result<R::Value, NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    let opening = Opening::begin(n, sharing.per_item);
    let (value, threads) = if sharing.at_once {
        let fine = canonical::tile_count(n, canonical::lanes(R::LANE_BYTES)) < 4 * space.threads();
        (reduce_distributed(space, n, fine, sharing, names, reducer, place, body)?, space.threads())
    } else {
        reduce_from_caller(space, n, (unlooked, opening), sharing, names, reducer, place, body)
    };
    if unlooked == 0 {
        history.record(n, opening.elapsed().saturating_mul(threads as u64));
    }
    Ok(value)
}

/// [`reduce_few`] for a launch that begins on the caller. Returns the value, and the number of threads.
#[inline]
#[expect(clippy::too_many_arguments, reason = "a launch, and its distribution")]
fn reduce_from_caller<C, R, B>(
    space: &impl HostThreads,
    n: usize,
    (unlooked, opening): (usize, Opening),
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    place: &(impl Fn(usize) -> C + Copy + Sync),
    body: &B,
) -> (R::Value, usize)
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    let lanes = canonical::lanes(R::LANE_BYTES);
    let tiles = canonical::tile_count(n, lanes);
    let mut shared = None;
    let mut running = Some(names.enter());
    let value = tile::join_pairwise(reducer, tiles, &mut |number| {
        if shared.is_none() {
            let ran = number * canonical::tile_len(lanes);
            // A shorter launch looks at the clock inside each tile, as `opening.rs` documents.
            if n >= BREAK_EVEN && number > 0 {
                let run = |number| run_tiles(reducer, place, n, number..number + 1, None, body);
                let next = opening.tiles(ran, n - ran, space);
                if next == opening::Tiles::Run {
                    return run(number);
                }
                if next == opening::Tiles::Open
                    && let Ok(tiles) = SharedTiles::whole::<R>(n, number)
                {
                    // Not in the kernel any more: there a launch would stay on this thread.
                    running = None;
                    tiles.run_whole(space, sharing.schedule, names, run);
                    running = Some(names.enter());
                    return shared.insert(tiles).join(reducer, number);
                }
            }
            let mut looks: Looks<'_, R> = Looks::new(space, opening, n, unlooked, number, &mut shared);
            let stops: Option<&mut dyn Stops<R::Value>> = Some(&mut looks);
            let numbers = number..number + 1;
            let (part, level) = (0, CompiledFor::UNKNOWN);
            if let Some(value) = isa::dispatch(Tiles { reducer, place, n, numbers, part, level, body, stops })
            {
                return value;
            }
            let opened = shared.as_ref().expect("the tile has stopped");
            let short = opening.is_of_short_iterations(opened.ran::<R>());
            let tuned = tuned(Pattern::Reduce, n);
            let chosen = tuned.and_then(|tuned| tuned.chunk);
            let width = chosen.map_or_else(
                || lanes_per_unit(space, opened.live::<R>(), lanes, short),
                |chunk| lanes_of(chunk, n, lanes),
            );
            let schedule = tuned.and_then(|tuned| tuned.schedule).unwrap_or(sharing.schedule);
            // Not in the kernel any more: there a launch would stay on this thread.
            running = None;
            opened.run(space, schedule, names, width, reducer, place, body);
            running = Some(names.enter());
        }
        shared.as_mut().expect("the launch has opened").join(reducer, number)
    });
    (value, if shared.is_some() { space.threads() } else { 1 })
}
