//! Loops nested in a team.

use std::panic::resume_unwind;

#[cfg(feature = "cuda")]
use spelt_kernels_gpu::crew::{Crew, reduce as crew_reduce, scan as crew_scan};
#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::Call;
use spelt_order::body::ReduceBody;
#[cfg(feature = "cuda")]
use spelt_order::body::ScanBody;
use spelt_order::cursor::Cursor;
use spelt_order::search::Contributions;
use spelt_order::{canonical, tile};
use spelt_reducers::at_index::Extremes;
use spelt_reducers::of_contributions::OfContributions;
use spelt_reducers::{MapReducer, Reducer};

use super::alone::{Lent, Nested, each, reduce_at, reduce_tiles, scan_finished, scan_here};
use super::mode::{Gang, Mode};
use super::ranges::{NestedPolicy, Shared};
use super::search::search_here;
use super::{Collective, Team};
use crate::arena::{NoScratch, try_with_scratch};
use crate::device::{host_only, on_device};
#[cfg(feature = "cuda")]
use crate::on_heap::apart;
use crate::on_heap::{IntoBoxes, OnHeap, is_large};

impl<'k, V, K> Team<'k, V, K> {
    #[inline(always)]
    #[track_caller]
    fn shared(&self) -> Shared<'k> {
        Shared {
            league_rank: self.league_rank,
            context: self.context,
            own: self.own,
            #[cfg(feature = "cuda")]
            site: core::panic::Location::caller(),
            #[cfg(feature = "cuda")]
            lanes: match &self.mode {
                Mode::Device(member) => Some(member.thread()),
                _ => None,
            },
        }
    }

    /// Panics unless all Views that the nested witnesses index cover `policy`, as the loops over it do; an empty one is covered.
    ///
    /// A search that loops over parts of a range calls it before the first of them: otherwise it would depend on where the search ends
    /// whether a View that is too short is found. The team does not meet.
    ///
    /// # Panics
    /// If a View that the nested witnesses index does not cover `policy`.
    ///
    /// # Complexity
    /// O(1).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let a = View::from_vec("a", [2, 4], vec![1, 0, 3, 4, 5, 6, 7, 8])?;
    /// parallel_for("zeros", space.team(2, AUTO), &a, |team, a| {
    ///     team.check_covered(&team.thread_range(4));
    ///     for j in 0..4 {
    ///         team.parallel_for(team.thread_range(j..j + 1), |rj| assert!(a[rj] != 0 || j == 1));
    ///     }
    /// })?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn check_covered<P: NestedPolicy<K>>(&self, policy: &P) {
        if policy.count() > 0 {
            policy.check(self.shared());
        }
    }

    /// Calls `body` for every index of `policy`, distributed over the threads of the team; all iterations have finished when it
    /// returns.
    ///
    /// # Panics
    /// If a View that the nested witnesses index does not cover `policy`; if the team's threads do not all make this call.
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
        // SAFETY: one thread has the iteration: the only one, the one with its offset, or on a device the one with its
        // index in all loops of the launch; or each thread runs the whole range itself. It is checked.
        let iteration = |place: P::Place, distance: usize| body(unsafe { P::index(shared, place, distance) });
        match &mut self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) if !P::EACH_THREAD => {
                if count > 0 {
                    member.each(P::FLAT, policy.place(0), count, iteration);
                }
                member.meet(Call::new::<()>("parallel_for", count as u64));
            }
            mode => {
                let (first, step) = match mode {
                    Mode::Gang(_) if !P::EACH_THREAD => (self.rank, self.size),
                    _ => (0, 1),
                };
                each(|offset| policy.place(offset), first, step, count, iteration);
                if let Mode::Gang(gang) = mode
                    && !P::EACH_THREAD
                {
                    // Each loop ends with a barrier, so different loops may distribute the same indices differently.
                    gang.meet.meet(Collective::new::<()>("parallel_for", count as u64));
                }
            }
        }
    }

    /// Reduces over every index of `policy`, in the canonical order of this loop; all threads of the team get the result.
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
        let iteration = Nested::reduction(move |place: P::Place, distance: usize, value: &mut R::Value| {
            // SAFETY: each iteration runs once in this loop, which ends with a barrier; they are checked.
            body(unsafe { P::index(shared, place, distance) }, value);
        });
        self.reduce_checked(policy, count, iteration, reducer)
    }

    /// [`parallel_reduce`](Self::parallel_reduce) of the `count` iterations of a policy that is checked.
    #[inline(always)]
    #[track_caller]
    fn reduce_checked<P, R>(
        &mut self,
        policy: P,
        count: usize,
        mut iteration: impl ReduceBody<P::Place, R::Value>,
        reducer: R,
    ) -> R::Output
    where
        P: NestedPolicy<K>,
        R: Reducer,
        R::Value: Clone + Send + 'static,
    {
        let place = move |offset| policy.place(offset);
        match &mut self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) if !P::EACH_THREAD => {
                let call = Call::new::<R::Value>("parallel_reduce", count as u64);
                apart!(R::Value, {
                    let mut iteration =
                        |place, distance, value: &mut R::Value| iteration.run(place, distance, value);
                    reducer.finish(member.reduce(call, P::FLAT, &reducer, count, &place, &mut iteration))
                })
            }
            #[cfg(feature = "cuda")]
            Mode::Device(_) => {
                let alone = Crew::alone();
                apart!(R::Value, {
                    let mut iteration =
                        |place, distance, value: &mut R::Value| iteration.run(place, distance, value);
                    reducer.finish(crew_reduce::reduce_all(&reducer, alone, count, &place, &mut iteration))
                })
            }
            Mode::Gang(gang) if !P::EACH_THREAD => {
                if const { is_large::<R::Value>() } {
                    let on_heap = OnHeap(&reducer);
                    let mut boxes = IntoBoxes(&mut iteration);
                    let value = reduce_shared(gang, self.rank, self.size, &on_heap, count, place, &mut boxes);
                    return on_heap.finish(value);
                }
                let value = reduce_shared(gang, self.rank, self.size, &reducer, count, place, &mut iteration);
                reducer.finish(value)
            }
            mode => reduce_at(mode.level(), &reducer, count, place, iteration),
        }
    }

    /// [`parallel_reduce`](Self::parallel_reduce) with a closure that returns the contribution of its index.
    ///
    /// With [`MinLoc::at_index()`](spelt_reducers::AtIndex) and the like, the location is the index as plain numbers, `[league, j]` for
    /// a pair. The closure may then run several times for an index, and must only compute.
    ///
    /// # Panics
    /// As [`parallel_for`](Self::parallel_for).
    #[inline(always)]
    #[track_caller]
    pub fn parallel_map_reduce<P, M>(
        &mut self,
        policy: P,
        mut map: impl for<'j> FnMut(P::Index<'k, 'j>) -> M::Item,
        mapped: M,
    ) -> <M::Reducer as Reducer>::Output
    where
        P: NestedPolicy<K>,
        M: MapReducer<P::Location>,
        <M::Reducer as Reducer>::Value: Clone + Send + 'static,
    {
        let shared = self.shared();
        let count = policy.count();
        if count > 0 {
            policy.check(shared);
        }
        let reducer = mapped.reducer();
        let mut items =
            Nested::reduction(move |place: P::Place, distance: usize, item: &mut Option<M::Item>| {
                // SAFETY: an iteration may run several times, but one thread at a time runs it, in this loop, which ends with a barrier;
                // the iterations are checked.
                *item = Some(map(unsafe { P::index(shared, place, distance) }));
            });
        let location = |place, distance| P::location(shared, place, distance);
        if const { <M::Extremes as Extremes<M::Item>>::NUMBER > 0 }
            && (P::EACH_THREAD || matches!(self.mode, Mode::Alone(_)))
            && !on_device()
        {
            let place = |offset| policy.place(offset);
            return reducer.finish(search_here::<M, _, _>(&reducer, count, place, &mut items, location));
        }
        let contributions = Contributions::<M, _, _, _>::new(&reducer, items, location);
        self.reduce_checked(policy, count, contributions, OfContributions(&reducer))
    }

    /// Scans every index of `policy` in order and returns the total to all threads of the team; the closure is as
    /// for [`parallel_scan`](crate::parallel_scan()).
    ///
    /// On host spaces one thread of the team runs it, on a device one warp.
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
        let mut iteration =
            Nested::scan(|place: P::Place, distance: usize, value: &mut R::Value, last: bool| {
                // SAFETY: one thread runs the loop, which ends with a barrier; the iterations are checked.
                body(unsafe { P::index(shared, place, distance) }, value, last);
            });
        let place = |offset| policy.place(offset);
        match &mut self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) if !P::EACH_THREAD => {
                let call = Call::new::<R::Value>("parallel_scan", count as u64);
                apart!(R::Value, {
                    let mut iteration = |place, distance, value: &mut R::Value, last| {
                        iteration.run(place, distance, value, last)
                    };
                    reducer.finish(member.scan(call, P::FLAT, &reducer, count, &place, &mut iteration))
                })
            }
            #[cfg(feature = "cuda")]
            Mode::Device(_) => apart!(R::Value, {
                let mut iteration =
                    |place, distance, value: &mut R::Value, last| iteration.run(place, distance, value, last);
                reducer.finish(crew_scan::scan_alone(&reducer, count, &place, &mut iteration))
            }),
            Mode::Gang(_) if !P::EACH_THREAD => {
                if const { is_large::<R::Value>() } {
                    let on_heap = OnHeap(&reducer);
                    let mut boxes = IntoBoxes(&mut iteration);
                    let total = (self.rank == 0).then(|| scan_here(&on_heap, count, place, &mut boxes));
                    return on_heap.finish(self.share("parallel_scan", 0, total));
                }
                let total = (self.rank == 0).then(|| scan_here(&reducer, count, place, &mut iteration));
                reducer.finish(self.share("parallel_scan", 0, total))
            }
            _ => scan_finished(&reducer, count, place, &mut iteration),
        }
    }
}

/// The reduction of a gang: whole tiles each, or lanes of the only tile. Member 0 joins them.
#[track_caller]
fn reduce_shared<C, R>(
    gang: &mut Gang<'_>,
    rank: usize,
    size: usize,
    reducer: &R,
    count: usize,
    place: impl Fn(usize) -> C,
    body: &mut impl ReduceBody<C, R::Value>,
) -> R::Value
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone + Send + 'static,
{
    // SAFETY: only the host has gangs.
    unsafe { host_only() };
    body.enter();
    let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
    let tiles = count.div_ceil(tile_len);
    let parts = if tiles == 1 { tile::live_lanes::<R>(count) } else { tiles };
    let mut part = |number: usize| {
        if tiles == 1 {
            return tile::reduce_lane(reducer, place(0), count, number, body);
        }
        let first = number * tile_len;
        reduce_tiles::<false, _, _, _, _>(reducer, first, tile_len.min(count - first), &place, Lent(body))
    };
    let (mine, bytes) = (parts.saturating_sub(rank).div_ceil(size), size_of::<R::Value>());
    let joined = try_with_scratch(
        mine,
        |number| part(rank + number * size),
        |mine| {
            let total = gang.gather(("parallel_reduce", count), rank, mine, |members| {
                // The others would wait for the same locks.
                if rank > 0 {
                    return None;
                }
                let part = |number: usize| {
                    members[number % size].read(|parts: &[R::Value]| parts[number / size].clone())
                };
                match tiles {
                    0 => Some(reducer.init()),
                    1 => tile::join_lanes(reducer, parts, part),
                    _ => Some(tile::join_pairwise(reducer, tiles, &mut { part })),
                }
            });
            gang.share("parallel_reduce", 0, total)
        },
    );
    joined.unwrap_or_else(|| resume_unwind(Box::new(NoScratch { bytes: mine.saturating_mul(bytes) })))
}
