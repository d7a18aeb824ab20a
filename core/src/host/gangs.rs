//! Leagues whose teams are gangs: several threads that run at the same time.

use core::cell::OnceCell;

use spelt_access::KernelArgs;
use spelt_order::body::{Inlined, Late};
use spelt_order::cursor::{Line, Place};
use spelt_policies::TeamPolicy;
use spelt_reducers::Reducer;

use super::HostThreads;
use super::kernel::{InPart, OnSpan, TeamStep, copies};
use super::slots::Slots;
use crate::arena::try_with_scratch;
use crate::launch::{ExecutionSpace, PreparedLeague, requested};
use crate::names::Names;
use crate::team::{Context, Exchange, Gang, Limits, Meet, Mode, Team};

/// How the contributions of a team join, if it makes any.
pub(super) type Join<'a, V> = &'a (dyn Fn(&mut V, &V) + Sync);

/// The data that a launch gives to all its teams.
#[inline(always)]
pub(super) fn context<'a, S, K>(
    policy: &TeamPolicy<&S, K>,
    names: &'a Names<'a>,
    limits: &'a Limits,
) -> Context<'a> {
    let scratch = (policy.scratch_per_team(), policy.scratch_per_thread());
    Context::new(Some(names), limits, policy.league_size(), policy.vector_length(), scratch)
}

/// The number of threads of each team, if teams run as gangs; `None` where a team has one thread, because the policy asks for no
/// more or an argument does not allow it.
pub(super) fn gang_size<A, S, K>(launch: &PreparedLeague<'_, A, S, K>, limits: &Limits) -> Option<usize>
where
    A: KernelArgs,
    S: ExecutionSpace,
{
    let size = requested(launch.indices)?;
    (size > 1 && launch.parts.is_none() && limits.threads_allowed()).then_some(size)
}

/// Runs a league with teams of `size` threads; `contributed(number of the team, value)` receives the contribution of rank 0. False,
/// with nothing run, where the space has no threads or no memory for it now.
///
/// It takes what it needs of the launch: the address of all of it would keep it in memory.
pub(super) fn run_gangs<S, V, K, B>(
    policy: &TeamPolicy<&S, K>,
    names: &Names<'_>,
    size: usize,
    context: Context<'_>,
    join: Join<'_, V>,
    body: B,
    contributed: impl Fn(usize, V) + Sync,
) -> bool
where
    S: ExecutionSpace + HostThreads,
    B: TeamStep<V, K>,
{
    let (space, ranks) = (*policy.space(), policy.ranks());
    let (first, teams) = (ranks.start, ranks.len());
    let gangs = space.threads() / size;
    let run = |exchanges: &mut [Exchange]| {
        let exchanges = &*exchanges;
        space.run_teams(size, gangs, &|number, rank, gang: &mut dyn Meet| {
            let _running = names.enter();
            let mut body = Inlined::new::<&mut Team<'_, V, K>>(body);
            for of_launch in (number..teams).step_by(gangs) {
                let exchanges = &exchanges[number * size..(number + 1) * size];
                let mode = Mode::Gang(Gang { meet: &mut *gang, exchanges });
                let league_rank = first + of_launch;
                let own = OnceCell::new();
                // SAFETY: each league rank belongs to one gang, and a gang runs its league ranks one after the other.
                let mut team =
                    unsafe { Team::<V, K>::new(league_rank, (rank, size), &context, mode, join, &own) };
                body.call(&mut team);
                if let Some(value) = team.leave_together() {
                    contributed(of_launch, value);
                }
            }
        })
    };
    try_with_scratch(gangs * size, |_| Exchange::default(), run).unwrap_or(false)
}

/// The contributions of the gangs of a league.
pub(super) struct Contributed<'a, R: Reducer> {
    pub(super) slots: &'a Slots<R::Value>,
    pub(super) reducer: &'a R,
}

copies! {
    [R: Reducer] Contributed<'_, R>;
}

impl<R: Reducer> InPart for Contributed<'_, R> {
    fn in_part(self, _part: usize) -> Self {
        self
    }
}

impl<R: Reducer> OnSpan<Line> for Contributed<'_, R> {}

impl<'v, R: Reducer> Late<(Line, usize, &'v mut R::Value)> for Contributed<'_, R> {
    #[inline(always)]
    fn call(&mut self, (place, distance, value): (Line, usize, &'v mut R::Value)) {
        let [team] = place.at(distance);
        // SAFETY: the gangs are done, and the reduction visits each team once.
        if let Some(contribution) = unsafe { self.slots.take_shared(team) } {
            self.reducer.join(value, &contribution);
        }
    }
}

#[cfg(all(test, feature = "threads", not(spelt_loom)))]
mod tests {
    use super::*;
    use crate::launch::{Kind, launch};
    use crate::{Threads, View};

    /// Only gangs need slots for the contributions of a league's teams.
    #[test]
    fn teams_run_as_gangs_where_they_have_several_threads_and_may() {
        let space = Threads::builder().num_threads(2).build().expect("two threads");
        let mut table = View::<f64, 2>::zeros("table", [4, 3]).expect("memory");
        let mut bins = View::<u64, 1>::zeros("bins", [3]).expect("memory");
        macro_rules! size_of_gangs {
            ($size:expr, $args:expr) => {
                launch("k", &space.team(4, $size), $args, Kind::For, |launch| {
                    Ok(gang_size(&launch, Limits::none().of(launch.args, 4)))
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
