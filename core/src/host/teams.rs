//! Leagues on threads of the host: a gang of threads for each team, or one thread.

use core::convert::Infallible;

use spelt_access::KernelArgs;
use spelt_order::body::{Inlined, Late};
use spelt_order::cursor::{Line, Place};
use spelt_policies::TeamSize;
use spelt_reducers::Reducer;

use super::HostThreads;
use super::kernel::InPart;
use super::parallel_for::{Iterations, run_chunks};
use super::parallel_reduce::{Sharing, reduce};
use super::parallel_scan::scan;
use super::slots::Slots;
use crate::Result;
use crate::isa;
use crate::launch::{ExecutionSpace, PreparedLeague};
use crate::team::{Context, Exchange, Gang, Limits, Meet, Mode, Team};

/// How the contributions of a team join, if it makes any.
type Join<'a, V> = &'a (dyn Fn(&mut V, &V) + Sync);

/// The join of teams that contribute nothing.
const NO_JOIN: Join<'static, Infallible> = &|_, _| {};

/// A league, ready to run.
struct League<'a, V> {
    context: Context<'a>,
    join: Join<'a, V>,
}

impl<V> Clone for League<'_, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<V> Copy for League<'_, V> {}

impl<'a, V> League<'a, V> {
    #[inline(always)]
    fn new<A: KernelArgs, S: ExecutionSpace, K>(
        launch: &'a PreparedLeague<'_, A, S, K>,
        limits: &'a Limits,
        join: Join<'a, V>,
    ) -> Self {
        let policy = &launch.indices;
        let scratch = (policy.scratch_per_team(), policy.scratch_per_thread());
        let context =
            Context::new(Some(&launch.names), limits, launch.count, policy.vector_length(), scratch);
        Self { context, join }
    }

    /// Runs `body` with the team of `league_rank`, as its only thread, and returns its contribution.
    ///
    /// # Safety
    /// No other thread runs the same league rank in this launch.
    #[inline(always)]
    unsafe fn alone<K>(
        &self,
        league_rank: usize,
        body: impl for<'k> FnOnce(&mut Team<'k, V, K>),
    ) -> Option<V> {
        // SAFETY: no other thread has this team, which has one member.
        let mut team = unsafe { Team::new(league_rank, (0, 1), &self.context, Mode::Alone, self.join) };
        body(&mut team);
        team.into_contribution()
    }
}

/// The closure of a league with its lowered arguments: the only use of the closure, for gangs and for teams of one thread.
struct TeamKernel<'a, A: KernelArgs, F> {
    closure: &'a F,
    raw: A::Raw,
    part: usize,
}

impl<'a, A: KernelArgs, F> TeamKernel<'a, A, F> {
    /// The closure of `launch`.
    ///
    /// # Safety
    /// It is called once for each league rank of the launch, with a team of that rank.
    #[inline(always)]
    unsafe fn new<S: ExecutionSpace, K>(launch: &PreparedLeague<'_, A, S, K>, closure: &'a F) -> Self {
        Self { closure, raw: launch.raw, part: 0 }
    }
}

impl<A: KernelArgs, F> Clone for TeamKernel<'_, A, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: KernelArgs, F> Copy for TeamKernel<'_, A, F> {}

impl<A: KernelArgs, F> InPart for TeamKernel<'_, A, F> {
    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { part, ..self }
    }
}

impl<'t, 'k, A, F, V, K> Late<&'t mut Team<'k, V, K>> for TeamKernel<'_, A, F>
where
    A: KernelArgs,
    F: for<'i> Fn(&mut Team<'i, V, K>, A::Access<'i>),
{
    #[inline(always)]
    fn call(&mut self, team: &'t mut Team<'k, V, K>) {
        // SAFETY: each league rank runs once; witnesses are made by the team, which checks nested loops.
        unsafe { (self.closure)(team, A::access(&self.raw, self.part)) }
    }
}

/// The body of a league.
trait TeamStep<V, K>: InPart + Sync + for<'t, 'k> Late<&'t mut Team<'k, V, K>> {}
impl<V, K, B: InPart + Sync + for<'t, 'k> Late<&'t mut Team<'k, V, K>>> TeamStep<V, K> for B {}

/// The number of threads of each team, if teams run as gangs; `None` where a team has one thread, because the policy asks for no
/// more or an argument does not allow it.
fn gang_size<A, S, K>(launch: &PreparedLeague<'_, A, S, K>, limits: &Limits) -> Option<usize>
where
    A: KernelArgs,
    S: ExecutionSpace,
{
    match launch.indices.team_size() {
        TeamSize::Threads(size) if size > 1 && launch.parts.is_none() && limits.threads_allowed() => {
            Some(size)
        }
        _ => None,
    }
}

/// Runs a league with teams of `size` threads; `contributed(league rank, value)` receives the contribution of rank 0. False,
/// with nothing run, where the space has no threads for it now.
fn run_gangs<A, S, V, K, B>(
    launch: &PreparedLeague<'_, A, S, K>,
    size: usize,
    limits: &Limits,
    join: Join<'_, V>,
    body: B,
    contributed: impl Fn(usize, V) + Sync,
) -> bool
where
    A: KernelArgs,
    S: ExecutionSpace + HostThreads,
    B: TeamStep<V, K>,
{
    let (space, league, names) = (*launch.indices.space(), launch.count, &launch.names);
    let context = League::new(launch, limits, join).context;
    let exchanges: Vec<Exchange> =
        (0..HostThreads::threads(space) / size).map(|_| Exchange::default()).collect();
    space.run_teams(size, exchanges.len(), &|number, rank, gang: &mut dyn Meet| {
        let _running = names.enter();
        let mut body = Inlined::new::<&mut Team<'_, V, K>>(body);
        for league_rank in (number..league).step_by(exchanges.len()) {
            let mode = Mode::Gang(Gang { meet: &mut *gang, exchange: &exchanges[number] });
            // SAFETY: each league rank belongs to one gang, and a gang runs its league ranks one after the other.
            let mut team = unsafe { Team::<V, K>::new(league_rank, (rank, size), &context, mode, join) };
            body.call(&mut team);
            let contribution = team.into_contribution();
            gang.meet(crate::team::Collective::new::<()>("end of the kernel", 0));
            if let Some(value) = contribution {
                contributed(league_rank, value);
            }
        }
    })
}

/// Teams of one thread in a `parallel_for`.
struct ForTeams<'a, B, K> {
    league: League<'a, Infallible>,
    body: B,
    kind: core::marker::PhantomData<fn(K)>,
}

impl<B: Copy, K> Clone for ForTeams<'_, B, K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: Copy, K> Copy for ForTeams<'_, B, K> {}

impl<B: InPart, K> InPart for ForTeams<'_, B, K> {
    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { body: self.body.in_part(part), ..self }
    }
}

impl<B: TeamStep<Infallible, K>, K> Late<[usize; 1]> for ForTeams<'_, B, K> {
    #[inline(always)]
    fn call(&mut self, [league_rank]: [usize; 1]) {
        let mut body = Inlined::new::<&mut Team<'_, Infallible, K>>(self.body);
        // SAFETY: each league rank runs once.
        unsafe { self.league.alone(league_rank, |team| body.call(team)) };
    }
}

/// Runs a prepared `parallel_for`.
#[inline]
pub(super) fn run_for<A, S, F, K>(launch: &PreparedLeague<'_, A, S, K>, closure: &F)
where
    A: KernelArgs,
    S: ExecutionSpace + HostThreads,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
    K: Sync,
{
    let limits = Limits::new(launch.args);
    // SAFETY: gangs and teams of one thread run each league rank of the launch once.
    let body = unsafe { TeamKernel::<A, F>::new(launch, closure) };
    if let Some(size) = gang_size(launch, &limits)
        && run_gangs(launch, size, &limits, NO_JOIN, body, |_, _| {})
    {
        return;
    }
    let league = League::new(launch, &limits, NO_JOIN);
    let alone = ForTeams::<_, K> { league, body, kind: core::marker::PhantomData };
    let space = *launch.indices.space();
    let in_a_chunk = || launch.count.div_ceil(HostThreads::threads(space) * 16).max(1);
    let chunk = launch.indices.chunk_size().unwrap_or_else(in_a_chunk);
    let schedule = launch.indices.schedule_kind();
    run_chunks(space, launch.count, chunk, schedule, launch.parts, &launch.names, |first, len, part| {
        isa::dispatch(Iterations { start: Line { index: first }, len, part, body: &alone });
    });
}

/// Teams of one thread in a `parallel_reduce`.
struct ReduceTeams<'a, B, R: Reducer, K> {
    league: League<'a, R::Value>,
    reducer: &'a R,
    body: B,
    kind: core::marker::PhantomData<fn(K)>,
}

impl<B: Copy, R: Reducer, K> Clone for ReduceTeams<'_, B, R, K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: Copy, R: Reducer, K> Copy for ReduceTeams<'_, B, R, K> {}

impl<B: InPart, R: Reducer, K> InPart for ReduceTeams<'_, B, R, K> {
    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { body: self.body.in_part(part), ..self }
    }
}

impl<'v, B, R, K> Late<(Line, usize, &'v mut R::Value)> for ReduceTeams<'_, B, R, K>
where
    B: TeamStep<R::Value, K>,
    R: Reducer,
{
    #[inline(always)]
    fn call(&mut self, (place, distance, value): (Line, usize, &'v mut R::Value)) {
        let [league_rank] = place.at(distance);
        let mut body = Inlined::new::<&mut Team<'_, R::Value, K>>(self.body);
        // SAFETY: each league rank runs once.
        let contribution = unsafe { self.league.alone(league_rank, |team| body.call(team)) };
        if let Some(contribution) = contribution {
            self.reducer.join(value, &contribution);
        }
    }
}

/// The contributions of the gangs of a league.
struct Contributed<'a, R: Reducer> {
    slots: &'a Slots<R::Value>,
    reducer: &'a R,
}

impl<R: Reducer> Clone for Contributed<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R: Reducer> Copy for Contributed<'_, R> {}

impl<R: Reducer> InPart for Contributed<'_, R> {
    fn in_part(self, _part: usize) -> Self {
        self
    }
}

impl<'v, R: Reducer> Late<(Line, usize, &'v mut R::Value)> for Contributed<'_, R> {
    #[inline(always)]
    fn call(&mut self, (place, distance, value): (Line, usize, &'v mut R::Value)) {
        let [league_rank] = place.at(distance);
        // SAFETY: the gangs are done, and the reduction visits each league rank once.
        if let Some(contribution) = unsafe { self.slots.take_shared(league_rank) } {
            self.reducer.join(value, &contribution);
        }
    }
}

/// Runs a prepared `parallel_reduce`.
#[inline]
pub(super) fn run_reduce<A, S, F, R, K>(
    launch: &PreparedLeague<'_, A, S, K>,
    closure: &F,
    reducer: &R,
) -> Result<R::Output>
where
    A: KernelArgs,
    S: ExecutionSpace + HostThreads,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Send,
    K: Sync,
{
    let (label, league, names) = (launch.label, launch.count, &launch.names);
    let space = *launch.indices.space();
    let limits = Limits::new(launch.args);
    let join = |into: &mut R::Value, from: &R::Value| reducer.join(into, from);
    // SAFETY: gangs and teams of one thread run each league rank of the launch once.
    let body = unsafe { TeamKernel::<A, F>::new(launch, closure) };
    let place = |offset| Line { index: offset };
    let schedule = launch.indices.schedule_kind();
    if let Some(size) = gang_size(launch, &limits) {
        let slots = Slots::<R::Value>::new(league).map_err(|lack| lack.in_kernel(label))?;
        // SAFETY: one member of the one gang of each league rank contributes.
        let keep = |league_rank, value| unsafe { slots.put(league_rank, value) };
        if run_gangs(launch, size, &limits, &join, body, keep) {
            let sharing = Sharing { chunk: None, schedule, parts: None };
            let contributed = Contributed { slots: &slots, reducer };
            return reduce(space, league, &sharing, names, reducer, place, contributed)
                .map_err(|lack| lack.in_kernel(label));
        }
    }
    let chunk = Some(launch.indices.chunk_size().unwrap_or(1));
    let sharing = Sharing { chunk, schedule, parts: launch.parts };
    let league_of_one = League::new(launch, &limits, &join);
    let alone =
        ReduceTeams::<_, R, K> { league: league_of_one, reducer, body, kind: core::marker::PhantomData };
    reduce(space, league, &sharing, names, reducer, place, alone).map_err(|lack| lack.in_kernel(label))
}

/// Teams in a `parallel_scan`: the running value passes from one to the next, so each has one thread.
struct ScanTeams<'a, A: KernelArgs, F, K> {
    league: League<'a, Infallible>,
    closure: &'a F,
    raw: A::Raw,
    kind: core::marker::PhantomData<fn(K)>,
}

impl<A: KernelArgs, F, K> Clone for ScanTeams<'_, A, F, K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: KernelArgs, F, K> Copy for ScanTeams<'_, A, F, K> {}

impl<'v, A, F, V, K> Late<(Line, usize, &'v mut V, bool)> for ScanTeams<'_, A, F, K>
where
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut V, bool, A::Access<'k>),
{
    #[inline(always)]
    fn call(&mut self, (place, distance, value, last): (Line, usize, &'v mut V, bool)) {
        let [league_rank] = place.at(distance);
        let (closure, raw) = (self.closure, &self.raw);
        // SAFETY: each league rank is run by one thread at a time; witnesses are made by the team, which checks nested loops.
        unsafe {
            self.league.alone(league_rank, |team: &mut Team<'_, Infallible, K>| {
                closure(team, value, last, A::access(raw, 0));
            });
        }
    }
}

/// Runs a prepared `parallel_scan`.
#[inline]
pub(super) fn run_scan<A, S, F, R, K>(
    launch: &PreparedLeague<'_, A, S, K>,
    closure: &F,
    reducer: &R,
) -> Result<R::Output>
where
    A: KernelArgs,
    S: ExecutionSpace + HostThreads,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    K: Sync,
{
    let limits = Limits::new(launch.args);
    let league = League::new(launch, &limits, NO_JOIN);
    let body = ScanTeams::<A, F, K> { league, closure, raw: launch.raw, kind: core::marker::PhantomData };
    let place = |offset| Line { index: offset };
    scan(*launch.indices.space(), launch.count, &launch.names, reducer, place, body)
        .map_err(|lack| lack.in_kernel(launch.label))
}

#[cfg(all(test, feature = "threads", not(spelt_loom)))]
mod tests {
    use super::*;
    use crate::launch::{ScatteredArguments, launch};
    use crate::{Threads, View};

    /// Only gangs need places for what the teams of a league contribute.
    #[test]
    fn teams_run_as_gangs_where_they_have_several_threads_and_may() {
        let space = Threads::builder().num_threads(2).build().expect("two threads");
        let mut table = View::<f64, 2>::zeros("table", [4, 3]).expect("memory");
        let mut bins = View::<u64, 1>::zeros("bins", [3]).expect("memory");
        macro_rules! size_of_gangs {
            ($size:expr, $args:expr) => {
                launch("k", space.team(4, $size), $args, ScatteredArguments::Allowed, |launch| {
                    Ok(gang_size(&launch, &Limits::new(launch.args)))
                })
                .expect("the launch is valid")
            };
        }
        assert_eq!(size_of_gangs!(2, ()), Some(2));
        assert_eq!(size_of_gangs!(2, &table), Some(2));
        assert_eq!(size_of_gangs!(1, ()), None);
        assert_eq!(size_of_gangs!(crate::AUTO, ()), None);
        assert_eq!(size_of_gangs!(2, &mut table), None);
        assert_eq!(size_of_gangs!(2, bins.scatter()), None);
    }
}
