//! `parallel_for` and `parallel_reduce` over leagues, on a device.
//!
//! The contributions of teams are stored in device memory in the order of their league ranks; a reduction over the league joins them, as on the host.
//! `chunk` and `schedule` have no effect here.

use core::convert::Infallible;
use core::marker::PhantomData;

use spelt_access::{Idx, KernelArgs};
use spelt_kernels_gpu::index_space::IndexRange;
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::numbering::Numbering;
use spelt_reducers::Reducer;

use super::assert_plain;
use super::league::{League, Plan};
use super::parallel_reduce::{Ready, plain};
use super::reduce_part;
use crate::Result;
use crate::cuda::{Cuda, DeviceBuffer, Launch, Uses};
use crate::launch::{Contribution, ExecutionSpace, Kind, Outlet, PartState, PreparedLeague};
use crate::team::{Limits, Team};

/// The kernel without a result.
struct ForTeams<A, F, K>(PhantomData<(A, F, K)>);

#[repr(C)]
struct ForParams<D, F> {
    closure: F,
    raw: D,
    league: League,
}

// SAFETY: `run` gives each league rank to one team.
unsafe impl<A, F, K> Kernel for ForTeams<A, F, K>
where
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
{
    type Params = ForParams<A::Raw, F>;

    /// # Safety
    /// The launch is the league's plan; it covers the league, and the arguments' borrows live.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let ForParams { closure, raw, league } = params;
        // SAFETY: the launch is the league's plan, as this function asks: it has the plan's blocks, threads and shared
        // memory.
        let Some(mut lane) = (unsafe { league.enter() }) else { return };
        let mut number = lane.first;
        while number < league.teams() {
            // SAFETY: teams that run at the same time have different numbers; witnesses are made by the team, which is checked.
            unsafe {
                league.run(&mut lane, number, &|_, _| {}, |team| {
                    let access = team.access::<A>(raw, 0);
                    closure(team, access);
                });
            }
            number += league.step();
        }
    }
}

/// Runs a prepared `parallel_for`.
pub(in crate::cuda) fn run_for<A, F, K>(launch: PreparedLeague<'_, A, Cuda, K>, closure: F) -> Result<()>
where
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
{
    assert_plain!(F, "the closure of a kernel for a device");
    let PreparedLeague { label, indices: policy, args, raw, .. } = launch;
    let plan = Plan::new(label, policy, *Limits::none().of(args, policy.ranks().end), launch.count)?;
    let uses = Uses::of(args);
    let params = ForParams { closure, raw, league: plan.league };
    // SAFETY: the shape is the plan's; a prepared launch is covered, and its arguments are described.
    unsafe { policy.space().launch::<ForTeams<A, F, K>>(&plan.launch(label, &uses), params) }
}

/// The kernel whose teams contribute.
struct Contributing<A, F, R, K>(PhantomData<(A, F, R, K)>);

#[repr(C)]
struct ContributingParams<D, F, R: Reducer> {
    closure: F,
    reducer: R,
    raw: D,
    league: League,
    /// A place for each team of the launch.
    contributions: *mut Option<R::Value>,
}

// SAFETY: `run` gives each league rank to one team.
unsafe impl<A, F, R, K> Kernel for Contributing<A, F, R, K>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
{
    type Params = ContributingParams<A::Raw, F, R>;

    /// # Safety
    /// As for [`ForTeams`]; there is a place for each team, which only this launch uses.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let ContributingParams { closure, reducer, raw, league, contributions } = params;
        // SAFETY: the launch is the league's plan, as this function asks: it has the plan's blocks, threads and shared
        // memory.
        let Some(mut lane) = (unsafe { league.enter() }) else { return };
        let join = |into: &mut R::Value, from: &R::Value| reducer.join(into, from);
        let mut number = lane.first;
        while number < league.teams() {
            // SAFETY: teams that run at the same time have different numbers; witnesses are made by the team, which is checked.
            let contribution = unsafe {
                league.run(&mut lane, number, &join, |team| {
                    let access = team.access::<A>(raw, 0);
                    closure(team, access);
                })
            };
            if lane.leads() {
                // SAFETY: one lane of one team has this number.
                unsafe { contributions.add(number).write(contribution) };
            }
            number += league.step();
        }
    }
}

/// The body of the reduction over the league: joins the contributions.
struct Joining<V> {
    contributions: *const Option<V>,
}

// SAFETY: the contributions are only read, and their values are `Send`.
unsafe impl<V: Send> Sync for Joining<V> {}

impl<A, R> Contribution<1, A, R> for Joining<R::Value>
where
    A: KernelArgs,
    R: Reducer,
    R::Value: Send,
{
    #[inline(always)]
    fn contribute<'k>(&self, reducer: &R, index: Idx<'k, 1>, value: &mut R::Value, _args: A::Access<'k>) {
        // SAFETY: the launch before has written the places of the league, whose indices this gets.
        if let Some(contribution) = unsafe { &*self.contributions.add(index.get()) } {
            reducer.join(value, contribution);
        }
    }
}

/// The contributions of the teams of a prepared launch, in the order of their league ranks, which a kernel writes.
fn contributions<A, F, R, K>(
    launch: PreparedLeague<'_, A, Cuda, K>,
    closure: F,
    reducer: &R,
) -> Result<(DeviceBuffer, Joining<R::Value>)>
where
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    R: Reducer + Sync,
{
    let PreparedLeague { label, indices: policy, args, raw, count, .. } = launch;
    let plan = Plan::new(label, policy, *Limits::none().of(args, policy.ranks().end), count)?;
    let space = *policy.space();
    let buffer = space
        .scratch(size_of::<Option<R::Value>>().saturating_mul(count).max(1))
        .map_err(|error| error.in_kernel(label))?;
    let contributions: *mut Option<R::Value> = buffer.pointer().cast();
    let uses = Uses::of(args);
    // SAFETY: the reducer has no drop glue, and the device gets the copy.
    let copy = unsafe { core::ptr::read(reducer) };
    let params = ContributingParams { closure, reducer: copy, raw, league: plan.league, contributions };
    // SAFETY: the shape is the plan's; a prepared launch is covered, its arguments are described, and the buffer, which is this
    // launch's and freed in the order of the stream, has a place for each team.
    unsafe { space.launch::<Contributing<A, F, R, K>>(&plan.launch(label, &uses), params)? };
    Ok((buffer, Joining { contributions: contributions.cast_const() }))
}

/// Runs the teams of a prepared launch, which are the next iterations of a part.
pub(in crate::cuda) fn run_reduce_part<A, F, R, K>(
    launch: PreparedLeague<'_, A, Cuda, K>,
    closure: F,
    reducer: &R,
    part: &mut PartState<R::Value>,
) -> Result<()>
where
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Send,
{
    plain::<R, F>();
    let (label, space, count) = (launch.label, *launch.indices.space(), launch.count);
    let (_buffer, body) = contributions(launch, closure, reducer)?;
    crate::launch::launch(label, space.range(0..count), (), Kind::JoinOfTeams, |joins| {
        reduce_part::run(joins, 0..count, body, reducer, part)
    })
}

/// Runs a prepared `parallel_reduce`.
pub(in crate::cuda) fn run_reduce<A, F, R, O, K>(
    launch: PreparedLeague<'_, A, Cuda, K>,
    closure: F,
    reducer: R,
    outlet: O,
) -> Result<O::Returned>
where
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Send,
    O: Outlet<R>,
{
    plain::<R, F>();
    let (label, space, n) = (launch.label, *launch.indices.space(), launch.count);
    // Freed in the order of the stream, after the joins.
    let (_buffer, body) = contributions(launch, closure, &reducer)?;
    let walk = IndexRange { first: 0 };
    outlet.on_device(Ready {
        space,
        label,
        args: &(),
        raw: (),
        body,
        reducer,
        walk,
        numbering: Numbering::NONE,
        n,
    })
}

impl Plan {
    /// The launch of this plan.
    pub(super) fn launch<'a>(&self, label: &'a str, uses: &'a Uses<'a>) -> Launch<'a> {
        Launch { label, blocks: self.blocks, threads: self.threads, shared_bytes: self.shared_bytes, uses }
    }
}
