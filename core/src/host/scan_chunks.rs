//! Scanning one chunk of tiles: in one pass if the value before it is known, else in two, with that value found between them.

use spelt_order::body::{Inlined, Pass};
use spelt_order::cursor::Cursor;
use spelt_order::pending_nodes::PendingNodes;
use spelt_order::scan::{Goal, scan_in_order, scan_tile};
use spelt_order::{canonical, tile};
use spelt_reducers::Reducer;

use super::HostThreads;
use super::chunks::{UNITS_PER_THREAD, tiles_per_unit};
use super::coming_lines::{ComingLines, Fetching};
use super::kernel::ScanStep;
use super::parallel_scan::Turn;
use crate::isa::{CompiledFor, Work};

/// The fewest tiles that one thread of a long scan takes at a time: a power of two. Unit: tiles. Source: measured with the sums of
/// 10^5 `i64` and `f64` on 2 threads (Zen 4): 4 and 8 tiles take equally long, 16 a third longer, as the chunks are then too few.
const MIN_TILES: usize = 8;

/// The most tiles that one thread scans at a time where each has its own total: a power of two. Unit: tiles. Source: measured with the sums
/// of 10^7 `i64` on 2 threads (Zen 4): 32 tiles take a fifth less than 8, which go from reading to writing more often. 32 tiles of 2048
/// numbers of 8 bytes are 512 KiB, which the second pass finds in the second-level cache of a core.
const MAX_TILES: usize = 32;

/// The same where the reducer is exact, so that one total is that of all. Source: measured likewise: 128 tiles, which the second pass finds in
/// the last-level cache, take 7 % less than 32 (docs/benchmarks/scans.md).
const MAX_EXACT_TILES: usize = 128;

/// The chunks of each thread where the reducer is exact, unless they would be too long. Unit: chunks. Source: measured with the sums of 10^6
/// `i64` on 2 threads (Zen 4): four take 0.24 ms, sixteen 0.42, which go from reading to writing more often.
const EXACT_CHUNKS: usize = 4;

/// The most tiles of a chunk.
const fn max_tiles<R: Reducer>() -> usize {
    if R::EXACT { MAX_EXACT_TILES } else { MAX_TILES }
}

/// The number of tiles, a power of two, that make one chunk of a scan of `tiles` tiles.
pub(super) fn tiles_per_chunk<R: Reducer>(space: &impl HostThreads, tiles: usize) -> usize {
    // Short scans give each thread two chunks.
    let least = 1 << (tiles / (2 * space.threads())).max(1).ilog2();
    let tiles = if R::EXACT {
        tiles.div_ceil(EXACT_CHUNKS * space.threads()).next_power_of_two()
    } else {
        tiles_per_unit(space, tiles, UNITS_PER_THREAD)
    };
    tiles.clamp(MIN_TILES.min(least), max_tiles::<R>())
}

/// The number of tiles of `tile_len` iterations, a power of two, of a chunk of so many iterations that was chosen.
pub(super) fn tiles_of<R: Reducer>(chunk: usize, tile_len: usize) -> usize {
    1 << (chunk / tile_len).clamp(1, max_tiles::<R>()).ilog2()
}

/// The scan of the tiles of one chunk.
pub(super) struct Chunk<'a, R, P, S> {
    pub(super) reducer: &'a R,
    pub(super) n: usize,
    /// The first tile, and the number of tiles, at most [`max_tiles`].
    pub(super) first: usize,
    pub(super) count: usize,
    /// Behind references: a copy of either for each function that it is passed to would go through memory.
    pub(super) place: &'a P,
    pub(super) body: &'a S,
    /// The lines to fetch, where the tiles are scanned in rows.
    pub(super) lines: &'a ComingLines,
    pub(super) level: CompiledFor,
}

impl<R: Reducer, P, S> Chunk<'_, R, P, S> {
    /// First iteration and length of a tile.
    #[inline(always)]
    fn tile(&self, number: usize) -> (usize, usize) {
        let tile_len = canonical::tile_len(canonical::scan_lanes::<R>());
        let first = (self.first + number) * tile_len;
        (first, tile_len.min(self.n - first))
    }
}

/// The scan of one chunk.
pub(super) struct Scan<'a, R, P, S, V> {
    pub(super) chunk: Chunk<'a, R, P, S>,
    pub(super) before: Before<'a, V>,
    /// The tiles before the chunk, where they are known, or room for them. A scan in rows adds its own.
    pub(super) tiles: &'a mut PendingNodes<V>,
}

/// How a chunk learns which tiles come before it. One type for all launches, so that they share the copies of the closure.
pub(super) enum Before<'a, V> {
    /// They are known: the chunk needs one pass. Then it may have more than [`max_tiles`].
    Known,
    /// They are known when it is the chunk's turn; meanwhile it finds its totals.
    Turn(Turn<'a, V>),
    /// They will be known to another launch, which gets the totals.
    Later(&'a mut Totals<V>),
}

impl<V: Clone> Before<'_, V> {
    /// Finds the tiles before the chunk, given its totals; false if this launch does not learn them.
    #[inline(always)]
    fn find<R: Reducer<Value = V>>(
        &mut self,
        reducer: &R,
        totals: &mut Totals<V>,
        tiles: &mut PendingNodes<V>,
    ) -> bool {
        match self {
            Self::Known => true,
            Self::Turn(turn) => turn.before(reducer, totals, tiles),
            Self::Later(place) => {
                core::mem::swap(*place, totals);
                false
            }
        }
    }
}

/// The totals of a chunk's tiles: one for each, or that of all where the reducer is exact.
pub(super) struct Totals<V> {
    pub(super) values: [Option<V>; MAX_TILES],
}

impl<V> Totals<V> {
    pub(super) fn new() -> Self {
        Self { values: [const { None }; MAX_TILES] }
    }

    /// Adds the chunk's tiles to the tiles before it.
    pub(super) fn push_to<R: Reducer<Value = V>>(&mut self, reducer: &R, blocks: &mut PendingNodes<V>) {
        for total in self.values.iter_mut().filter_map(Option::take) {
            blocks.push(reducer, total, 1);
        }
    }
}

impl<C, R, P, S> Work for Scan<'_, R, P, S, R::Value>
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
    P: Fn(usize) -> C,
    S: ScanStep<C, R::Value>,
{
    type Output = ();
    #[inline(always)]
    fn compiled_for(mut self, level: CompiledFor) -> Self {
        self.chunk.level = level;
        self
    }
    #[inline(always)]
    fn run(self) {
        if R::EXACT { self.in_order() } else { self.in_rows() }
    }
}

impl<R: Reducer, P, S> Scan<'_, R, P, S, R::Value>
where
    R::Value: Clone,
{
    /// The totals of the tiles as a reduction finds them, then the iterations in index order.
    #[inline(always)]
    fn in_order<C>(mut self)
    where
        C: Cursor,
        P: Fn(usize) -> C,
        S: ScanStep<C, R::Value>,
    {
        let chunk = &self.chunk;
        let reducer = chunk.reducer;
        let mut body = Inlined::new::<(C, usize, &mut R::Value, bool)>(*chunk.body);
        if !matches!(self.before, Before::Known) {
            let mut totals = Totals::new();
            for number in 0..chunk.count {
                let (first, len) = chunk.tile(number);
                let body = &mut Pass { body: &mut body, last: false };
                // In index order, unless the bits do not depend on it. An exact reducer may still depend on the order of its joins (of
                // 0.0 and -0.0, `Min` keeps the first).
                let total = tile::reduce_tile(
                    &spelt_reducers::InOrder::new(reducer),
                    (chunk.place)(first),
                    len,
                    body,
                );
                match (&mut totals.values[0], total) {
                    (Some(all), Some(total)) => reducer.join(all, &total),
                    (all, total) => *all = total,
                }
            }
            if !self.before.find(reducer, &mut totals, self.tiles) {
                return;
            }
        }
        let mut value = self.tiles.prefix(reducer).unwrap_or_else(|| reducer.init());
        for number in 0..chunk.count {
            let (first, len) = chunk.tile(number);
            scan_in_order((chunk.place)(first), len, &mut value, &mut body);
        }
    }

    /// The tiles in rows: for their totals if the tiles before them are not known yet, and then for their values.
    #[inline(always)]
    fn in_rows<C>(mut self)
    where
        C: Cursor,
        P: Fn(usize) -> C,
        S: ScanStep<C, R::Value>,
    {
        let chunk = &self.chunk;
        let reducer = chunk.reducer;
        let body = Inlined::new::<(C, usize, &mut R::Value, bool)>(*chunk.body);
        let mut body = Fetching { body, lines: chunk.lines };
        let mut known = matches!(self.before, Before::Known);
        // Room for them is filled with `None`, which takes as long as a scan of 30 elements.
        let mut totals = if known { None } else { Some(Totals::new()) };
        // One loop for both passes, so that they share the copies of the closure.
        loop {
            for number in 0..chunk.count {
                let (first, len) = chunk.tile(number);
                let prefix = if known { self.tiles.prefix(reducer) } else { None };
                let goal = if known { Goal::Values(prefix.as_ref()) } else { Goal::Total };
                let total =
                    scan_tile(reducer, (chunk.place)(first), len, goal, chunk.level.avx512(), &mut body);
                match (&mut totals, total) {
                    (Some(totals), total) => totals.values[number] = total,
                    (None, Some(total)) => self.tiles.push(reducer, total, 1),
                    (None, None) => {}
                }
            }
            let Some(mut totals) = totals.take() else { return };
            if !self.before.find(reducer, &mut totals, self.tiles) {
                return;
            }
            known = true;
        }
    }
}

/// Runs all iterations once each, in order: for one thread and an exact reducer.
pub(super) struct InOrder<'a, V, P, S> {
    pub(super) n: usize,
    pub(super) place: &'a P,
    pub(super) body: &'a S,
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
        let mut body = Inlined::new::<(C, usize, &mut V, bool)>(*body);
        scan_in_order(place(0), n, value, &mut body);
    }
}

/// A scan of few iterations, at least one, by one thread: in order where the reducer is exact, and else one tile in rows.
pub(super) struct ShortScan<'a, C, R, S> {
    pub(super) reducer: &'a R,
    pub(super) start: C,
    pub(super) len: usize,
    pub(super) level: CompiledFor,
    pub(super) body: S,
}

impl<C, R, S> Work for ShortScan<'_, C, R, S>
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
    S: ScanStep<C, R::Value>,
{
    /// The total.
    type Output = R::Value;
    #[inline(always)]
    fn compiled_for(self, level: CompiledFor) -> Self {
        Self { level, ..self }
    }
    #[inline(always)]
    fn run(self) -> R::Value {
        let Self { reducer, start, len, level, body } = self;
        let mut body = Inlined::new::<(C, usize, &mut R::Value, bool)>(body);
        if R::EXACT {
            let mut value = reducer.init();
            scan_in_order(start, len, &mut value, &mut body);
            return value;
        }
        let total = scan_tile(reducer, start, len, Goal::Values(None), level.avx512(), &mut body);
        total.expect("there is an iteration")
    }
}

#[cfg(all(test, feature = "threads"))]
mod tests {
    use super::*;
    use crate::{ExecutionSpace, Threads, View, parallel_scan};

    /// Compositions of maps `x -> a x + b` of `u32`, the first map first: exact, and not commutative.
    struct Compositions;

    impl Reducer for Compositions {
        type Value = [u32; 2];
        type Output = [u32; 2];
        const COMMUTATIVE: bool = false;
        const EXACT: bool = true;

        fn init(&self) -> [u32; 2] {
            [1, 0]
        }
        fn join(&self, into: &mut [u32; 2], from: &[u32; 2]) {
            let [a, b] = *into;
            *into = [a.wrapping_mul(from[0]), b.wrapping_mul(from[0]).wrapping_add(from[1])];
        }
        fn finish(&self, value: [u32; 2]) -> [u32; 2] {
            value
        }
    }

    /// One total is that of all tiles of a chunk, in their order.
    #[test]
    fn exact_chunks_of_more_tiles_than_have_totals_are_scanned() {
        let space = Threads::builder().num_threads(2).build().expect("two threads");
        let tile_len = canonical::tile_len(canonical::scan_lanes::<Compositions>());
        let n = 300 * tile_len + 77;
        assert!(tiles_per_chunk::<Compositions>(&space, 301) > MAX_TILES);
        // Without a pattern: the maps of a tile would compose to one that commutes with those of others.
        let map = |i: usize| [(i as u32).wrapping_mul(0x9E37_79B9).rotate_left(13) | 1, !(i as u32)];
        let mut y = View::<[u32; 2], 1>::zeros("y", [n]).expect("memory");
        let total = parallel_scan(
            "compositions",
            space.range(0..n),
            &mut y,
            |i, composed, last, mut y| {
                Compositions.join(composed, &map(i.get()));
                if last {
                    y[i] = *composed;
                }
            },
            Compositions,
        )
        .expect("the View covers the range");
        let mut wanted = Compositions.init();
        for (i, found) in y.iter().enumerate() {
            Compositions.join(&mut wanted, &map(i));
            assert_eq!(*found, wanted, "{i}");
        }
        assert_eq!(total, wanted);
    }
}
