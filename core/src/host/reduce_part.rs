//! Parts of reductions on threads of the host: whole tiles by the loops of `parallel_reduce`, and the pieces of cut tiles by lanes.

use core::ops::Range;

use spelt_access::KernelArgs;
use spelt_order::canonical;
use spelt_order::cursor::Cursor;
use spelt_order::if_vector_loops;
use spelt_reducers::Reducer;

use super::HostThreads;
use super::chunks::{UNITS_PER_THREAD, tiles_per_unit};
use super::kernel::{OfBoxes, ReduceKernel, ReduceStep, places};
use super::parallel_reduce::{Sharing, run_tiles};
use super::shared_tiles::{Lanes, SlotsOfTile};
use super::slots::Slots;
use crate::Result;
use crate::arena::NoRoom;
use crate::isa;
use crate::launch::{
    Contribution, Extension, Indices, NodeRanges, PartState, Prepared, TilePiece, UNLIMITED, put_lanes,
    tile_len,
};
use crate::names::Names;
use crate::on_heap::{OnHeap, is_large};

/// Runs `iterations` of a prepared launch, which are the next ones of a part.
#[inline]
pub(super) fn run<I, A, G, R, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    iterations: Range<usize>,
    body: &G,
    reducer: &R,
    state: &mut PartState<R::Value>,
) -> Result<()>
where
    I: Indices<N>,
    I::Space: HostThreads,
    A: KernelArgs,
    G: Contribution<N, A, R>,
    R: Reducer + Sync,
    R::Value: Send,
{
    let indices = &launch.indices;
    let sharing = Sharing::of_iterations(indices.chunk(), indices.schedule(), None);
    // SAFETY: whole tiles, and lanes of a piece of a tile, are disjoint parts of the iterations, and `run_units` runs each once.
    let kernel = unsafe { ReduceKernel::new(launch, body, reducer) };
    let first = state.end;
    let count = iterations.len();
    let place = places::<I, N>(launch.corners, first, iterations.start);
    extend(indices.space(), count, &sharing, launch.names, reducer, state, place, kernel)
        .map_err(|lack| lack.in_kernel(launch.label))
}

/// Reduces the next `count` iterations of a part; `place(iteration)` is the place of an iteration of the whole.
///
/// # Errors
/// If there is no memory for partial results; nothing has run.
#[inline]
#[expect(clippy::too_many_arguments, reason = "a launch, and the part that it extends")]
pub(super) fn extend<C, R, B>(
    space: &impl HostThreads,
    count: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    state: &mut PartState<R::Value>,
    place: impl Fn(usize) -> C + Sync,
    body: B,
) -> Result<(), NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    if_vector_loops! {{
        extend_with(space, count, sharing, names, reducer, state, place, body)
    } else {
        let body: super::step::Pointed<'_, super::step::ReduceSteps<'_, C, R::Value>> = super::step::Pointed::new(&body);
        extend_with(space, count, sharing, names, reducer, state, place, body)
    }}
}

/// [`extend`] with the body as it is.
///
/// # Errors
/// As [`extend`].
#[inline]
#[expect(clippy::too_many_arguments, reason = "a launch, and the part that it extends")]
fn extend_with<C, R, B>(
    space: &impl HostThreads,
    count: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    state: &mut PartState<R::Value>,
    place: impl Fn(usize) -> C + Sync,
    body: B,
) -> Result<(), NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    if const { is_large::<R::Value>() } {
        let empty = PartState::new(state.n, state.n, tile_len::<R>());
        let mut boxed = core::mem::replace(state, empty).map(Box::new);
        let extended =
            extend_in_place(space, count, sharing, names, &OnHeap(reducer), &mut boxed, place, OfBoxes(body));
        *state = boxed.map(|value| *value);
        extended
    } else {
        extend_in_place(space, count, sharing, names, reducer, state, place, body)
    }
}

/// [`extend_with`] with values that are kept as they are.
///
/// # Errors
/// As [`extend`].
#[inline]
#[expect(clippy::too_many_arguments, reason = "a launch, and the part that it extends")]
fn extend_in_place<C, R, B>(
    space: &impl HostThreads,
    count: usize,
    sharing: &Sharing,
    names: &Names<'_>,
    reducer: &R,
    state: &mut PartState<R::Value>,
    place: impl Fn(usize) -> C + Sync,
    body: B,
) -> Result<(), NoRoom>
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Send,
    B: ReduceStep<C, R::Value>,
{
    let extension = Extension::new(state.n, state.end, count, tile_len::<R>());
    let tiles = extension.whole.clone();
    let threads = space.threads();
    let fine = threads > 1 && sharing.chunk.is_some_and(|chunk| chunk < extension.tile_len);
    let fine_tiles = fine && tiles.len() < 4 * threads;
    let most = if threads == 1 { UNLIMITED } else { tiles_per_unit(space, tiles.len(), UNITS_PER_THREAD) };
    let units = if fine_tiles { 0 } else { NodeRanges::new(tiles.clone(), most).skip_nodes(usize::MAX) };
    let mut values = Slots::<R::Value>::new(units)?;
    let mut lanes = Slots::<R::Value>::new(canonical::lanes(R::LANE_BYTES))?;
    let pieces = Pieces { space, sharing, names, reducer, place: &place, body: &body, fine };
    if let Some(head) = extension.head() {
        pieces.run(&head, state, &mut lanes);
    }
    if fine_tiles {
        tiles.clone().for_each(|number| pieces.run(&extension.piece(number, 0), state, &mut lanes));
    } else {
        space.run_units(units, sharing.schedule, &|unit| {
            let _running = names.enter();
            let mut nodes = NodeRanges::new(tiles.clone(), most);
            nodes.skip_nodes(unit);
            let node = nodes.next().expect("a unit for each node");
            let value = run_tiles(reducer, &place, extension.n, node, None, &body);
            // SAFETY: each unit runs once.
            unsafe { values.put(unit, value) }
        });
        let _running = names.enter();
        for (unit, node) in NodeRanges::new(tiles.clone(), most).enumerate() {
            state.nodes.push(reducer, values.take(unit).expect("every unit has run"), node.len());
        }
    }
    if let Some(tail) = extension.tail() {
        pieces.run(&tail, state, &mut lanes);
    }
    state.end = extension.iterations.end;
    Ok(())
}

/// How pieces of tiles run.
struct Pieces<'a, S, R, P, B> {
    space: &'a S,
    sharing: &'a Sharing,
    names: &'a Names<'a>,
    reducer: &'a R,
    place: &'a P,
    body: &'a B,
    /// Whether threads share the lanes.
    fine: bool,
}

impl<S: HostThreads, R, P, B> Pieces<'_, S, R, P, B>
where
    R: Reducer + Sync,
    R::Value: Send,
{
    /// Continues the lanes of a tile from those of the part, in slots that are empty before and after.
    #[inline(never)]
    fn run<C>(&self, piece: &TilePiece, state: &mut PartState<R::Value>, slots: &mut Slots<R::Value>)
    where
        C: Cursor,
        P: Fn(usize) -> C + Sync,
        B: ReduceStep<C, R::Value>,
    {
        let Self { reducer, place, body, .. } = *self;
        for (lane, value) in state.lanes.drain(..).enumerate() {
            // SAFETY: no other thread uses the slots.
            unsafe { slots.put(lane, value) }
        }
        let begun = piece.begun::<R>();
        let width = if self.fine { 1 } else { begun };
        let first = piece.number * tile_len::<R>() + piece.next.start;
        let shared = &*slots;
        self.space.run_units(begun.div_ceil(width), self.sharing.schedule, &|unit| {
            let _running = self.names.enter();
            let lanes = unit * width..begun.min((unit + 1) * width);
            let slots = SlotsOfTile { slots: shared, first: 0 };
            let (place, next) = (place(first), piece.next.clone());
            isa::dispatch(Lanes { reducer, place, len: piece.len, next, lanes, slots, body });
        });
        let _running = self.names.enter();
        put_lanes(reducer, state, piece, |lane| slots.take(lane).expect("every lane that has begun has run"));
    }
}
