//! `parallel_scan` over a league, on a device.
//!
//! The canonical order cuts the league into runs; a team scans a run, league rank by league rank, with the running value.
//! There are three launches: the teams compute the contributions of their runs, one thread joins them into the initial value of
//! each run, and the teams scan their runs again from that value.

use core::convert::Infallible;
use core::marker::PhantomData;

use spelt_access::{Description, Element, KernelArgs};
use spelt_kernels_gpu::crew::scan::join_runs;
use spelt_kernels_gpu::intrinsics::__spelt_thread;
use spelt_kernels_gpu::kernel::Kernel;
use spelt_order::canonical;
use spelt_policies::TeamPolicy;
use spelt_reducers::Reducer;

use super::league::{League, Plan};
use super::parallel_reduce::{End, Finish, Keep, plain};
use crate::Result;
use crate::cuda::{Cuda, Launch, Uses};
use crate::launch::{Outlet, PreparedLeague, Reduction};
use crate::team::{Limits, Team};

/// The runs of a league.
#[repr(C)]
#[derive(Clone, Copy)]
struct Runs {
    /// The number of teams.
    size: usize,
    /// The number of lanes of a tile.
    lanes: usize,
}

impl Runs {
    fn count(self) -> usize {
        let tile_len = canonical::tile_len(self.lanes);
        let rest = self.size % tile_len;
        let of_rest = if rest == 0 { 0 } else { rest.div_ceil(canonical::run_len(rest, self.lanes)) };
        self.size / tile_len * self.lanes + of_rest
    }

    /// The first league rank of run `number`, and one past the last.
    #[inline(always)]
    fn run(self, number: usize) -> (usize, usize) {
        let tile_len = canonical::tile_len(self.lanes);
        let tile = number / self.lanes * tile_len;
        let len = tile_len.min(self.size - tile);
        let run_len = canonical::run_len(len, self.lanes);
        let first = number % self.lanes * run_len;
        (tile + first, tile + len.min(first + run_len))
    }
}

/// The kernel whose teams scan their runs.
struct ScanRuns<A, F, R, K>(PhantomData<(A, F, R, K)>);

#[repr(C)]
struct Params<D, F, R: Reducer> {
    closure: F,
    reducer: R,
    raw: D,
    league: League,
    runs: Runs,
    count: usize,
    /// For each run its contribution, or in the second pass the value from which it starts.
    values: *mut R::Value,
    last: bool,
}

// SAFETY: `run` gives each league rank to one team.
unsafe impl<A, F, R, K> Kernel for ScanRuns<A, F, R, K>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    type Params = Params<A::Raw, F, R>;

    /// # Safety
    /// The launch is the league's plan; it covers the league, and the arguments' borrows live. There is a place for each run,
    /// which only the launch uses, and in the second pass each place has a value.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let Params { closure, reducer, raw, league, runs, count, values, last } = params;
        // SAFETY: the launch is the league's plan, as this function asks: it has the plan's blocks, threads and shared
        // memory.
        let Some(mut lane) = (unsafe { league.enter() }) else { return };
        let mut run = lane.first;
        while run < *count {
            let mut value = if *last {
                // SAFETY: `run` is below `count`, and in the second pass there is a value for each run, as this
                // function asks; it has no drop glue, so it may be copied.
                unsafe { values.add(run).read() }
            } else {
                reducer.init()
            };
            let (first, end) = runs.run(run);
            for league_rank in first..end {
                // SAFETY: teams that run at the same time have different runs; witnesses are made by the team, which is checked.
                unsafe {
                    league.run(&mut lane, league_rank, &|_, _| {}, |team| {
                        closure(team, &mut value, *last, A::access(raw, 0));
                    });
                }
                // The other lanes may have left the update to the leading one.
                value = lane.of_leader(value);
            }
            if !*last && lane.leads() {
                // SAFETY: one lane of one team has this run.
                unsafe { values.add(run).write(value) };
            }
            run += league.step();
        }
    }
}

/// The kernel that joins the contributions of the runs.
struct Join<R, E>(PhantomData<(R, E)>);

#[repr(C)]
struct JoinParams<R: Reducer, E> {
    reducer: R,
    runs: Runs,
    count: usize,
    values: *mut R::Value,
    end: E,
}

// SAFETY: one thread runs it.
unsafe impl<R: Reducer + Sync, E: End<R>> Kernel for Join<R, E> {
    type Params = JoinParams<R, E>;

    /// # Safety
    /// There is a value for each run, which only the launch uses, and the place of the end.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let JoinParams { reducer, runs, count, values, end } = params;
        if __spelt_thread() == 0 {
            // SAFETY: there is a value for each of the `count` runs, which only the launch uses, and the place of the
            // end, as this function asks; only one thread gets here.
            unsafe {
                let total = join_runs(reducer, runs.lanes, *count, *values);
                end.end(reducer, total);
            }
        }
    }
}

/// A scan that is ready to be launched.
struct Ready<'a, A: KernelArgs, F, R, K> {
    policy: TeamPolicy<&'a Cuda, K>,
    label: &'a str,
    args: &'a A,
    raw: A::Raw,
    closure: F,
    reducer: R,
    plan: Plan,
    runs: Runs,
}

impl<A, F, R, K> Ready<'_, A, F, R, K>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    /// # Safety
    /// `values` has a place for each run and `end` one for the total, device memory that only these launches use; `result`
    /// describes the latter if it is a View.
    unsafe fn launch<E: End<R>>(
        &self,
        values: *mut R::Value,
        end: E,
        result: Option<Description<'_>>,
    ) -> Result<()> {
        let space = *self.policy.space();
        let (runs, count) = (self.runs, self.runs.count());
        let uses = Uses::of(self.args);
        let scan_runs = |last| {
            let params = Params {
                // SAFETY: neither has drop glue, and the device gets the copies.
                closure: unsafe { core::ptr::read(&self.closure) },
                // SAFETY: the reducer has no drop glue, and the device gets the copy.
                reducer: unsafe { core::ptr::read(&self.reducer) },
                raw: self.raw,
                league: self.plan.league,
                runs,
                count,
                values,
                last,
            };
            // SAFETY: the launch is the plan; the league is covered, and the arguments are described.
            unsafe { space.launch::<ScanRuns<A, F, R, K>>(&self.plan.launch(self.label, &uses), params) }
        };
        scan_runs(false)?;
        let uses_of_join = Uses::of(&()).and(result);
        let launch =
            Launch { label: self.label, blocks: 1, threads: 1, shared_bytes: 0, uses: &uses_of_join };
        // SAFETY: the reducer has no drop glue, and the device gets the copy.
        let reducer = unsafe { core::ptr::read(&self.reducer) };
        // SAFETY: the teams have written the values; by the contract, only these launches use them and the place of the end.
        unsafe { space.launch::<Join<R, E>>(&launch, JoinParams { reducer, runs, count, values, end })? };
        scan_runs(true)
    }
}

impl<A, F, R, K> Reduction<R> for Ready<'_, A, F, R, K>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    fn fetch(self) -> Result<R::Output> {
        if self.runs.size == 0 {
            return Ok(self.reducer.finish(self.reducer.init()));
        }
        let space = *self.policy.space();
        let in_kernel = |error: crate::Error| error.in_kernel(self.label);
        let bytes = (self.runs.count() + 1) * size_of::<R::Value>();
        let buffer = space.scratch(bytes.max(1)).map_err(in_kernel)?;
        let place: *mut R::Value = buffer.pointer().cast();
        // SAFETY: the buffer has room for the total and for all runs.
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
        let bytes = self.runs.count() * size_of::<R::Value>();
        let buffer =
            self.policy.space().scratch(bytes.max(1)).map_err(|error| error.in_kernel(self.label))?;
        // SAFETY: the buffer, which is freed in the order of the stream, has room for all runs; the View is described.
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
    let runs = Runs { size: count, lanes: canonical::lanes(R::LANE_BYTES) };
    let plan = Plan::new(label, &policy, Limits::new(args), runs.count())?;
    outlet.on_device(Ready { policy, label, args, raw, closure, reducer, plan, runs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_follow_one_another_to_the_end() {
        for lanes in [1, 8, 32] {
            for size in [0, 1, 31, 32, 33, 2047, 2048, 2049, 10_000] {
                let runs = Runs { size, lanes };
                let mut end = 0;
                for number in 0..runs.count() {
                    let run = runs.run(number);
                    assert!(run.0 == end && run.1 > run.0, "{size} {lanes} {number} {run:?}");
                    end = run.1;
                }
                assert_eq!(end, size);
            }
        }
    }
}
