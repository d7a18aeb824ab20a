//! The operations of a space on a prepared launch.

use core::convert::Infallible;
use core::ops::Range;

use spelt_access::{Idx, KernelArgs};
use spelt_policies::TeamPolicy;
use spelt_reducers::{MapReducer, Reducer};

use super::{
    Contribution, ExecutionSpace, Indices, IsLocation, Mapping, Outlet, PartState, Prepared, ScanPass,
    ScanState, SpaceFacts,
};
use crate::Result;
use crate::team::Team;

/// A prepared launch over a league on the space `S`.
pub(crate) type PreparedLeague<'a, A, S, K> = Prepared<'a, A, &'a TeamPolicy<&'a S, K>, 1>;

/// The operations of a space on a prepared launch: the three patterns over indices, and over leagues of teams.
///
/// Spaces of host threads implement [`HostThreads`](crate::host::HostThreads) and get this trait from it. A device implements
/// this trait itself, so that kernels are compiled for the device only where it is used.
///
/// # Safety
/// Each iteration is run by one thread at a time, with the arguments of the prepared launch. An iteration of a reduction or a `for`
/// runs once; that of a mapped reduction with locations may run several times, one after the other. When a method returns or unwinds,
/// no iteration uses the arguments any more, or their memory is freed after those that do.
#[doc(hidden)]
pub unsafe trait Launches: SpaceFacts + Sized {
    /// Makes later work of this instance wait for all work so far of another instance of the same space. On a host there is none: a launch
    /// returns when it has finished.
    ///
    /// # Errors
    /// Those of the device.
    fn follow(&self, earlier: &Self) -> Result<()> {
        let _ = earlier;
        Ok(())
    }

    /// `parallel_for` over indices.
    fn run_for<I, A, F, const N: usize>(launch: Prepared<'_, A, I, N>, closure: F) -> Result<()>
    where
        Self: ExecutionSpace,
        I: Indices<N, Space = Self>,
        A: KernelArgs,
        F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync;

    /// `parallel_reduce` over indices.
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
        O: Outlet<R>;

    /// `parallel_map_reduce` over indices.
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
        Self::run_reduce(launch, map, reducer, outlet)
    }

    /// Reduces `iterations` of a launch over indices: the next ones of a part.
    ///
    /// If it returns an error, the part is unchanged.
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
        R::Value: Send;

    /// `parallel_scan` over indices.
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
        O: Outlet<R>;

    /// Runs `iterations` of a launch over indices, a pass over the next ones of a part of a scan.
    ///
    /// If it returns an error, the part is unchanged.
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
        R::Value: Clone + Send;

    /// `parallel_for` over a league.
    fn run_for_teams<A, F, K>(launch: PreparedLeague<'_, A, Self, K>, closure: F) -> Result<()>
    where
        Self: ExecutionSpace,
        A: KernelArgs,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
        K: Sync;

    /// `parallel_reduce` over a league.
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
        K: Sync;

    /// Reduces the teams of a launch over a league: the next iterations of a part.
    ///
    /// If it returns an error, the part is unchanged.
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
        K: Sync;

    /// `parallel_scan` over a league.
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
        K: Sync;

    /// Runs the teams of a prepared launch, which are the next iterations of a part of a scan.
    ///
    /// # Errors
    /// As `parallel_scan`.
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
        K: Sync;
}
