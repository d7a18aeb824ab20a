//! Loops nested in a team.

use spelt_kernels_gpu::tile::{self, Cursor};
use spelt_policies::canonical;
use spelt_reducers::Reducer;

use super::Team;
use super::alone::{each, reduce_here, scan_here};
use super::ranges::{NestedPolicy, Shared};

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
