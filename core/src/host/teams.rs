//! Leagues on threads of the host: a gang of threads for each team, or one thread.

use core::cell::OnceCell;
use core::convert::Infallible;
use core::marker::PhantomData;

use spelt_access::KernelArgs;
use spelt_order::body::{Inlined, Late};
use spelt_order::cursor::{Line, Place};
use spelt_reducers::Reducer;

use super::HostThreads;
use super::chunks::BREAK_EVEN;
use super::distribution::{Distribution, run_chunks};
use super::gangs::{Contributed, Join, context, gang_size, run_gangs};
use super::kernel::{InPart, OnSpan, TeamKernel, TeamStep, copies};
use super::parallel_for::Iterations;
use super::parallel_reduce::{Sharing, reduce};
use super::parallel_scan::scan;
use super::reduce_part::extend;
use super::scan_part::{self, ScanLaunch};
use super::slots::Slots;
use crate::Result;
use crate::isa::{self, CompiledFor};
use crate::launch::{ExecutionSpace, PartState, PreparedLeague, ScanPass, ScanState};
use crate::team::{Context, Limits, Mode, Team};

/// A team may take as long as this many short iterations. Unit: iterations. Source: a team that sums 8 numbers takes 2 ns, as 16
/// iterations of a sum.
const PER_TEAM: usize = 16;

/// The number of teams for each thread below which a league does not begin on the caller: its first team may be long, and the other
/// threads would wait for it. Unit: teams.
const FEW_TEAMS: usize = 8;

/// Whether a league has so few teams that it does not begin on the caller.
fn is_small(league: usize, threads: usize) -> bool {
    league < FEW_TEAMS * threads
}

/// The join of teams that contribute nothing.
const NO_JOIN: Join<'static, Infallible> = &|_, _| {};

/// The teams of a league, of one thread each.
struct LoneTeams<'a, V> {
    context: Context<'a>,
    join: Join<'a, V>,
}

copies! {
    [B: Copy, K] ForTeams<'_, B, K>;
    [B: Copy, R: Reducer, K] ReduceTeams<'_, B, R, K>;
    [A: KernelArgs, F, K] ScanTeams<'_, A, F, K>;
}

impl<V> LoneTeams<'_, V> {
    /// Runs `body` with the team of `league_rank`, as its only thread, in code of this level, and returns its contribution.
    ///
    /// # Safety
    /// No other thread runs the same league rank in this launch.
    #[inline(always)]
    unsafe fn run<K>(
        &self,
        league_rank: usize,
        level: CompiledFor,
        body: impl for<'k> FnOnce(&mut Team<'k, V, K>),
    ) -> Option<V> {
        let own = OnceCell::new();
        // SAFETY: no other thread has this team, which has one member.
        let mut team =
            unsafe { Team::new(league_rank, (0, 1), &self.context, Mode::Alone(level), self.join, &own) };
        body(&mut team);
        team.into_contribution()
    }
}

/// Teams of one thread in a `parallel_for`.
struct ForTeams<'a, B, K> {
    /// Not a copy: one would be made for each part, and a launch of few teams waits for what it stored just before.
    teams: &'a LoneTeams<'a, Infallible>,
    level: CompiledFor,
    body: B,
    kind: PhantomData<fn(K)>,
}

impl<B: InPart, K> InPart for ForTeams<'_, B, K> {
    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { body: self.body.in_part(part), ..self }
    }

    #[inline(always)]
    fn at_level(self, level: CompiledFor) -> Self {
        Self { level, ..self }
    }
}

impl<B: InPart, K> OnSpan<[usize; 1]> for ForTeams<'_, B, K> {}

impl<B: TeamStep<Infallible, K>, K> Late<[usize; 1]> for ForTeams<'_, B, K> {
    #[inline(always)]
    fn call(&mut self, [league_rank]: [usize; 1]) {
        let mut body = Inlined::new::<&mut Team<'_, Infallible, K>>(self.body);
        let level = self.level.never_fails(!B::MAY_FAIL);
        // SAFETY: each league rank runs once.
        unsafe { self.teams.run(league_rank, level, |team| body.call(team)) };
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
    let mut limits = Limits::none();
    let limits = limits.of(launch.args, launch.indices.ranks().end);
    let context = context(launch.indices, launch.names, limits);
    // SAFETY: gangs and teams of one thread run each league rank of the launch once.
    let body = unsafe { TeamKernel::<A, F>::new(launch, closure) };
    if let Some(size) = gang_size(launch, limits)
        && run_gangs(launch.indices, launch.names, size, context, NO_JOIN, body, |_, _| {})
    {
        return;
    }
    let teams = LoneTeams { context, join: NO_JOIN };
    let alone = ForTeams::<_, K> { teams: &teams, level: CompiledFor::UNKNOWN, body, kind: PhantomData };
    let space = *launch.indices.space();
    let distribution = Distribution {
        chunk: launch.indices.chunk_size(),
        per_item: PER_TEAM,
        line: 1,
        break_even: BREAK_EVEN,
        at_once: is_small(launch.count, space.threads()),
        schedule: launch.indices.schedule_kind(),
        parts: launch.parts,
        names: launch.names,
    };
    let first_rank = launch.indices.ranks().start;
    run_chunks(space, launch.count, &distribution, |first, len, part| {
        let start = Line { index: first_rank + first };
        isa::dispatch(Iterations { start, len, part, level: CompiledFor::UNKNOWN, body: &alone });
    });
}

/// Teams of one thread in a `parallel_reduce`.
struct ReduceTeams<'a, B, R: Reducer, K> {
    teams: &'a LoneTeams<'a, R::Value>,
    reducer: &'a R,
    level: CompiledFor,
    body: B,
    kind: PhantomData<fn(K)>,
}

impl<B: InPart, R: Reducer, K> InPart for ReduceTeams<'_, B, R, K> {
    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { body: self.body.in_part(part), ..self }
    }

    #[inline(always)]
    fn at_level(self, level: CompiledFor) -> Self {
        Self { level, ..self }
    }
}

impl<B: InPart, R: Reducer, K> OnSpan<Line> for ReduceTeams<'_, B, R, K> {}

impl<'v, B, R, K> Late<(Line, usize, &'v mut R::Value)> for ReduceTeams<'_, B, R, K>
where
    B: TeamStep<R::Value, K>,
    R: Reducer,
{
    #[inline(always)]
    fn call(&mut self, (place, distance, value): (Line, usize, &'v mut R::Value)) {
        let [league_rank] = place.at(distance);
        let mut body = Inlined::new::<&mut Team<'_, R::Value, K>>(self.body);
        let level = self.level.never_fails(!B::MAY_FAIL);
        // SAFETY: each league rank runs once.
        let contribution = unsafe { self.teams.run(league_rank, level, |team| body.call(team)) };
        if let Some(contribution) = contribution {
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
    let (label, league, names) = (launch.label, launch.count, launch.names);
    let space = *launch.indices.space();
    let mut limits = Limits::none();
    let limits = limits.of(launch.args, launch.indices.ranks().end);
    let context = context(launch.indices, launch.names, limits);
    let join = |into: &mut R::Value, from: &R::Value| reducer.join(into, from);
    // SAFETY: gangs and teams of one thread run each league rank of the launch once.
    let body = unsafe { TeamKernel::<A, F>::new(launch, closure) };
    let schedule = launch.indices.schedule_kind();
    if let Some(size) = gang_size(launch, limits) {
        let slots = Slots::<R::Value>::new(league).map_err(|lack| lack.in_kernel(label))?;
        // SAFETY: one member of the one gang of each league rank contributes.
        let keep = |league_rank, value| unsafe { slots.put(league_rank, value) };
        if run_gangs(launch.indices, launch.names, size, context, &join, body, keep) {
            let sharing = Sharing::of_iterations(None, schedule, None);
            let contributed = Contributed { slots: &slots, reducer };
            let place = place_in_part(0, 0);
            return reduce(space, league, &sharing, names, reducer, place, contributed)
                .map_err(|lack| lack.in_kernel(label));
        }
    }
    let (chunk, at_once) = (launch.indices.chunk_size(), is_small(league, space.threads()));
    let sharing =
        Sharing { per_item: PER_TEAM, at_once, ..Sharing::of_iterations(chunk, schedule, launch.parts) };
    let teams = LoneTeams { context, join: &join };
    let level = CompiledFor::UNKNOWN;
    let alone = ReduceTeams::<_, R, K> { teams: &teams, reducer, level, body, kind: PhantomData };
    let first_rank = launch.indices.ranks().start;
    let place = place_in_part(0, first_rank);
    reduce(space, league, &sharing, names, reducer, place, alone).map_err(|lack| lack.in_kernel(label))
}

/// Runs the teams of a prepared launch, which are the next iterations of a part.
#[inline]
pub(super) fn run_reduce_part<A, S, F, R, K>(
    launch: &PreparedLeague<'_, A, S, K>,
    closure: &F,
    reducer: &R,
    state: &mut PartState<R::Value>,
) -> Result<()>
where
    A: KernelArgs,
    S: ExecutionSpace + HostThreads,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Send,
    K: Sync,
{
    let (label, count, names) = (launch.label, launch.count, launch.names);
    let (space, policy) = (*launch.indices.space(), launch.indices);
    let mut limits = Limits::none();
    let limits = limits.of(launch.args, launch.indices.ranks().end);
    let context = context(launch.indices, launch.names, limits);
    let join = |into: &mut R::Value, from: &R::Value| reducer.join(into, from);
    // SAFETY: gangs and teams of one thread run each league rank of the launch once.
    let body = unsafe { TeamKernel::<A, F>::new(launch, closure) };
    let (begin, schedule) = (state.end, policy.schedule_kind());
    if let Some(size) = gang_size(launch, limits) {
        let slots = Slots::<R::Value>::new(count).map_err(|lack| lack.in_kernel(label))?;
        // SAFETY: one member of the one gang of each team contributes.
        let keep = |team, value| unsafe { slots.put(team, value) };
        if run_gangs(launch.indices, launch.names, size, context, &join, body, keep) {
            let sharing = Sharing::of_iterations(None, schedule, None);
            let contributed = Contributed { slots: &slots, reducer };
            let place = place_in_part(begin, 0);
            return extend(space, count, &sharing, names, reducer, state, place, contributed)
                .map_err(|lack| lack.in_kernel(label));
        }
    }
    // Most leagues are shorter than a tile, so all threads share the lanes of one that is cut.
    let chunk = Some(policy.chunk_size().unwrap_or(1));
    let sharing = Sharing { per_item: PER_TEAM, ..Sharing::of_iterations(chunk, schedule, None) };
    let teams = LoneTeams { context, join: &join };
    let level = CompiledFor::UNKNOWN;
    let alone = ReduceTeams::<_, R, K> { teams: &teams, reducer, level, body, kind: PhantomData };
    let place = place_in_part(begin, policy.ranks().start);
    extend(space, count, &sharing, names, reducer, state, place, alone).map_err(|lack| lack.in_kernel(label))
}

/// Teams in a `parallel_scan`: the running value passes from one to the next, so each has one thread.
struct ScanTeams<'a, A: KernelArgs, F, K> {
    teams: &'a LoneTeams<'a, Infallible>,
    closure: &'a F,
    raw: A::Raw,
    kind: PhantomData<fn(K)>,
}

/// Scans are not distributed in parts.
impl<A: KernelArgs, F, K> InPart for ScanTeams<'_, A, F, K> {
    #[inline(always)]
    fn in_part(self, _: usize) -> Self {
        self
    }
}

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
            self.teams.run(league_rank, CompiledFor::UNKNOWN, |team: &mut Team<'_, Infallible, K>| {
                let access = team.access::<A>(raw, 0);
                closure(team, value, last, access);
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
    let mut limits = Limits::none();
    let limits = limits.of(launch.args, launch.indices.ranks().end);
    let context = context(launch.indices, launch.names, limits);
    let teams = LoneTeams { context, join: NO_JOIN };
    let body = ScanTeams::<A, F, K> { teams: &teams, closure, raw: launch.raw, kind: PhantomData };
    let first_rank = launch.indices.ranks().start;
    let place = place_in_part(0, first_rank);
    let distribution = Distribution {
        chunk: launch.indices.chunk_size(),
        per_item: 1,
        line: 1,
        break_even: BREAK_EVEN,
        at_once: false,
        schedule: launch.indices.schedule_kind(),
        parts: None,
        names: launch.names,
    };
    scan(*launch.indices.space(), launch.count, &distribution, reducer, place, body)
        .map_err(|lack| lack.in_kernel(launch.label))
}

/// The places of the iterations from `begin` on, which are the teams from `first_rank` on.
#[inline(always)]
fn place_in_part(begin: usize, first_rank: usize) -> impl Fn(usize) -> Line + Copy + Sync {
    move |iteration| Line { index: first_rank + (iteration - begin) }
}

/// Runs the teams of a prepared launch, which are the next iterations of a part of a scan.
#[inline]
pub(super) fn run_scan_part<A, S, F, R, K>(
    launch: &PreparedLeague<'_, A, S, K>,
    pass: ScanPass,
    closure: &F,
    reducer: &R,
    state: &mut ScanState<R::Value>,
) -> Result<()>
where
    A: KernelArgs,
    S: ExecutionSpace + HostThreads,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    K: Sync,
{
    let mut limits = Limits::none();
    let limits = limits.of(launch.args, launch.indices.ranks().end);
    let context = context(launch.indices, launch.names, limits);
    let teams = LoneTeams { context, join: NO_JOIN };
    let body = ScanTeams::<A, F, K> { teams: &teams, closure, raw: launch.raw, kind: PhantomData };
    let place = place_in_part(state.range.end, launch.indices.ranks().start);
    let scan = ScanLaunch { space: *launch.indices.space(), names: launch.names, reducer, place, body };
    scan_part::extend(scan, launch.count, pass, state).map_err(|lack| lack.in_kernel(launch.label))
}
