//! Scanning one chunk of tiles: two passes, with the prefix of the chunk found between them.

use spelt_order::body::{Inlined, Pass};
use spelt_order::cursor::Cursor;
use spelt_order::pending_nodes::PendingNodes;
use spelt_order::scan::{Runs, scan_final, scan_in_order, scan_totals};
use spelt_order::{canonical, tile};
use spelt_reducers::Reducer;

use super::kernel::ScanStep;
use crate::isa::Work;

/// Tiles that one thread scans at a time: a power of two. Unit: tiles. Source: estimated: 8 tiles of 2048 numbers of 8 bytes
/// are 128 KiB, which the second pass finds in the second-level cache of a core.
pub(super) const TILES: usize = 8;

/// The scan of the tiles of one chunk.
pub(super) struct Chunk<'a, R, P, S> {
    pub(super) reducer: &'a R,
    pub(super) n: usize,
    /// The first tile, and the number of tiles, at most [`TILES`].
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) place: P,
    pub(super) body: S,
}

impl<R: Reducer, P, S> Chunk<'_, R, P, S> {
    /// First iteration and length of a tile.
    #[inline(always)]
    fn tile(&self, number: usize) -> (usize, usize) {
        let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
        let first = (self.first + number) * tile_len;
        (first, tile_len.min(self.n - first))
    }
}

/// Both passes over one chunk, with the dispatcher's step between them.
pub(super) struct Scan<'a, R, P, S, B> {
    pub(super) chunk: Chunk<'a, R, P, S>,
    pub(super) between: B,
}

/// The dispatcher's step between the passes over a chunk, given the totals of its tiles.
pub(super) trait Between<V> {
    /// Returns the joined tiles before the chunk, of whose tiles `chunk` holds the totals.
    fn before<R: Reducer<Value = V>>(
        &mut self,
        reducer: &R,
        chunk: &mut Totals<V>,
    ) -> Option<PendingNodes<V>>;
}

/// The totals of a chunk's tiles.
pub(super) struct Totals<V> {
    pub(super) values: [Option<V>; TILES],
}

impl<C, R, P, S, B> Work for Scan<'_, R, P, S, B>
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
    P: Fn(usize) -> C,
    S: ScanStep<C, R::Value>,
    B: Between<R::Value>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match const { canonical::lanes(R::LANE_BYTES) } {
            32 => self.run_lanes::<C, 32>(),
            16 => self.run_lanes::<C, 16>(),
            8 => self.run_lanes::<C, 8>(),
            4 => self.run_lanes::<C, 4>(),
            2 => self.run_lanes::<C, 2>(),
            _ => self.run_lanes::<C, 1>(),
        }
    }
}

impl<R: Reducer, P, S, B> Scan<'_, R, P, S, B>
where
    R::Value: Clone,
    B: Between<R::Value>,
{
    #[inline(always)]
    fn run_lanes<C, const W: usize>(mut self)
    where
        C: Cursor,
        P: Fn(usize) -> C,
        S: ScanStep<C, R::Value>,
    {
        let chunk = &self.chunk;
        let reducer = chunk.reducer;
        let mut body = Inlined::new::<(C, usize, &mut R::Value, bool)>(chunk.body);
        let mut totals = Totals { values: [const { None }; TILES] };
        if R::EXACT {
            for number in 0..chunk.count {
                let (first, len) = chunk.tile(number);
                let start = (chunk.place)(first);
                let body = &mut Pass { body: &mut body, last: false };
                // In index order, unless the bits do not depend on it. An exact reducer may still depend on the order of its joins (of
                // 0.0 and -0.0, `Min` keeps the first).
                totals.values[number] =
                    tile::reduce_tile(&spelt_reducers::InOrder::new(reducer), start, len, body);
            }
            let Some(before) = self.between.before(reducer, &mut totals) else { return };
            let mut value = before.prefix(reducer).unwrap_or_else(|| reducer.init());
            for number in 0..chunk.count {
                let (first, len) = chunk.tile(number);
                scan_in_order((chunk.place)(first), len, &mut value, &mut body);
            }
            return;
        }
        let mut runs: [Runs<R::Value, W>; TILES] = core::array::from_fn(|_| Runs::new());
        for (number, runs) in runs.iter_mut().enumerate().take(chunk.count) {
            let (first, len) = chunk.tile(number);
            *runs = scan_totals(reducer, (chunk.place)(first), len, &mut body);
            totals.values[number] = runs.total().cloned();
        }
        let mut tiles = totals.values.clone();
        let Some(mut before) = self.between.before(reducer, &mut totals) else { return };
        for (number, runs) in runs.iter().enumerate().take(chunk.count) {
            let (first, len) = chunk.tile(number);
            let prefix = before.prefix(reducer);
            scan_final(reducer, (chunk.place)(first), len, prefix.as_ref(), runs, &mut body);
            if let Some(total) = tiles[number].take() {
                before.push(reducer, total, 1);
            }
        }
    }
}

impl<V> Totals<V> {
    /// Adds the chunk's tiles to the tiles before it.
    pub(super) fn push_to<R: Reducer<Value = V>>(&mut self, reducer: &R, nodes: &mut PendingNodes<V>) {
        for total in self.values.iter_mut().filter_map(Option::take) {
            nodes.push(reducer, total, 1);
        }
    }
}

/// Runs all iterations once each, in order: for one thread and an exact reducer.
pub(super) struct InOrder<'a, V, P, S> {
    pub(super) n: usize,
    pub(super) place: P,
    pub(super) body: S,
    pub(super) value: &'a mut V,
}

impl<C, V, P, S> Work for InOrder<'_, V, P, S>
where
    C: Cursor,
    P: Fn(usize) -> C,
    S: ScanStep<C, V>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { n, place, body, value } = self;
        let mut body = Inlined::new::<(C, usize, &mut V, bool)>(body);
        scan_in_order(place(0), n, value, &mut body);
    }
}
