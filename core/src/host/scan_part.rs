//! Parts of scans on threads of the host: whole tiles by the loops of `parallel_scan`, and the pieces of cut tiles on the caller.

use core::ops::Range;

use spelt_access::{Idx, KernelArgs};
use spelt_order::body::{Inlined, Pass};
use spelt_order::canonical;
use spelt_order::cursor::Cursor;
use spelt_order::cut_scan::{BegunTile, scan_piece};
use spelt_order::if_vector_loops;
use spelt_order::pending_nodes::PendingNodes;
use spelt_order::scan::{Goal, scan_tile};
use spelt_order::tile::reduce_tile;
use spelt_policies::Schedule;
use spelt_reducers::{InOrder as JoinedInOrder, Reducer};

use super::HostThreads;
use super::chunks::{UNITS_PER_THREAD, tiles_per_unit};
use super::kernel::{OfBoxes, ScanKernel, ScanStep, places};
use super::parallel_scan::{goes_alone, scan_tiles};
use super::scan_chunks::InOrder;
use super::slots::Slots;
use crate::Result;
use crate::arena::NoRoom;
use crate::isa::{self, Work};
use crate::launch::{
    Extension, Indices, NodeRanges, Nodes, Prepared, ScanPass, ScanState, TilePiece, UNLIMITED, scan_tile_len,
};
use crate::names::Names;
use crate::on_heap::{OnHeap, is_large};

/// Runs `iterations` of a prepared launch, which are the next ones of a part.
#[inline]
pub(super) fn run<I, A, F, R, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    iterations: Range<usize>,
    pass: ScanPass,
    closure: &F,
    reducer: &R,
    part: &mut ScanState<R::Value>,
) -> Result<()>
where
    I: Indices<N, Space: HostThreads>,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Clone + Send,
{
    // SAFETY: chunks and pieces are disjoint parts of the indices, and the passes over each follow one another.
    let kernel = unsafe { ScanKernel::new(launch, closure) };
    let (first, count) = (part.range.end, iterations.len());
    let place = places::<I, N>(launch.corners, first, iterations.start);
    let scan =
        ScanLaunch { space: launch.indices.space(), names: launch.names, reducer, place, body: kernel };
    extend(scan, count, pass, part).map_err(|lack| lack.in_kernel(launch.label))
}

/// Runs the next `count` iterations of a part. An error leaves the part as it was.
#[inline]
pub(super) fn extend<C, S, R, P, B>(
    scan: ScanLaunch<'_, S, R, P, B>,
    count: usize,
    pass: ScanPass,
    part: &mut ScanState<R::Value>,
) -> Result<(), NoRoom>
where
    C: Cursor,
    S: HostThreads,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    P: Fn(usize) -> C + Copy + Sync,
    B: ScanStep<C, R::Value>,
{
    if_vector_loops! {{
        extend_with(scan, count, pass, part)
    } else {
        let ScanLaunch { space, names, reducer, place, body } = scan;
        let body: super::step::Pointed<'_, super::step::ScanSteps<'_, C, R::Value>> = super::step::Pointed::new(&body);
        extend_with(ScanLaunch { space, names, reducer, place, body }, count, pass, part)
    }}
}

/// [`extend`] with the body as it is.
#[inline]
fn extend_with<C, S, R, P, B>(
    scan: ScanLaunch<'_, S, R, P, B>,
    count: usize,
    pass: ScanPass,
    part: &mut ScanState<R::Value>,
) -> Result<(), NoRoom>
where
    C: Cursor,
    S: HostThreads,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    P: Fn(usize) -> C + Copy + Sync,
    B: ScanStep<C, R::Value>,
{
    if const { is_large::<R::Value>() } {
        let mut boxed = part.clone().map(Box::new);
        let ScanLaunch { space, names, reducer, place, body } = scan;
        let scan = ScanLaunch { space, names, reducer: &OnHeap(reducer), place, body: OfBoxes(body) };
        scan.extend(count, pass, &mut boxed).map(|()| *part = boxed.map(|value| *value))
    } else {
        let mut values = part.clone();
        scan.extend(count, pass, &mut values).map(|()| *part = values)
    }
}

/// A launch that extends a part; `place(iteration)` is the place of an iteration of the whole.
pub(super) struct ScanLaunch<'a, S, R, P, B> {
    pub(super) space: &'a S,
    pub(super) names: &'a Names<'a>,
    pub(super) reducer: &'a R,
    pub(super) place: P,
    pub(super) body: B,
}

impl<S, R, P, B> ScanLaunch<'_, S, R, P, B>
where
    S: HostThreads,
    R: Reducer + Sync,
    R::Value: Clone + Send,
{
    /// Runs the next `count` iterations of a part.
    fn extend<C>(self, count: usize, pass: ScanPass, state: &mut ScanState<R::Value>) -> Result<(), NoRoom>
    where
        C: Cursor,
        P: Fn(usize) -> C + Copy + Sync,
        B: ScanStep<C, R::Value>,
    {
        let first = state.range.end;
        if R::EXACT {
            self.extend_exactly(count, pass, state)?;
        } else {
            let extension = Extension::new(state.n, first, count, scan_tile_len::<R>());
            if let Some(head) = extension.head() {
                self.run_piece(&head, pass, state);
            }
            let tiles = extension.whole.clone();
            if !tiles.is_empty() {
                match pass {
                    ScanPass::Total => {
                        self.totals(state.n, tiles, self.place, |value, count| {
                            state.nodes.push(self.reducer, value, count);
                        })?;
                    }
                    ScanPass::Values => {
                        let nodes = core::mem::replace(&mut state.nodes, Nodes::new(0));
                        let mut nodes = nodes.into_pending(self.reducer);
                        let count = tiles.len().saturating_mul(scan_tile_len::<R>());
                        scan_tiles(
                            self.space,
                            state.n,
                            tiles.clone(),
                            goes_alone(self.space, count),
                            &mut nodes,
                            None,
                            self.names,
                            self.reducer,
                            &self.place,
                            &self.body,
                        )?;
                        state.nodes = Nodes::from_pending(nodes, tiles.end);
                    }
                }
            }
            if let Some(tail) = extension.tail() {
                self.run_piece(&tail, pass, state);
            }
        }
        state.range.end = first + count;
        Ok(())
    }

    /// [`extend`](Self::extend) where joins are exact: cuts and tiles do not matter.
    fn extend_exactly<C>(
        &self,
        count: usize,
        pass: ScanPass,
        state: &mut ScanState<R::Value>,
    ) -> Result<(), NoRoom>
    where
        C: Cursor,
        P: Fn(usize) -> C + Copy + Sync,
        B: ScanStep<C, R::Value>,
    {
        let Self { space, names, reducer, body, .. } = *self;
        let (first, whole_place) = (state.range.end, self.place);
        let place = |iteration: usize| whole_place(first + iteration);
        let tiles = 0..canonical::tile_count(count, canonical::scan_lanes::<R>());
        let mut nodes = PendingNodes::new();
        if let Some(before) = state.rows.take() {
            nodes.push(reducer, before, 1);
        }
        match pass {
            ScanPass::Total => self.totals(count, tiles, place, |value, _| nodes.push(reducer, value, 1))?,
            ScanPass::Values if goes_alone(space, count) => {
                let _running = names.enter();
                let mut value = nodes.join(reducer).unwrap_or_else(|| reducer.init());
                isa::dispatch(InOrder { n: count, place: &place, body: &body, value: &mut value });
                state.rows = Some(value);
                return Ok(());
            }
            ScanPass::Values => {
                scan_tiles(space, count, tiles, false, &mut nodes, None, names, reducer, &place, &body)?;
            }
        }
        let _running = names.enter();
        state.rows = nodes.join(reducer);
        Ok(())
    }

    /// Finds the totals of the nodes of `tiles` of a scan of `n` iterations, and gives them to `keep` in order, with their numbers of tiles.
    fn totals<C>(
        &self,
        n: usize,
        tiles: Range<usize>,
        place: impl Fn(usize) -> C + Copy + Sync,
        mut keep: impl FnMut(R::Value, usize),
    ) -> Result<(), NoRoom>
    where
        C: Cursor,
        B: ScanStep<C, R::Value>,
    {
        let Self { space, names, reducer, body, .. } = *self;
        let most = if space.threads() == 1 {
            UNLIMITED
        } else {
            tiles_per_unit(space, tiles.len(), UNITS_PER_THREAD)
        };
        let mut values = Slots::<R::Value>::new(NodeRanges::new(tiles.clone(), most).skip_nodes(usize::MAX))?;
        space.run_units(values.len(), Schedule::Static, &|unit| {
            let _running = names.enter();
            let mut nodes = NodeRanges::new(tiles.clone(), most);
            nodes.skip_nodes(unit);
            let numbers = nodes.next().expect("a unit for each node");
            let value = isa::dispatch(TileTotals { reducer, n, numbers, place, body });
            // SAFETY: each unit runs once.
            unsafe { values.put(unit, value) }
        });
        let _running = names.enter();
        for (unit, node) in NodeRanges::new(tiles, most).enumerate() {
            keep(values.take(unit).expect("every unit has run"), node.len());
        }
        Ok(())
    }

    /// Continues the tile in which the part ends.
    fn run_piece<C>(&self, piece: &TilePiece, pass: ScanPass, state: &mut ScanState<R::Value>)
    where
        C: Cursor,
        P: Fn(usize) -> C + Copy + Sync,
        B: ScanStep<C, R::Value>,
    {
        let Self { reducer, body, .. } = *self;
        let _running = self.names.enter();
        let prefix = if pass == ScanPass::Values { state.nodes.prefix(reducer) } else { None };
        let goal = if pass == ScanPass::Values { Goal::Values(prefix.as_ref()) } else { Goal::Total };
        let place = (self.place)(piece.number * scan_tile_len::<R>() + piece.next.start);
        let mut begun = state.take_begun(reducer);
        let (len, next) = (piece.len, piece.next.clone());
        isa::dispatch(CutTile { reducer, place, len, next, goal, begun: &mut begun, body });
        let row = piece.next.end % canonical::scan_lanes::<R>();
        state.put_begun(reducer, begun, row, piece.ends_tile());
    }
}

/// The total of consecutive tiles, at least one.
struct TileTotals<'a, R, P, B> {
    reducer: &'a R,
    n: usize,
    numbers: Range<usize>,
    place: P,
    body: B,
}

impl<C, R, P, B> Work for TileTotals<'_, R, P, B>
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
    P: Fn(usize) -> C,
    B: ScanStep<C, R::Value>,
{
    type Output = R::Value;
    #[inline(always)]
    fn run(self) -> R::Value {
        let Self { reducer, n, numbers, place, body } = self;
        let mut body = Inlined::new::<(C, usize, &mut R::Value, bool)>(body);
        let tile_len = canonical::tile_len(canonical::scan_lanes::<R>());
        let mut nodes = PendingNodes::<R::Value>::new();
        for number in numbers {
            let first = number * tile_len;
            let (place, len) = (place(first), tile_len.min(n - first));
            let total = if R::EXACT {
                // In index order, unless the bits do not depend on it, as in `scan_chunks.rs`.
                let body = &mut Pass { body: &mut body, last: false };
                reduce_tile(&JoinedInOrder::new(reducer), place, len, body)
            } else {
                scan_tile(reducer, place, len, Goal::Total, None, &mut body)
            };
            nodes.push(reducer, total.expect("no tile is empty"), 1);
        }
        nodes.join(reducer).expect("there is a tile")
    }
}

/// A piece of a tile.
struct CutTile<'a, C, R: Reducer, B> {
    reducer: &'a R,
    place: C,
    len: usize,
    next: Range<usize>,
    goal: Goal<'a, R::Value>,
    begun: &'a mut BegunTile<R::Value>,
    body: B,
}

impl<C, R, B> Work for CutTile<'_, C, R, B>
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
    B: ScanStep<C, R::Value>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { reducer, place, len, next, goal, begun, body } = self;
        let mut body = Inlined::new::<(C, usize, &mut R::Value, bool)>(body);
        scan_piece(reducer, place, len, next, goal, begun, &mut body);
    }
}
