//! The operations that launches use of host threads.

use core::convert::Infallible;
use core::ops::Range;

use spelt_access::{Idx, KernelArgs};
use spelt_policies::Schedule;
use spelt_reducers::at_index::Extremes;
use spelt_reducers::{MapReducer, Reducer};

use super::{parallel_for, parallel_reduce, parallel_scan, reduce_part, scan_part, search, teams};
use crate::Result;
use crate::device::{FOR_KERNELS_ALONE, for_kernels_alone, left_out, reach, reach_scan};
use crate::launch::{
    Contribution, ExecutionSpace, Indices, IsLocation, Launches, Mapping, Outlet, PartState, Prepared,
    PreparedLeague, ScanPass, ScanState, SpaceFacts,
};
use crate::team::{Meet, Team};

/// How soon the other threads of a space would join a launch.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// They look for work at the moment: a launch of a few microseconds gains from them.
    Awake,
    /// They sleep. Once woken they look for work for a while, so the next launches find them awake.
    Asleep,
    /// The space cannot tell, or they never look for work without sleeping.
    Unknown,
}

/// Threads of the host that run the units of a launch: every implementation gets [`Launches`].
///
/// # Safety
/// `run_units` calls `body` exactly once for each unit, and returns after all calls have; if a call panics, it panics too, when no call is
/// running any more. If `in_order` returns true, units are begun in ascending order and a unit may wait for lower
/// ones. `run_teams` does as documented.
#[doc(hidden)]
pub unsafe trait HostThreads: SpaceFacts {
    /// Calls `body(unit)` once for each unit in `0..units`.
    ///
    /// A body holds copies of what its units need, rather than references, where they are small: another thread fetches each line of the
    /// caller's memory that it reads, and one after the other where it finds the address of the next in the one before.
    fn run_units(&self, units: usize, schedule: Schedule, body: &(dyn Fn(usize) + Sync));

    /// Whether [`Dynamic`](Schedule::Dynamic) units are begun in ascending order, each by a thread that does
    /// nothing else until the unit is over.
    fn in_order(&self) -> bool;

    /// Whether the caller is the only thread, for all values of the type: a constant where this is inlined.
    #[inline(always)]
    fn is_caller(&self) -> bool {
        false
    }

    /// How soon the other threads would join a launch.
    fn readiness(&self) -> Readiness {
        Readiness::Unknown
    }

    /// The number of bytes from which all threads write them faster than the caller alone, in a fill or a copy. Source: `space.fill`
    /// and `space.deep_copy` of docs/benchmarks.md, on two threads: at half as many the two are level.
    fn min_copy_bytes(&self) -> usize {
        512 << 10
    }

    /// Calls `body(team, rank, gang)` for each rank below `size` of each of `teams` teams, all at the same time, each on
    /// its own thread. Returns false, having called nothing, if that is not possible.
    fn run_teams(
        &self,
        _size: usize,
        _teams: usize,
        _body: &(dyn Fn(usize, usize, &mut dyn Meet) + Sync),
    ) -> bool {
        false
    }
}

// SAFETY: units are disjoint parts of the iterations, and each is run once, before the call returns (`HostThreads`); the passes of a
// scan over a chunk run one after the other.
unsafe impl<S: HostThreads> Launches for S {
    #[inline(always)]
    fn run_for<I, A, F, const N: usize>(launch: Prepared<'_, A, I, N>, closure: F) -> Result<()>
    where
        Self: ExecutionSpace,
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
    {
        for_kernels_alone!(closure(left_out(), left_out()));
        parallel_for::run(launch, &closure);
        Ok(())
    }

    #[inline(always)]
    fn run_reduce<I, A, G, R, O, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        body: G,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        G: Contribution<N, A, R>,
        R: Reducer + Sync,
        R::Value: Send,
        O: Outlet<R>,
    {
        for_kernels_alone!(body.contribute(&reducer, left_out(), left_out(), left_out()), reach(&reducer));
        let output = parallel_reduce::run(launch, &body, &reducer)?;
        // SAFETY: the launch was on the host, and `parallel_reduce_into` takes Views that its space reaches.
        Ok(unsafe { outlet.take(output) })
    }

    #[inline(always)]
    fn run_map_reduce<I, A, F, M, L, O, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        map: Mapping<F, M, L>,
        reducer: M::Reducer,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> M::Item + Sync,
        M: MapReducer<L>,
        M::Reducer: Sync,
        <M::Reducer as Reducer>::Value: Send,
        L: IsLocation<N>,
        O: Outlet<M::Reducer>,
    {
        if const { FOR_KERNELS_ALONE || <M::Extremes as Extremes<M::Item>>::NUMBER == 0 } {
            return Self::run_reduce(launch, map, reducer, outlet);
        }
        let output = search::run(&launch, &map, &reducer);
        // SAFETY: the launch was on the host, and `parallel_reduce_into` takes Views that its space reaches.
        Ok(unsafe { outlet.take(output) })
    }

    #[inline]
    fn run_reduce_part<I, A, G, R, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        iterations: Range<usize>,
        body: G,
        reducer: &R,
        part: &mut PartState<R::Value>,
    ) -> Result<()>
    where
        Self: ExecutionSpace,
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        G: Contribution<N, A, R>,
        R: Reducer + Sync,
        R::Value: Send,
    {
        for_kernels_alone!(body.contribute(reducer, left_out(), left_out(), left_out()), reach(reducer));
        reduce_part::run(&launch, iterations, &body, reducer, part)
    }

    #[inline(always)]
    fn run_scan<I, A, F, R, O, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        O: Outlet<R>,
    {
        for_kernels_alone!(closure(left_out(), left_out(), left_out(), left_out()), reach_scan(&reducer));
        let output = parallel_scan::run(launch, &closure, &reducer)?;
        // SAFETY: the launch was on the host, and `parallel_scan_into` takes Views that its space reaches.
        Ok(unsafe { outlet.take(output) })
    }

    #[inline]
    fn run_scan_part<I, A, F, R, const N: usize>(
        launch: Prepared<'_, A, I, N>,
        iterations: Range<usize>,
        pass: ScanPass,
        closure: F,
        reducer: &R,
        part: &mut ScanState<R::Value>,
    ) -> Result<()>
    where
        Self: ExecutionSpace,
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Clone + Send,
    {
        for_kernels_alone!(closure(left_out(), left_out(), left_out(), left_out()), reach_scan(reducer));
        scan_part::run(&launch, iterations, pass, &closure, reducer, part)
    }

    #[inline]
    fn run_for_teams<A, F, K>(launch: PreparedLeague<'_, A, Self, K>, closure: F) -> Result<()>
    where
        Self: ExecutionSpace,
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
        K: Sync,
    {
        for_kernels_alone!(closure(left_out(), left_out()));
        teams::run_for(&launch, &closure);
        Ok(())
    }

    #[inline]
    fn run_reduce_teams<A, F, R, O, K>(
        launch: PreparedLeague<'_, A, Self, K>,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Send,
        O: Outlet<R>,
        K: Sync,
    {
        for_kernels_alone!(closure(left_out(), left_out()), reach(&reducer));
        let output = teams::run_reduce(&launch, &closure, &reducer)?;
        // SAFETY: the launch was on the host, and `parallel_reduce_into` takes Views that its space reaches.
        Ok(unsafe { outlet.take(output) })
    }

    #[inline]
    fn run_reduce_teams_part<A, F, R, K>(
        launch: PreparedLeague<'_, A, Self, K>,
        closure: F,
        reducer: &R,
        part: &mut PartState<R::Value>,
    ) -> Result<()>
    where
        Self: ExecutionSpace,
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Send,
        K: Sync,
    {
        for_kernels_alone!(closure(left_out(), left_out()), reach(reducer));
        teams::run_reduce_part(&launch, &closure, reducer, part)
    }

    #[inline]
    fn run_scan_teams<A, F, R, O, K>(
        launch: PreparedLeague<'_, A, Self, K>,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        O: Outlet<R>,
        K: Sync,
    {
        for_kernels_alone!(closure(left_out(), left_out(), left_out(), left_out()), reach_scan(&reducer));
        let output = teams::run_scan(&launch, &closure, &reducer)?;
        // SAFETY: the launch was on the host, and `parallel_scan_into` takes Views that its space reaches.
        Ok(unsafe { outlet.take(output) })
    }

    #[inline]
    fn run_scan_teams_part<A, F, R, K>(
        launch: PreparedLeague<'_, A, Self, K>,
        pass: ScanPass,
        closure: F,
        reducer: &R,
        part: &mut ScanState<R::Value>,
    ) -> Result<()>
    where
        Self: ExecutionSpace,
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        K: Sync,
    {
        for_kernels_alone!(closure(left_out(), left_out(), left_out(), left_out()), reach_scan(reducer));
        teams::run_scan_part(&launch, pass, &closure, reducer, part)
    }
}
