//! Nested loops on one thread.

use spelt_order::body::{Inlined, Late, ReduceBody, ScanBody};
use spelt_order::by_lanes::reduce_tile_by_lanes;
use spelt_order::cursor::Cursor;
use spelt_order::if_vector_loops;
use spelt_order::pending_nodes::PendingNodes;
use spelt_order::scan::{Goal, scan_in_order, scan_tile};
use spelt_order::short_tile::{longest, reduce_short_tile};
use spelt_order::stopped_tile::NeverStops;
use spelt_order::{canonical, tile};
use spelt_reducers::Reducer;

use crate::device::{HAS_DEVICES, on_device};
use crate::isa::{self, CompiledFor, Work};
use crate::on_heap::{IntoBoxes, OnHeap, apart, finished, is_large};

/// The most rows of a loop that keeps its lanes in registers from the first iteration on. Unit: rows. Source: a closure with checked reads, whose
/// loops are not vector code, takes more instructions in longer ones (`tests/instructions`, `serial_rows`, before its checks were left out).
const FEW_ROWS: usize = 8;

/// The same at a level with masks. Unit: rows. Source: sums of 288 and 300 `f32` (docs/benchmarks.md).
const FEW_ROWS_UNDER_MASKS: usize = 32;

/// The largest body, or closure, that moves to where its loop is. Unit: bytes. Source: an estimate, of a closure with a dozen captured slices; each move of a
/// larger one costs more than the loads that it saves.
pub(crate) const MAX_MOVED: usize = 256;

/// Calls `body(place, distance)` for the iterations `first`, `first + step`, .. below `count`.
///
/// One loop for teams of one thread and for members of a gang, so that `body` has one use: a closure that is called from two
/// places is inlined only if it is short.
#[inline(always)]
pub(super) fn each<C: Cursor>(
    place_of: impl Fn(usize) -> C,
    first: usize,
    step: usize,
    count: usize,
    mut body: impl FnMut(C, usize),
) {
    if first >= count {
        return;
    }
    let mut offset = first;
    let mut place = place_of(first);
    loop {
        let along = if step == 1 { place.line().min(count - offset) } else { 1 };
        for distance in 0..along {
            body(place, distance);
        }
        if step == 1 {
            offset += along;
        } else {
            offset = offset.saturating_add(step);
        }
        if offset >= count {
            return;
        }
        if step == 1 {
            place.advance(along);
        } else {
            place = place_of(offset);
        }
    }
}

/// The closure of a nested reduction or scan: the only use of it in the program.
pub(crate) struct Nested<G>(G);

impl<G> Nested<G> {
    /// The body of a nested reduction.
    #[inline(always)]
    pub(crate) fn reduction<C, V>(closure: G) -> Inlined<Self>
    where
        G: FnMut(C, usize, &mut V),
    {
        Inlined::new::<(C, usize, &mut V)>(Self(closure))
    }

    /// The body of a nested scan.
    #[inline(always)]
    pub(crate) fn scan<C, V>(closure: G) -> Inlined<Self>
    where
        G: FnMut(C, usize, &mut V, bool),
    {
        Inlined::new::<(C, usize, &mut V, bool)>(Self(closure))
    }
}

impl<'v, C, V, G: FnMut(C, usize, &mut V)> Late<(C, usize, &'v mut V)> for Nested<G> {
    #[inline(always)]
    fn call(&mut self, (place, distance, value): (C, usize, &'v mut V)) {
        (self.0)(place, distance, value);
    }
}

impl<'v, C, V, G: FnMut(C, usize, &mut V, bool)> Late<(C, usize, &'v mut V, bool)> for Nested<G> {
    #[inline(always)]
    fn call(&mut self, (place, distance, value, last): (C, usize, &'v mut V, bool)) {
        (self.0)(place, distance, value, last);
    }
}

/// A body that is not copied to where the loop is: one that its owner uses again, or a large one.
pub(crate) struct Lent<'b, B>(pub(crate) &'b mut B);

impl<C, V, B: ReduceBody<C, V>> ReduceBody<C, V> for Lent<'_, B> {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut V) {
        self.0.run(place, distance, value);
    }

    #[inline(always)]
    fn enter(&mut self) {
        self.0.enter();
    }
}

/// The reduction of one thread, finished.
///
/// `MASKS`: whether loops over some lanes of a row may go over all of them under masks, which takes longer if the body can fail, as checked
/// reads do, and so is not vector code.
#[inline(always)]
pub(crate) fn reduce_here<const MASKS: bool, C, R, B>(
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: B,
) -> R::Output
where
    C: Cursor,
    R: Reducer,
    B: ReduceBody<C, R::Value>,
{
    reduce_finished::<MASKS, false, _, _, _>(CompiledFor::UNKNOWN, reducer, count, place, body)
}

/// [`reduce_here`] in code that may know the level that it is compiled for.
#[inline(always)]
pub(crate) fn reduce_at<C, R, B>(
    level: CompiledFor,
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: B,
) -> R::Output
where
    C: Cursor,
    R: Reducer,
    B: ReduceBody<C, R::Value>,
{
    reduce_finished::<false, true, _, _, _>(level, reducer, count, place, body)
}

/// [`reduce_here`]. `KNOWN`: whether `level` may say more than [`CompiledFor::UNKNOWN`]: otherwise there is no code for what it may say.
#[inline(always)]
fn reduce_finished<const MASKS: bool, const KNOWN: bool, C, R, B>(
    level: CompiledFor,
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    mut body: B,
) -> R::Output
where
    C: Cursor,
    R: Reducer,
    B: ReduceBody<C, R::Value>,
{
    if const { !is_large::<R::Value>() && size_of::<B>() > MAX_MOVED } {
        finished(reducer, || {
            reduce_values::<MASKS, KNOWN, _, _>(level, reducer, count, place, Lent(&mut body))
        })
    } else if const { !is_large::<R::Value>() } {
        finished(reducer, || reduce_values::<MASKS, KNOWN, _, _>(level, reducer, count, place, body))
    } else if const { HAS_DEVICES } && on_device() {
        apart!(
            R::Value,
            finished(reducer, || reduce_values::<MASKS, KNOWN, _, _>(level, reducer, count, place, body))
        )
    } else {
        let on_heap = OnHeap(reducer);
        finished(&on_heap, || {
            reduce_values::<MASKS, KNOWN, _, _>(level, &on_heap, count, place, IntoBoxes(&mut body))
        })
    }
}

/// The reduction of one thread.
///
/// It owns the body, which is copied to where the loop is: what it has captured stays in registers here, and is known to be readable there, so
/// that the loop need not read it again in each iteration.
#[inline(always)]
fn reduce_values<const MASKS: bool, const KNOWN: bool, C, R>(
    level: CompiledFor,
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    mut body: impl ReduceBody<C, R::Value>,
) -> R::Value
where
    C: Cursor,
    R: Reducer,
{
    if count == 0 {
        return reducer.init();
    }
    if const { HAS_DEVICES && R::COMMUTATIVE } && on_device() {
        body.enter();
        return by_lanes(reducer, count, place, &mut body);
    }
    // So short a row takes no longer at the caller's level.
    let lanes = const { canonical::lanes(R::LANE_BYTES) };
    if_vector_loops! {{
        if const { R::COMMUTATIVE } && count < lanes {
            let start = place(0);
            if start.line() >= count {
                return tile::reduce_row(reducer, start, count, &mut body).expect("the tile is not empty");
            }
        }
    } else {
        let _ = (lanes, &mut body);
    }}
    if const { MASKS } {
        return reduce_tiles::<MASKS, _, _, _, _>(reducer, 0, count, place, body);
    }
    let masks = level.gains_from_masks();
    isa::dispatch_nested(level, Whole::<'_, R, _, _, KNOWN> { reducer, count, place, masks, body })
}

/// A reduction of at least one iteration, run by one thread. `KNOWN`: as [`reduce_finished`].
struct Whole<'a, R, P, G, const KNOWN: bool> {
    reducer: &'a R,
    count: usize,
    place: P,
    /// Whether a loop may go over all lanes for the last row, where the level has masks.
    masks: bool,
    body: G,
}

impl<C, R, P, G, const KNOWN: bool> Work for Whole<'_, R, P, G, KNOWN>
where
    C: Cursor,
    R: Reducer,
    P: Fn(usize) -> C,
    G: ReduceBody<C, R::Value>,
{
    type Output = R::Value;
    #[inline(always)]
    fn run(self) -> R::Value {
        self.run_with::<false, C>()
    }
    #[inline(always)]
    fn run_masked(self) -> R::Value {
        if const { KNOWN } && self.masks { self.run_with::<true, C>() } else { self.run_with::<false, C>() }
    }
}

impl<R, P, G, const KNOWN: bool> Whole<'_, R, P, G, KNOWN> {
    /// Runs the reduction. `REST`: as [`reduce_short_tile`].
    #[inline(always)]
    fn run_with<const REST: bool, C>(self) -> R::Value
    where
        C: Cursor,
        R: Reducer,
        P: Fn(usize) -> C,
        G: ReduceBody<C, R::Value>,
    {
        let Self { reducer, count, place, mut body, .. } = self;
        let few = const {
            let rows = if REST { FEW_ROWS_UNDER_MASKS } else { FEW_ROWS };
            rows * canonical::lanes(R::LANE_BYTES)
        };
        if_vector_loops! {{
            if const { longest::<R, C>() > 0 } && count <= few {
                body.enter();
                return reduce_short_tile::<false, REST, false, _, _, _>(reducer, place(0), count, &mut body);
            }
        } else {
            let _ = (few, &mut body);
        }}
        Tiles::<'_, R, P, G, false> { reducer, first: 0, count, place, body }.run()
    }
}

/// The tiles of a reduction, at least one, run by one thread of a device.
#[inline(always)]
fn by_lanes<C, R>(
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl ReduceBody<C, R::Value>,
) -> R::Value
where
    C: Cursor,
    R: Reducer,
{
    let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
    let mut nodes = PendingNodes::<R::Value>::new();
    let mut first = 0;
    while first < count {
        let len = tile_len.min(count - first);
        let value = reduce_tile_by_lanes(reducer, place(first), len, body);
        nodes.push(reducer, value.expect("no tile is empty"), 1);
        first += len;
    }
    nodes.join(reducer).expect("there is a tile")
}

/// Reduces the `count` iterations from `first` on, the first of a tile, on one thread. A loop of a team of several threads takes its tiles by
/// this too, so that it shares the copies of the closure.
///
/// `MASKS`: as [`reduce_here`].
#[inline(always)]
pub(super) fn reduce_tiles<const MASKS: bool, C, R, P, G>(
    reducer: &R,
    first: usize,
    count: usize,
    place: P,
    body: G,
) -> R::Value
where
    C: Cursor,
    R: Reducer,
    P: Fn(usize) -> C,
    G: ReduceBody<C, R::Value>,
{
    isa::dispatch(Tiles::<'_, R, P, G, MASKS> { reducer, first, count, place, body })
}

/// The tiles of a reduction, at least one, run by one thread.
struct Tiles<'a, R, P, G, const MASKS: bool> {
    reducer: &'a R,
    first: usize,
    count: usize,
    place: P,
    body: G,
}

impl<C, R, P, G, const MASKS: bool> Work for Tiles<'_, R, P, G, MASKS>
where
    C: Cursor,
    R: Reducer,
    P: Fn(usize) -> C,
    G: ReduceBody<C, R::Value>,
{
    type Output = R::Value;
    #[inline(always)]
    fn run(self) -> R::Value {
        self.run_with::<false, C>()
    }
    #[inline(always)]
    fn run_masked(self) -> R::Value {
        self.run_with::<MASKS, C>()
    }
}

impl<R, P, G, const MASKS: bool> Tiles<'_, R, P, G, MASKS> {
    /// Runs the tiles; `MASKED`: as [`reduce_tile_with`](tile::reduce_tile_with).
    #[inline(always)]
    fn run_with<const MASKED: bool, C>(self) -> R::Value
    where
        C: Cursor,
        R: Reducer,
        P: Fn(usize) -> C,
        G: ReduceBody<C, R::Value>,
    {
        let Self { reducer, mut first, count, place, mut body } = self;
        body.enter();
        let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
        let (end, mut nodes) = (first + count, PendingNodes::<R::Value>::new());
        // One place for the only tile and for others: each would have its own copies of the closure.
        loop {
            let len = tile_len.min(end - first);
            let start = place(first);
            let value =
                tile::reduce_tile_with::<MASKED, _, _, _, _>(reducer, start, len, &mut body, &mut NeverStops);
            let value = value.expect("no tile is empty");
            first += len;
            if first == end {
                return nodes.join_last(reducer, value);
            }
            nodes.push(reducer, value, 1);
        }
    }
}

/// The scan of one thread, finished.
#[inline(always)]
pub(super) fn scan_finished<C, R>(
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl ScanBody<C, R::Value>,
) -> R::Output
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
{
    if const { !is_large::<R::Value>() } {
        finished(reducer, || scan_here(reducer, count, place, body))
    } else if const { HAS_DEVICES } && on_device() {
        apart!(R::Value, finished(reducer, || scan_here(reducer, count, place, body)))
    } else {
        let on_heap = OnHeap(reducer);
        finished(&on_heap, || scan_here(&on_heap, count, place, &mut IntoBoxes(body)))
    }
}

/// The scan of one thread; its total is not finished.
#[inline(always)]
pub(super) fn scan_here<C, R>(
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl ScanBody<C, R::Value>,
) -> R::Value
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
{
    if R::EXACT || count == 0 {
        let mut value = reducer.init();
        if count > 0 {
            scan_in_order(place(0), count, &mut value, body);
        }
        return value;
    }
    let tile_len = canonical::tile_len(canonical::scan_lanes::<R>());
    let mut tiles = PendingNodes::<R::Value>::new();
    let mut first = 0;
    while first < count {
        let len = tile_len.min(count - first);
        let prefix = tiles.prefix(reducer);
        let total = scan_tile(reducer, place(first), len, Goal::Values(prefix.as_ref()), None, body);
        tiles.push(reducer, total.expect("no tile is empty"), 1);
        first += len;
    }
    tiles.join(reducer).expect("there is a tile")
}
