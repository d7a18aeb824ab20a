//! Loops nested in a team.

use spelt_kernels_gpu::pairwise::Blocks;
use spelt_kernels_gpu::scan::{scan_final, scan_in_order, scan_totals};
use spelt_kernels_gpu::tile::{self, Cursor};
use spelt_policies::canonical;
use spelt_reducers::Reducer;

use super::Team;
use super::ranges::{NestedPolicy, Shared};
use crate::isa::{self, Work};

impl<'k, V, K> Team<'k, V, K> {
    #[inline(always)]
    fn shared(&self) -> Shared<'k> {
        Shared { league_rank: self.league_rank, context: self.context }
    }

    /// Calls `body` for every index of `policy`, shared out among the threads of the team; all have finished when it
    /// returns.
    ///
    /// # Panics
    /// If a View that the nested witnesses index does not cover `policy`; if the team's threads do not all come here.
    #[inline(always)]
    #[track_caller]
    pub fn parallel_for<P>(&mut self, policy: P, mut body: impl for<'j> FnMut(P::Index<'k, 'j>))
    where
        P: NestedPolicy<K>,
    {
        let shared = self.shared();
        let count = policy.count();
        if count > 0 {
            policy.check(shared);
        }
        if self.size == 1 || P::EACH_THREAD {
            each(policy.place(0), count, |place, distance| {
                // SAFETY: this thread runs the team's iterations alone, one after the other; they are checked.
                body(unsafe { P::index(shared, place, distance) });
            });
            return;
        }
        // A barrier stands at the end of each loop, so different loops may share out alike indices differently.
        for offset in (self.rank..count).step_by(self.size) {
            // SAFETY: members take different offsets.
            body(unsafe { P::index(shared, policy.place(offset), 0) });
        }
        self.meet::<()>("parallel_for", count);
    }

    /// Reduces over every index of `policy`, in the canonical order of its own; all threads of the team get the
    /// result.
    ///
    /// The bits do not depend on team size or vector length. An empty range gives `finish(init())`.
    ///
    /// # Panics
    /// As [`parallel_for`](Self::parallel_for).
    #[inline(always)]
    #[track_caller]
    pub fn parallel_reduce<P, R>(
        &mut self,
        policy: P,
        mut body: impl for<'j> FnMut(P::Index<'k, 'j>, &mut R::Value),
        reducer: R,
    ) -> R::Output
    where
        P: NestedPolicy<K>,
        R: Reducer,
        R::Value: Clone + Send + 'static,
    {
        let shared = self.shared();
        let count = policy.count();
        if count > 0 {
            policy.check(shared);
        }
        let mut iteration = |place: P::Place, distance: usize, value: &mut R::Value| {
            // SAFETY: each iteration runs once in this loop, which ends with a barrier; they are checked.
            body(unsafe { P::index(shared, place, distance) }, value);
        };
        if self.size == 1 || P::EACH_THREAD {
            let value = reduce_here(&reducer, count, |offset| policy.place(offset), &mut iteration);
            return reducer.finish(value);
        }
        let value = self.reduce_shared(&reducer, count, |offset| policy.place(offset), &mut iteration);
        reducer.finish(value)
    }

    /// [`parallel_reduce`](Self::parallel_reduce) with a closure that returns what its index contributes.
    ///
    /// # Panics
    /// As [`parallel_for`](Self::parallel_for).
    #[inline(always)]
    #[track_caller]
    pub fn parallel_map_reduce<P, R>(
        &mut self,
        policy: P,
        mut map: impl for<'j> FnMut(P::Index<'k, 'j>) -> R::Value,
        reducer: R,
    ) -> R::Output
    where
        P: NestedPolicy<K>,
        R: Reducer + Copy,
        R::Value: Clone + Send + 'static,
    {
        self.parallel_reduce(policy, |index, value: &mut R::Value| reducer.join(value, &map(index)), reducer)
    }

    /// Scans every index of `policy` in order and returns the total to all threads of the team; the closure is as
    /// for [`parallel_scan`](crate::parallel_scan()).
    ///
    /// On host spaces one thread of the team runs it.
    ///
    /// # Panics
    /// As [`parallel_for`](Self::parallel_for).
    #[inline(always)]
    #[track_caller]
    pub fn parallel_scan<P, R>(
        &mut self,
        policy: P,
        mut body: impl for<'j> FnMut(P::Index<'k, 'j>, &mut R::Value, bool),
        reducer: R,
    ) -> R::Output
    where
        P: NestedPolicy<K>,
        R: Reducer,
        R::Value: Clone + Send + 'static,
    {
        let shared = self.shared();
        let count = policy.count();
        if count > 0 {
            policy.check(shared);
        }
        let mut iteration = |place: P::Place, distance: usize, value: &mut R::Value, last: bool| {
            // SAFETY: one thread runs the loop, which ends with a barrier; the iterations are checked.
            body(unsafe { P::index(shared, place, distance) }, value, last);
        };
        let mut total = None;
        if self.rank == 0 || P::EACH_THREAD {
            total = Some(scan_here(&reducer, count, |offset| policy.place(offset), &mut iteration));
        }
        if self.size > 1 && !P::EACH_THREAD {
            total = Some(self.share("parallel_scan", total));
        }
        reducer.finish(total.expect("rank 0 has scanned, and the others have its total"))
    }

    /// The reduction of a team of several threads: whole tiles each, or lanes of the only tile.
    #[track_caller]
    fn reduce_shared<C, R>(
        &mut self,
        reducer: &R,
        count: usize,
        place: impl Fn(usize) -> C,
        body: &mut impl FnMut(C, usize, &mut R::Value),
    ) -> R::Value
    where
        C: Cursor,
        R: Reducer,
        R::Value: Clone + Send + 'static,
    {
        let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
        let tiles = count.div_ceil(tile_len);
        let (rank, size) = (self.rank, self.size);
        let mine: Vec<R::Value> = if tiles == 1 {
            let live = tile::live_lanes::<R>(count);
            (rank..live)
                .step_by(size)
                .map(|lane| tile::reduce_lane(reducer, place(0), count, lane, body))
                .collect()
        } else {
            (rank..tiles)
                .step_by(size)
                .map(|number| {
                    let first = number * tile_len;
                    tile::reduce_tile(reducer, place(first), tile_len.min(count - first), body)
                        .expect("no tile is empty")
                })
                .collect()
        };
        let parts = self.gather("parallel_reduce", mine);
        let part = |number: usize| parts[number % size][number / size].clone();
        match tiles {
            0 => reducer.init(),
            1 => {
                tile::join_lanes(reducer, tile::live_lanes::<R>(count), part).expect("the tile is not empty")
            }
            _ => tile::join_pairwise(reducer, tiles, &mut { part }),
        }
    }
}

/// Calls `body(place, distance)` for `count` iterations from `place` on.
#[inline(always)]
pub(super) fn each<C: Cursor>(mut place: C, mut count: usize, mut body: impl FnMut(C, usize)) {
    while count > 0 {
        let along = place.line().min(count);
        for distance in 0..along {
            body(place, distance);
        }
        count -= along;
        if count > 0 {
            place.advance(along);
        }
    }
}

/// The reduction of one thread.
///
/// A closure with loops in it is too long for the compiler to copy it into each level of the instruction set, and stays
/// at the lowest; so the loop chooses its level itself, unless it is too short to gain by it.
#[inline(always)]
pub(super) fn reduce_here<C, R>(
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value),
) -> R::Value
where
    C: Cursor,
    R: Reducer,
{
    if count == 0 {
        return reducer.init();
    }
    let start = place(0);
    if R::COMMUTATIVE && count < canonical::lanes(R::LANE_BYTES) && start.line() >= count {
        return tile::reduce_row(reducer, start, count, body).expect("the tile is not empty");
    }
    isa::dispatch(Tiles { reducer, count, place, body })
}

/// The tiles of a reduction that one thread runs, one at least.
struct Tiles<'a, R, P, G> {
    reducer: &'a R,
    count: usize,
    place: P,
    body: &'a mut G,
}

impl<C, R, P, G> Work for Tiles<'_, R, P, G>
where
    C: Cursor,
    R: Reducer,
    P: Fn(usize) -> C,
    G: FnMut(C, usize, &mut R::Value),
{
    type Output = R::Value;
    #[inline(always)]
    fn run(self) -> R::Value {
        let Self { reducer, count, place, body } = self;
        let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
        if count <= tile_len {
            return tile::reduce_tile(reducer, place(0), count, body).expect("the tile is not empty");
        }
        let mut blocks = Blocks::new();
        let mut first = 0;
        while first < count {
            let len = tile_len.min(count - first);
            let value = tile::reduce_tile(reducer, place(first), len, body).expect("no tile is empty");
            blocks.push(reducer, value, 1);
            first += len;
        }
        blocks.join(reducer).expect("there is a tile")
    }
}

/// The scan of one thread.
#[inline(always)]
pub(super) fn scan_here<C, R>(
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value, bool),
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
    match const { canonical::lanes(R::LANE_BYTES) } {
        32 => scan_tiles::<C, R, 32>(reducer, count, place, body),
        16 => scan_tiles::<C, R, 16>(reducer, count, place, body),
        8 => scan_tiles::<C, R, 8>(reducer, count, place, body),
        4 => scan_tiles::<C, R, 4>(reducer, count, place, body),
        2 => scan_tiles::<C, R, 2>(reducer, count, place, body),
        _ => scan_tiles::<C, R, 1>(reducer, count, place, body),
    }
}

#[inline(always)]
fn scan_tiles<C, R, const W: usize>(
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value, bool),
) -> R::Value
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
{
    let tile_len = canonical::tile_len(W);
    let mut blocks = Blocks::new();
    let mut first = 0;
    while first < count {
        let len = tile_len.min(count - first);
        let runs = scan_totals::<R, C, _, W>(reducer, place(first), len, body);
        let prefix = blocks.prefix(reducer);
        scan_final(reducer, place(first), len, prefix.as_ref(), &runs, body);
        blocks.push(reducer, runs.total().expect("no tile is empty").clone(), 1);
        first += len;
    }
    blocks.join(reducer).expect("there is a tile")
}
