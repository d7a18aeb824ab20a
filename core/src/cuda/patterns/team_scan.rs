//! `parallel_scan` over a league, and parts of it, on a device.
//!
//! There are three launches: the teams compute the contribution of each league rank, a scan replaces these by the value before each
//! rank, and the teams run again from that value. In a part the scan is that of a part.

use core::convert::Infallible;
use core::marker::PhantomData;

use spelt_access::{Description, Element, Idx, KernelArgs};
use spelt_kernels_gpu::index_space::IndexRange;
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::scan::{Whole, Work, scan};
use spelt_policies::TeamPolicy;
use spelt_reducers::Reducer;

use super::league::{League, Plan};
use super::parallel_reduce::{End, Finish, Keep, plain};
use super::parallel_scan::launch;
use super::scan_part;
use crate::Result;
use crate::cuda::{Cuda, Uses};
use crate::launch::{ExecutionSpace, Kind, Outlet, PreparedLeague, Reduction, ScanPass, ScanState};
use crate::team::{Limits, Team};

/// The kernel that runs the teams: for their contributions, or from the value before each.
struct RunTeams<A, F, R, K>(PhantomData<(A, F, R, K)>);

#[repr(C)]
struct Params<D, F, R: Reducer> {
    closure: F,
    reducer: R,
    raw: D,
    league: League,
    /// The number of teams.
    count: usize,
    /// For each league rank its contribution, or in the second pass the value from which it starts.
    values: *mut R::Value,
    last: bool,
}

// SAFETY: `run` gives each league rank to one team.
unsafe impl<A, F, R, K> Kernel for RunTeams<A, F, R, K>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    type Params = Params<A::Raw, F, R>;

    /// # Safety
    /// The launch is the league's plan; it covers the league, and the arguments' borrows live. There is a place for each league
    /// rank, which only the launch uses, and in the second pass each place has a value.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let Params { closure, reducer, raw, league, count, values, last } = params;
        // SAFETY: the launch is the league's plan, as this function asks: it has the plan's blocks, threads and shared
        // memory.
        let Some(mut lane) = (unsafe { league.enter() }) else { return };
        let mut league_rank = lane.first;
        while league_rank < *count {
            let mut value = if *last {
                // SAFETY: the rank is below `count`, and in the second pass there is a value for each rank, as this
                // function asks; it has no drop glue, so it may be copied.
                unsafe { values.add(league_rank).read() }
            } else {
                reducer.init()
            };
            // SAFETY: teams that run at the same time have different ranks; witnesses are made by the team, which is checked.
            unsafe {
                league.run(&mut lane, league_rank, &|_, _| {}, |team| {
                    let access = team.access::<A>(raw, 0);
                    closure(team, &mut value, *last, access);
                });
            }
            if !*last && lane.leads() {
                // SAFETY: one lane of one team has this rank.
                unsafe { values.add(league_rank).write(value) };
            }
            league_rank += league.step();
        }
    }
}

/// The kernel that scans the contributions in place.
struct Join<R, E>(PhantomData<(R, E)>);

#[repr(C)]
struct JoinParams<R: Reducer, E> {
    reducer: R,
    count: usize,
    values: *mut R::Value,
    work: Work,
    end: E,
}

// SAFETY: the scan gives each value to one thread at a time.
unsafe impl<R: Reducer + Sync, E: End<R>> Kernel for Join<R, E> {
    type Params = JoinParams<R, E>;

    /// # Safety
    /// The launch meets the conditions of [`scan`]. There is a value for each league rank, which only the launch uses and which owns
    /// nothing, and the place of the end.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let JoinParams { reducer, count, values, work, end } = params;
        let body = |[league_rank]: [usize; 1], value: &mut R::Value, last| {
            // SAFETY: the rank is below `count`, and there is a value, which owns nothing.
            unsafe {
                let place = values.add(league_rank);
                if last { place.write(core::ptr::read(value)) } else { *value = place.read() }
            }
        };
        // SAFETY: the launch meets the conditions of `scan`, as this function asks.
        unsafe {
            scan(reducer, &IndexRange { first: 0 }, *count, work, &Whole, &body, |value| {
                end.end(reducer, value)
            })
        }
    }
}

/// A scan that is ready to be launched.
struct Ready<'a, A: KernelArgs, F, R, K> {
    policy: &'a TeamPolicy<&'a Cuda, K>,
    label: &'a str,
    args: &'a A,
    raw: A::Raw,
    closure: F,
    reducer: R,
    plan: Plan,
    /// The number of teams.
    count: usize,
}

impl<A, F, R, K> Ready<'_, A, F, R, K>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    /// Runs the teams: for their contributions, or in the last pass on the values before them.
    ///
    /// # Safety
    /// `values` has a place for each team, device memory that only launches of this scan use; in the last pass each place has a value.
    unsafe fn run_teams(&self, values: *mut R::Value, last: bool) -> Result<()> {
        let uses = Uses::of(self.args);
        let params = Params {
            // SAFETY: neither has drop glue, and the device gets the copies.
            closure: unsafe { core::ptr::read(&self.closure) },
            // SAFETY: the reducer has no drop glue, and the device gets the copy.
            reducer: unsafe { core::ptr::read(&self.reducer) },
            raw: self.raw,
            league: self.plan.league,
            count: self.count,
            values,
            last,
        };
        // SAFETY: the launch is the plan; the league is covered, and the arguments are described. The places are as this function asks.
        unsafe {
            self.policy.space().launch::<RunTeams<A, F, R, K>>(&self.plan.launch(self.label, &uses), params)
        }
    }

    /// # Safety
    /// `values` has a place for each league rank and `end` one for the total, device memory that only these launches use; `result`
    /// describes the latter if it is a View.
    unsafe fn launch<E: End<R>>(
        &self,
        values: *mut R::Value,
        end: E,
        result: Option<Description<'_>>,
    ) -> Result<()> {
        let space = *self.policy.space();
        // SAFETY: the places are as this function asks, for the first pass.
        unsafe { self.run_teams(values, false)? };
        let uses_of_join = Uses::of(&()).and(result);
        // SAFETY: the reducer has no drop glue, and the device gets the copy.
        let reducer = unsafe { core::ptr::read(&self.reducer) };
        let params = |work, _| JoinParams { reducer, count: self.count, values, work, end };
        // SAFETY: the teams have written the values; by the contract, only these launches use them and the place of the end.
        unsafe {
            launch::<R, Join<R, E>>(space, self.label, self.count, &uses_of_join, None, params, |_, _| {
                Ok(())
            })?;
        }
        // SAFETY: the places are as this function asks, and the joins have written a value into each.
        unsafe { self.run_teams(values, true) }
    }
}

impl<A, F, R, K> Reduction<R> for Ready<'_, A, F, R, K>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    fn fetch(self) -> Result<R::Output> {
        if self.count == 0 {
            return Ok(self.reducer.finish(self.reducer.init()));
        }
        let space = *self.policy.space();
        let in_kernel = |error: crate::Error| error.in_kernel(self.label);
        let bytes = (self.count + 1) * size_of::<R::Value>();
        let buffer = space.scratch(bytes.max(1)).map_err(in_kernel)?;
        let place: *mut R::Value = buffer.pointer().cast();
        // SAFETY: the buffer has room for the total and for all ranks.
        unsafe { self.launch(place.wrapping_add(1), Keep { place: place.cast() }, None)? };
        let mut value = [const { core::mem::MaybeUninit::uninit() }];
        // SAFETY: the kernel has written the place.
        unsafe { space.copy_to_host(place.cast_const(), &mut value).map_err(in_kernel)? };
        let [value] = value;
        // SAFETY: the bytes of a value without drop glue; the device no longer uses the value.
        Ok(self.reducer.finish(unsafe { value.assume_init() }))
    }

    fn store(self, place: *mut R::Output, result: Description<'_>) -> Result<()>
    where
        R::Output: Element,
    {
        let bytes = self.count * size_of::<R::Value>();
        let buffer =
            self.policy.space().scratch(bytes.max(1)).map_err(|error| error.in_kernel(self.label))?;
        // SAFETY: the buffer, which is freed in the order of the stream, has room for all ranks; the View is described.
        unsafe { self.launch(buffer.pointer().cast(), Finish { place }, Some(result)) }
    }
}

/// Runs a prepared launch.
pub(in crate::cuda) fn run<A, F, R, O, K>(
    launch: PreparedLeague<'_, A, Cuda, K>,
    closure: F,
    reducer: R,
    outlet: O,
) -> Result<O::Returned>
where
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    O: Outlet<R>,
{
    plain::<R, F>();
    let PreparedLeague { label, indices: policy, args, raw, count, .. } = launch;
    let plan = Plan::new(label, policy, *Limits::none().of(args, policy.ranks().end), count)?;
    outlet.on_device(Ready { policy, label, args, raw, closure, reducer, plan, count })
}

/// The place of each team's contribution, or of the value before it.
struct Places<V>(*mut V);

// SAFETY: the kernels of a scan give each place to one thread at a time, and its value is `Send`.
unsafe impl<V: Send> Sync for Places<V> {}

impl<V> Places<V> {
    /// Takes the contribution of a team, or in the last pass puts the value before it in its place.
    ///
    /// # Safety
    /// The team has a place with a value, which owns nothing, and which one thread at a time uses.
    #[inline(always)]
    unsafe fn visit(&self, team: usize, value: &mut V, last: bool) {
        // SAFETY: there is a place with a value, which owns nothing, as this function asks.
        unsafe {
            let place = self.0.add(team);
            if last { place.write(core::ptr::read(value)) } else { *value = place.read() }
        }
    }
}

/// Runs the teams of a prepared launch, which are the next iterations of a part.
pub(in crate::cuda) fn run_part<A, F, R, K>(
    launch: PreparedLeague<'_, A, Cuda, K>,
    pass: ScanPass,
    closure: F,
    reducer: &R,
    part: &mut ScanState<R::Value>,
) -> Result<()>
where
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Clone + Send,
{
    plain::<R, F>();
    let PreparedLeague { label, indices: policy, args, raw, count, .. } = launch;
    let space = *policy.space();
    let plan = Plan::new(label, policy, *Limits::none().of(args, policy.ranks().end), count)?;
    // SAFETY: the reducer has no drop glue, and the device gets the copy.
    let copy = unsafe { core::ptr::read(reducer) };
    let teams = Ready { policy, label, args, raw, closure, reducer: copy, plan, count };
    let bytes = size_of::<R::Value>().saturating_mul(count).max(1);
    let buffer = space.scratch(bytes).map_err(|error| error.in_kernel(label))?;
    let places: *mut R::Value = buffer.pointer().cast();
    // SAFETY: the buffer, which is freed in the order of the stream, has a place for each team.
    unsafe { teams.run_teams(places, false)? };
    let places = Places(places);
    let joins = move |i: Idx<'_, 1>, value: &mut R::Value, last: bool, ()| {
        // SAFETY: the index is that of a team of the launch before, which has written its place; the values own nothing, and a scan runs
        // an index on one thread at a time, first for its contribution.
        unsafe { places.visit(i.get(), value, last) }
    };
    // A launch that fails, the last one too, leaves the part as it was.
    let mut extended = part.clone();
    crate::launch::launch(label, space.range(0..count), (), Kind::JoinOfTeams, |prepared| {
        scan_part::run(&prepared, 0..count, pass, joins, reducer, &mut extended)
    })?;
    if pass == ScanPass::Values {
        // SAFETY: as before, and the joins have put the value before each team in its place.
        unsafe { teams.run_teams(buffer.pointer().cast(), true)? };
    }
    *part = extended;
    Ok(())
}
