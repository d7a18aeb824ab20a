//! `parallel_for` on threads of the host: the iterations in chunks, or a box in tiles.

use spelt_access::{Idx, KernelArgs};
use spelt_order::body::{Inlined, Late};
use spelt_order::cursor::{Boxed, Place, Reversed};
use spelt_order::if_vector_loops;
use spelt_policies::{Iterate, Schedule};

use super::HostThreads;
use super::chunks::BREAK_EVEN;
use super::distribution::{Distribution, Ranges, run_chunks, run_chunks_of};
use super::history::History;
use super::kernel::{ForKernel, InPart, OnSpan, copies};
use super::step::{Pointed, Step};
use crate::isa::{self, CompiledFor, Work};
use crate::launch::{Corners, Indices, Prepared, SpaceFacts};
use crate::names::Names;

/// The iterations of one unit.
///
/// It holds a reference to `body` and its lowered arguments, so that making it costs no copy. `run` makes a copy: behind a
/// reference the compiler would have to reload the arguments after every store of the kernel, and could not vectorise.
pub(super) struct Iterations<'a, C, B, const N: usize> {
    pub(super) start: C,
    pub(super) len: usize,
    pub(super) part: usize,
    pub(super) level: CompiledFor,
    pub(super) body: &'a B,
}

impl<C: Place<N>, B: Late<[usize; N]> + OnSpan<[usize; N]> + InPart, const N: usize> Work
    for Iterations<'_, C, B, N>
{
    type Output = ();
    #[inline(always)]
    fn compiled_for(self, level: CompiledFor) -> Self {
        Self { level, ..self }
    }
    #[inline(always)]
    fn run(self) {
        run_each(self.start, self.len, self.body.in_part(self.part).at_level(self.level));
    }
}

/// The iterations of one unit of a launch, beside their closure.
///
/// Two references, which are passed as two arguments: of the closure's the compiler knows that nothing writes behind it. So it need
/// not reload what a closure without `move` captures after each store of the kernel, and can vectorise.
struct BesideClosure<'a, C, A: KernelArgs, F, const N: usize> {
    closure: &'a F,
    iterations: &'a Iterations<'a, C, ForKernel<'a, A, F, N>, N>,
}

/// A body whose loops run at the level in use.
trait Loops<const N: usize>: InPart + Sync + Late<[usize; N]> {
    /// Runs `len` iterations from `start` on.
    fn run_loop<C: Place<N>>(&self, start: C, len: usize, part: usize);
}

impl<A, F, const N: usize> Loops<N> for ForKernel<'_, A, F, N>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    #[inline(always)]
    fn run_loop<C: Place<N>>(&self, start: C, len: usize, part: usize) {
        let iterations = &Iterations { start, len, part, level: CompiledFor::UNKNOWN, body: self };
        let work = BesideClosure { closure: self.closure(), iterations };
        if self.is_narrow() { isa::dispatch_narrow(work) } else { isa::dispatch(work) }
    }
}

impl<S: Step<[usize; N]> + Sync + ?Sized, const N: usize> Loops<N> for Pointed<'_, S> {
    fn run_loop<C: Place<N>>(&self, start: C, len: usize, part: usize) {
        isa::dispatch(Iterations { start, len, part, level: CompiledFor::UNKNOWN, body: self });
    }
}

impl<C, A, F, const N: usize> Work for BesideClosure<'_, C, A, F, N>
where
    C: Place<N>,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>),
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Iterations { start, len, part, body, .. } = self.iterations;
        run_each(*start, *len, body.in_part(*part).with_closure(self.closure));
    }
}

/// Runs the `left` iterations from `place` on.
#[inline(always)]
fn run_each<C: Place<N>, B: Late<[usize; N]> + OnSpan<[usize; N]>, const N: usize>(
    mut place: C,
    mut left: usize,
    original: B,
) {
    let mut body = Inlined::new::<[usize; N]>(original);
    while left > 0 {
        let along = place.line().min(left);
        // Whole lines in a loop of their own: the compiler steps their addresses, and tests once for all of them whether Views without spans
        // overlap.
        let is_whole = const { !C::LINE } && along == place.extent();
        let lines = if is_whole { place.lines().min(left / along) } else { 1 };
        for line in 0..lines {
            if_vector_loops! {{
                if const { B::WRITES && C::IN_ORDER } {
                    let run = |body: B| {
                        let mut body = Inlined::new::<[usize; N]>(body);
                        for distance in 0..along {
                            body.call(place.at_line(line, distance));
                        }
                    };
                    // SAFETY: the iterations of this line, of which there is at least one, run there and nowhere else.
                    unsafe { original.on_span(place.at_line(line, 0), place.at_line(line, along - 1), run) };
                    continue;
                }
            }}
            for distance in 0..along {
                body.call(place.at_line(line, distance));
            }
        }
        place.advance_lines(lines - 1);
        place.advance(along);
        left -= lines * along;
    }
}

/// Runs a prepared launch.
#[inline(always)]
pub(super) fn run<I, A, F, const N: usize>(launch: Prepared<'_, A, I, N>, closure: &F)
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    if_vector_loops! {{
        if goes_alone::<I, A, F, N>(&launch) {
            // SAFETY: the caller runs all indices, each once.
            let body = unsafe { ForKernel::new(&launch, closure) };
            let _running = launch.names.enter();
            body.run_loop(I::place(&launch.corners, 0), launch.count, 0);
            return;
        }
    }}
    run_any(launch, closure);
}

/// Whether the caller runs all of a launch without a look at the clock, as most short ones.
#[inline(always)]
fn goes_alone<I, A, F, const N: usize>(launch: &Prepared<'_, A, I, N>) -> bool
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    let &Prepared { ref indices, count, parts, state, .. } = launch;
    let in_order = indices.tile().is_none() && indices.iterate() == Iterate::Right;
    if !state.is_usual() || count == 0 || parts.is_some() || indices.chunk().is_some() || !in_order {
        return false;
    }
    let history = History::of::<ForKernel<'_, A, F, N>>();
    indices.space().is_caller()
        || count == 1
        || count < BREAK_EVEN && history.goes_alone_briefly(state, count)
        || indices.space().threads() == 1
}

/// [`run`] for all launches. Not inlined: what it needs of a launch would go through memory in each of them.
#[inline(never)]
fn run_any<I, A, F, const N: usize>(launch: Prepared<'_, A, I, N>, closure: &F)
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    let launch = &launch;
    if launch.count == 0 {
        return;
    }
    // SAFETY: chunks and tiles are disjoint parts of the indices, and `run_units` runs each once.
    let body = unsafe { ForKernel::new(launch, closure) };
    let ranges = Ranges::of(launch);
    if_vector_loops! {{
        run_ranges(&ranges, Some(History::of::<ForKernel<'_, A, F, N>>()), &body);
    } else {
        let history = History::of_function(<ForKernel<'_, A, F, N> as Step<[usize; N]>>::step as *const ());
        let body: Pointed<'_, super::step::ForSteps<'_, N>> = Pointed::new(&body);
        run_ranges(&ranges, Some(history), &body);
    }}
}

/// Runs the iterations of a launch. Without a `history`, that of the loops' type is used.
#[inline(always)]
fn run_ranges<I, B, const N: usize>(ranges: &Ranges<'_, I, N>, history: Option<History>, body: &B)
where
    I: Indices<N>,
    I::Space: HostThreads,
    B: Loops<N>,
{
    let &Ranges { indices, count, corners, .. } = ranges;
    if const { I::IS_BOX } && (indices.tile().is_some() || indices.iterate() == Iterate::Left) {
        run_box(ranges, history, body);
        return;
    }
    // A copy: see `HostThreads::run_units`.
    let body = *body;
    let mut distribution = Distribution::new(ranges, 1);
    if const { I::IS_BOX } {
        distribution.line = line_of(&corners);
    }
    run_chunks_of(history, indices.space(), count, &distribution, move |first, len, part| {
        body.run_loop(I::place(&corners, first), len, part);
    });
}

/// The number of iterations in a line of a box.
fn line_of<const N: usize>((lower, upper): &Corners<N>) -> usize {
    lower.iter().zip(upper).next_back().map_or(1, |(lower, upper)| upper - lower)
}

/// The iterations of one unit that writes elements of a View, beside their closure, as for [`BesideClosure`].
struct EachIndex<'a, F, const N: usize> {
    closure: &'a F,
    iterations: &'a (Boxed<N>, usize),
}

impl<F: Fn([usize; N]), const N: usize> Work for EachIndex<'_, F, N> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (start, len) = *self.iterations;
        run_each(start, len, OfIndex(self.closure));
    }
}

/// A closure that takes an index.
struct OfIndex<'a, F>(&'a F);

impl<F, const N: usize> OnSpan<[usize; N]> for OfIndex<'_, F> {}

copies! {
    [F] OfIndex<'_, F>;
}

impl<F: Fn([usize; N]), const N: usize> Late<[usize; N]> for OfIndex<'_, F> {
    #[inline(always)]
    fn call(&mut self, index: [usize; N]) {
        (self.0)(index);
    }
}

/// Calls `closure` once for each of the `count` indices of a View with these extents. It is no launch: programs make many Views, and a
/// launch over a box has loops for tiles and for either order.
pub(crate) fn for_each_index<F: Fn([usize; N]) + Sync, const N: usize>(
    space: &impl HostThreads,
    names: &Names<'_>,
    extents: [usize; N],
    count: usize,
    closure: &F,
) {
    let schedule = Schedule::default();
    let (break_even, parts) = (BREAK_EVEN, None);
    let distribution = Distribution {
        chunk: None,
        per_item: 1,
        line: line_of(&([0; N], extents)),
        break_even,
        at_once: false,
        schedule,
        parts,
        names,
    };
    run_chunks(space, count, &distribution, |first, len, _part| {
        let iterations = &(Boxed::new([0; N], extents, first), len);
        isa::dispatch(EachIndex { closure, iterations });
    });
}

/// A box in tiles, or with its first index fastest.
struct Tiling<const N: usize> {
    /// The corners; with the first index fastest, these and all places hold the index reversed.
    corners: ([usize; N], [usize; N]),
    /// The extents of a tile, but for those at the ends of the box.
    tile: [usize; N],
    /// The number of tiles in each dimension.
    tiles: [usize; N],
    /// Whether the box is one tile by its extents, which threads may share.
    is_whole: bool,
}

impl<const N: usize> Tiling<N> {
    fn new(corners: &Corners<N>, tile: Option<[usize; N]>, left: bool) -> Self {
        let (mut lower, mut upper) = *corners;
        let mut tile = tile.unwrap_or([0; N]);
        if left {
            lower.reverse();
            upper.reverse();
            tile.reverse();
        }
        let (mut tiles, mut is_whole) = ([0; N], true);
        for d in 0..N {
            let extent = upper[d] - lower[d];
            if tile[d] == 0 {
                tile[d] = extent;
            }
            tiles[d] = extent.div_ceil(tile[d]);
            is_whole &= tile[d] == extent;
        }
        Self { corners: (lower, upper), tile, tiles, is_whole }
    }

    /// The first place of a tile, and the number of its iterations.
    fn tile(&self, number: usize) -> (Boxed<N>, usize) {
        let (lower, upper) = self.corners;
        let place = Boxed::new([0; N], self.tiles, number).index;
        let (mut from, mut to, mut len) = (lower, upper, 1);
        for d in 0..N {
            from[d] += place[d] * self.tile[d];
            to[d] = from[d].saturating_add(self.tile[d]).min(upper[d]);
            len *= to[d] - from[d];
        }
        (Boxed::new(from, to, 0), len)
    }
}

/// Runs a box in tiles, or with its first index fastest.
fn run_box<I, B, const N: usize>(ranges: &Ranges<'_, I, N>, history: Option<History>, body: &B)
where
    I: Indices<N>,
    I::Space: HostThreads,
    B: Loops<N>,
{
    let &Ranges { indices, count, corners, .. } = ranges;
    let left = indices.iterate() == Iterate::Left;
    let tiling = &Tiling::new(&corners, indices.tile(), left);
    let run = |start: Boxed<N>, len: usize, part: usize| {
        if left {
            body.run_loop(Reversed(start), len, part);
        } else {
            // The loop of a box without tiles, so that it is compiled once for both.
            body.run_loop(start, len, part);
        }
    };
    if tiling.is_whole {
        let (lower, upper) = tiling.corners;
        let line = line_of(&tiling.corners);
        let distribution = Distribution { line, ..Distribution::new(ranges, 1) };
        run_chunks_of(history, indices.space(), count, &distribution, |first, len, part| {
            run(Boxed::new(lower, upper, first), len, part);
        });
    } else {
        let number: usize = tiling.tiles.iter().product();
        let distribution = Distribution::new(ranges, count.div_ceil(number).max(1));
        run_chunks_of(history, indices.space(), number, &distribution, |first, len, part| {
            for number in first..first + len {
                let (start, len) = tiling.tile(number);
                run(start, len, part);
            }
        });
    }
}
