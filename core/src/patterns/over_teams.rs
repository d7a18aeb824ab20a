//! The patterns over leagues of teams.

use core::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use spelt_access::KernelArgs;
use spelt_order::cursor::Line;
use spelt_policies::{TeamPolicy, TeamSize};
use spelt_reducers::Reducer;

use super::outlet::Outlet;
use super::parallel_for::{ForPolicy, Iterations, run_chunks};
use super::parallel_reduce::ReducePolicy;
use super::parallel_scan::{ScanPolicy, no_blocks};
use super::reduce_tiles::{Sharing, reduce};
use super::scan_launch::scan;
use super::slots::Slots;
use crate::arena::NoScratch;
use crate::isa;
use crate::launch::{Names, prepare};
use crate::reach::ReachedBy;
use crate::spaces::{ExecutionSpace, Serial};
use crate::team::{Context, Exchange, Gang, Limits, Meet, Mode, Team, check_league};
use crate::{Error, ErrorKind, Result};

/// The most scratch memory of a team or a thread. Unit: bytes. Source: what a core of a large host finds in its part of
/// the last cache, and more than a GPU has.
const MAX_SCRATCH: usize = 64 << 20;

/// The most vector lanes of a thread: a warp of a GPU.
const MAX_LANES: usize = 32;

/// Checks what the policy asks for, and that the instruction set is known; the team size, 1 where the space chooses.
pub(crate) fn check_policy<S: ExecutionSpace, V>(label: &str, policy: &TeamPolicy<&S, V>) -> Result<usize> {
    isa::check()?;
    let most = policy.space().max_team_threads();
    let size = match policy.team_size() {
        TeamSize::Auto => 1,
        TeamSize::Threads(0) => {
            return fail(label, "a team of 0 threads runs nothing: give at least 1, or AUTO".into());
        }
        TeamSize::Threads(size) => size,
    };
    if size > most {
        return fail(
            label,
            format!(
                "a team of {size} threads is above the limit of {most} on {}: use AUTO",
                policy.space().name()
            ),
        );
    }
    let lanes = policy.vector_length();
    if !lanes.is_power_of_two() || lanes > MAX_LANES {
        return fail(
            label,
            format!("a vector length of {lanes} is none of the powers of two from 1 to {MAX_LANES}"),
        );
    }
    for (whose, bytes) in [("team", policy.scratch_per_team()), ("thread", policy.scratch_per_thread())] {
        if bytes > MAX_SCRATCH {
            return fail(
                label,
                format!("{bytes} bytes of scratch per {whose} are above the limit of {MAX_SCRATCH}"),
            );
        }
    }
    Ok(size)
}

/// Runs a launch whose teams have so much scratch; where there is no memory for it the launch is over, with an error.
fn with_room<O>(label: &str, launch: impl FnOnce() -> Result<O>) -> Result<O> {
    // Also where a policy asks for none: a kernel may ask for scratch of no elements. After an unwind only those who see a panic of the
    // kernel look at what it changed.
    catch_unwind(AssertUnwindSafe(launch)).unwrap_or_else(|payload| match payload.downcast::<NoScratch>() {
        Ok(lack) => Err(Error::new(
            ErrorKind::OutOfMemory,
            format!("no memory for {} bytes of scratch: ask for less, or use fewer threads", lack.bytes),
        )
        .in_kernel(label)),
        Err(payload) => resume_unwind(payload),
    })
}

/// The error that a policy asks for what cannot be.
pub(crate) fn fail<T>(label: &str, message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Policy, message).in_kernel(label))
}

/// A league, ready to run.
struct League<'a, V> {
    context: Context<'a>,
    join: &'a (dyn Fn(&mut V, &V) + Sync),
}

impl<V> League<'_, V> {
    /// Runs `body` with the team of `league_rank`, as its only thread, and returns what it contributed.
    ///
    /// # Safety
    /// No other thread runs the same league rank in this launch.
    #[inline(always)]
    unsafe fn alone<K>(
        &self,
        league_rank: usize,
        body: impl for<'k> FnOnce(&mut Team<'k, V, K>),
    ) -> Option<V> {
        // SAFETY: the caller's promise.
        let mut team = unsafe { Team::new(league_rank, (0, 1), &self.context, Mode::Alone, self.join) };
        body(&mut team);
        team.into_contribution()
    }
}

/// Runs a league with teams of several threads; `contributed(league rank, value)` gets what rank 0 contributed. False,
/// with nothing run, where the space has no threads for it now.
fn run_gangs<S, V, K>(
    policy: &TeamPolicy<&S, K>,
    size: usize,
    names: &Names<'_>,
    limits: &Limits,
    join: &(dyn Fn(&mut V, &V) + Sync),
    body: impl for<'k> Fn(&mut Team<'k, V, K>) + Sync,
    contributed: impl Fn(usize, V) + Sync,
) -> bool
where
    S: ExecutionSpace,
{
    let (space, league) = (*policy.space(), policy.league_size());
    let scratch = (policy.scratch_per_team(), policy.scratch_per_thread());
    let lanes = policy.vector_length();
    let context = Context::new(Some(names), limits, league, lanes, scratch);
    let exchanges: Vec<Exchange> = (0..space.threads() / size).map(|_| Exchange::default()).collect();
    space.run_teams(size, exchanges.len(), &|number, rank, gang: &mut dyn Meet| {
        let _running = names.enter();
        for league_rank in (number..league).step_by(exchanges.len()) {
            let mode = Mode::Gang(Gang { meet: &mut *gang, exchange: &exchanges[number] });
            // SAFETY: league ranks are shared out among the gangs, and each gang runs its own one after the other.
            let mut team = unsafe { Team::<V, K>::new(league_rank, (rank, size), &context, mode, join) };
            body(&mut team);
            let contribution = team.into_contribution();
            gang.meet(crate::team::Collective::new::<()>("end of the kernel", 0));
            if let Some(value) = contribution {
                contributed(league_rank, value);
            }
        }
    })
}

/// The chunk, in teams, that a thread takes at a time.
fn team_chunk<S: ExecutionSpace, V>(policy: &TeamPolicy<&S, V>) -> usize {
    policy.chunk_size().unwrap_or_else(|| policy.league_size().div_ceil(policy.space().threads() * 16).max(1))
}

impl<S, A, F, K> ForPolicy<A, F> for TeamPolicy<&S, K>
where
    S: ExecutionSpace,
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
    K: Sync,
{
    #[inline]
    fn launch(self, label: &str, args: A, functor: F) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        with_room(label, || S::for_team(self, label, args, functor))
    }
}

/// `parallel_for` over a league, on host threads.
pub(crate) fn for_team<S, A, F, K>(
    policy: TeamPolicy<&S, K>,
    label: &str,
    mut args: A,
    functor: F,
) -> Result<()>
where
    S: ExecutionSpace,
    A: KernelArgs + ReachedBy<S>,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
    K: Sync,
{
    let league = policy.league_size();
    let size = check_policy(label, &policy)?;
    check_league(label, &args, league)?;
    let limits = Limits::new(&args);
    let blocks = args.blocks();
    prepare(label, &mut args)?;
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let functor = &functor;
    let join: &(dyn Fn(&mut Infallible, &Infallible) + Sync) = &|_, _| {};
    let gangs = size > 1 && blocks.is_none() && limits.threads_allowed();
    let done = gangs
        && run_gangs(
            &policy,
            size,
            &names,
            &limits,
            join,
            // SAFETY: witnesses are made by the team, which is checked.
            |team: &mut Team<'_, Infallible, K>| unsafe { functor(team, A::access(&raw, 0)) },
            |_, _| {},
        );
    if !done {
        let scratch = (policy.scratch_per_team(), policy.scratch_per_thread());
        let chunk = team_chunk(&policy);
        run_chunks(
            *policy.space(),
            league,
            chunk,
            policy.schedule_kind(),
            blocks,
            &names,
            |first, len, block| {
                let context = Context::new(Some(&names), &limits, league, policy.vector_length(), scratch);
                let league = League { context, join };
                let league = &league;
                let body = move |place: Line, distance, block| {
                    // SAFETY: each league rank runs once; witnesses are made by the team, which is checked.
                    unsafe {
                        league.alone(place.index + distance, |team| functor(team, A::access(&raw, block)));
                    }
                };
                isa::dispatch(Iterations { start: Line { index: first }, len, block, body: &body });
            },
        );
    }
    A::finish(held);
    Ok(())
}

impl<S, A, F, R, K> ReducePolicy<A, F, R> for TeamPolicy<&S, K>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    K: Sync,
{
    #[inline]
    fn reduce<O: Outlet<R>>(
        self,
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        with_room(label, || S::reduce_team(self, label, args, functor, reducer, outlet))
    }
}

/// `parallel_reduce` over a league, on host threads.
pub(crate) fn reduce_team<S, A, F, R, K, O>(
    policy: TeamPolicy<&S, K>,
    label: &str,
    mut args: A,
    functor: F,
    reducer: R,
    outlet: O,
) -> Result<O::Returned>
where
    S: ExecutionSpace,
    A: KernelArgs + ReachedBy<S>,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    K: Sync,
    O: Outlet<R>,
{
    let league = policy.league_size();
    let size = check_policy(label, &policy)?;
    check_league(label, &args, league)?;
    let limits = Limits::new(&args);
    let blocks = args.blocks();
    prepare(label, &mut args)?;
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let functor = &functor;
    let joiner = |into: &mut R::Value, from: &R::Value| reducer.join(into, from);
    let join: &(dyn Fn(&mut R::Value, &R::Value) + Sync) = &joiner;
    let mut output = None;
    if size > 1 && blocks.is_none() && limits.threads_allowed() {
        let slots = Slots::<R::Value>::new(league).map_err(|lack| lack.in_kernel(label))?;
        let done = run_gangs(
            &policy,
            size,
            &names,
            &limits,
            join,
            // SAFETY: witnesses are made by the team, which is checked.
            |team: &mut Team<'_, R::Value, K>| unsafe { functor(team, A::access(&raw, 0)) },
            // SAFETY: one member of the one gang of each league rank contributes.
            |league_rank, value| unsafe { slots.put(league_rank, value) },
        );
        if done {
            let contributions = &slots;
            let sharing = Sharing { chunk: None, schedule: policy.schedule_kind(), blocks: None };
            let take = |league_rank: usize| {
                // SAFETY: this thread alone uses the slots now.
                unsafe { contributions.take_shared(league_rank) }
            };
            output = Some(reduce(
                &Serial,
                league,
                &sharing,
                &names,
                &reducer,
                |offset| Line { index: offset },
                |place: Line, distance, value: &mut R::Value, _| {
                    if let Some(contribution) = take(place.index + distance) {
                        reducer.join(value, &contribution);
                    }
                },
            ));
        }
    }
    let run_alone = || {
        let scratch = (policy.scratch_per_team(), policy.scratch_per_thread());
        let sharing = Sharing {
            chunk: Some(policy.chunk_size().unwrap_or(1)),
            schedule: policy.schedule_kind(),
            blocks,
        };
        let reducer = &reducer;
        let (names, limits) = (&names, &limits);
        let lanes = policy.vector_length();
        reduce(
            *policy.space(),
            league,
            &sharing,
            names,
            reducer,
            |offset| Line { index: offset },
            move |place: Line, distance, value: &mut R::Value, block| {
                let team_league =
                    League { context: Context::new(Some(names), limits, league, lanes, scratch), join };
                // SAFETY: each league rank runs once; witnesses are made by the team, which is checked.
                let contribution = unsafe {
                    team_league.alone(place.index + distance, |team| functor(team, A::access(&raw, block)))
                };
                if let Some(contribution) = contribution {
                    reducer.join(value, &contribution);
                }
            },
        )
    };
    let output = output.unwrap_or_else(run_alone).map_err(|lack| lack.in_kernel(label))?;
    A::finish(held);
    // SAFETY: the launch was on the host, and `parallel_reduce_into` takes Views that its space reaches.
    Ok(unsafe { outlet.take(output) })
}

impl<S, A, F, R, K> ScanPolicy<A, F, R> for TeamPolicy<&S, K>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
    K: Sync,
{
    #[inline]
    fn scan<O: Outlet<R>>(
        self,
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        with_room(label, || S::scan_team(self, label, args, functor, reducer, outlet))
    }
}

/// `parallel_scan` over a league, on host threads.
///
/// It goes in the order of the league: the running value passes from team to team, so each team has one thread.
pub(crate) fn scan_team<S, A, F, R, K, O>(
    policy: TeamPolicy<&S, K>,
    label: &str,
    mut args: A,
    functor: F,
    reducer: R,
    outlet: O,
) -> Result<O::Returned>
where
    S: ExecutionSpace,
    A: KernelArgs + ReachedBy<S>,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
    K: Sync,
    O: Outlet<R>,
{
    let league = policy.league_size();
    check_policy(label, &policy)?;
    check_league(label, &args, league)?;
    no_blocks(label, &args)?;
    let limits = Limits::new(&args);
    prepare(label, &mut args)?;
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let scratch = (policy.scratch_per_team(), policy.scratch_per_thread());
    let lanes = policy.vector_length();
    let join: &(dyn Fn(&mut Infallible, &Infallible) + Sync) = &|_, _| {};
    let (functor, in_launch, limits) = (&functor, &names, &limits);
    let output = scan(
        *policy.space(),
        league,
        &names,
        &reducer,
        |offset| Line { index: offset },
        move |place: Line, distance, value: &mut R::Value, last| {
            let team_league =
                League { context: Context::new(Some(in_launch), limits, league, lanes, scratch), join };
            // SAFETY: each league rank is run by one thread at a time; witnesses are made by the team, which is
            // checked.
            unsafe {
                team_league
                    .alone(place.index + distance, |team| functor(team, value, last, A::access(&raw, 0)));
            }
        },
    )
    .map_err(|lack| lack.in_kernel(label))?;
    A::finish(held);
    // SAFETY: the launch was on the host, and `parallel_scan_into` takes Views that its space reaches.
    Ok(unsafe { outlet.take(output) })
}
