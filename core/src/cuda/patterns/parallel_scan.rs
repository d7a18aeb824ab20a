//! `parallel_scan` on a device.
//!
//! One launch, for every reducer. A total for the caller is copied to the host, which waits for it, and finished there. A total
//! for a View is finished on the device, without waiting. `chunk` and `schedule` have no effect here.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use spelt_access::{Description, Element, Idx, KernelArgs};
use spelt_kernels_gpu::index_space::IndexSpace;
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::scan::{Area, ScanShape, Whole, Work, scan, words};
use spelt_reducers::Reducer;

use super::parallel_reduce::{End, Finish, Keep, plain};
use crate::cuda::context::lock;
use crate::cuda::{Cuda, Launch, Uses};
use crate::launch::{Indices, Outlet, Prepared, Reduction};
use crate::{Error, ErrorKind, Result};

/// The maximum number of shares of a scan. Unit: shares. Source: tickets have 32 bits, and each block takes one more.
const MAX_SHARES: usize = 1 << 31;

/// The alignment of each block's data in global memory, so that no two share a line. Unit: bytes.
const LINE_BYTES: usize = 256;

/// The kernel.
struct Scan<A, R, F, S, E, const N: usize>(PhantomData<(A, R, F, S, E)>);

#[repr(C)]
struct Params<D, R, F, S, E> {
    closure: F,
    reducer: R,
    raw: D,
    walk: S,
    n: usize,
    work: Work,
    end: E,
}

// SAFETY: `run` calls the closure, which is `Sync`, two or three times for each index, one call after the other.
unsafe impl<A, R, F, S, E, const N: usize> Kernel for Scan<A, R, F, S, E, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    S: IndexSpace<Index = [usize; N]>,
    E: End<R>,
{
    type Params = Params<A::Raw, R, F, S, E>;

    /// # Safety
    /// The launch covers the index space that is walked and meets the conditions of [`scan`]; the arguments' borrows live.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let Params { closure, reducer, raw, walk, n, work, end } = params;
        let body = |index, value: &mut R::Value, last| {
            // SAFETY: each index is visited by one thread, and the launch covers it.
            unsafe { closure(Idx::new(index), value, last, A::access(raw, 0)) }
        };
        // SAFETY: the launch meets the conditions of `scan`, which is this function's contract; `plain` has refused values with
        // drop glue.
        unsafe { scan(reducer, walk, *n, work, &Whole, &body, |value| end.end(reducer, value)) }
    }
}

/// A scan that is ready to be launched.
struct Ready<'a, A: KernelArgs, R, F, S, const N: usize> {
    space: &'a Cuda,
    label: &'a str,
    args: &'a A,
    raw: A::Raw,
    closure: F,
    reducer: R,
    walk: S,
    n: usize,
}

/// The bytes of the workspace before the areas: places for the total, and for the value before the scan.
const fn places_bytes<R: Reducer>() -> usize {
    (2 * size_of::<R::Value>()).next_multiple_of(LINE_BYTES)
}

impl<A, R, F, S, const N: usize> Ready<'_, A, R, F, S, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    S: IndexSpace<Index = [usize; N]>,
{
    /// Launches the scan, in a workspace that has room for the total and then the areas of the blocks. `end` makes the end of the
    /// launch from the place for the total.
    ///
    /// # Safety
    /// The end is at device memory that only this launch uses, and `result` describes it if it is a View.
    unsafe fn launch<E: End<R>>(
        self,
        end: impl FnOnce(*mut R::Value) -> E,
        result: Option<Description<'_>>,
        after: impl FnOnce(&Cuda, *mut R::Value) -> Result<()>,
    ) -> Result<()> {
        let Self { space, label, args, raw, closure, reducer, walk, n } = self;
        let uses = Uses::of(args).and(result);
        let params = |work, places: Places<R::Value>| Params {
            closure,
            reducer,
            raw,
            walk,
            n,
            work,
            end: end(places.total),
        };
        // SAFETY: coverage is checked and the arguments are described; by the contract, only this launch uses the place of the end.
        unsafe { launch::<R, Scan<A, R, F, S, E, N>>(space, label, n, &uses, None, params, after) }
    }
}

/// The places of a scan in device memory.
#[derive(Clone, Copy)]
pub(super) struct Places<V> {
    /// Room for the total.
    pub(super) total: *mut V,
    /// The value before the first iteration; null if there is none.
    pub(super) before: *const V,
}

/// Launches a kernel that scans `n` values by [`scan`], from the value `before` them on. `params` makes its parameters from the memory
/// that it works with and its places; `after` may read the total.
///
/// # Safety
/// The parameters are the kernel's, and `uses` describes the memory that it uses but for these two.
pub(super) unsafe fn launch<R: Reducer, K: Kernel>(
    space: &Cuda,
    label: &str,
    n: usize,
    uses: &Uses<'_>,
    before: Option<&R::Value>,
    params: impl FnOnce(Work, Places<R::Value>) -> K::Params,
    after: impl FnOnce(&Cuda, *mut R::Value) -> Result<()>,
) -> Result<()> {
    let shares = ScanShape::<R>::shares(n);
    if shares > MAX_SHARES {
        let most = MAX_SHARES.saturating_mul(ScanShape::<R>::SHARE);
        return Err(Error::new(
            ErrorKind::Policy,
            format!("a scan of {n} iterations is too long for a device: scan at most {most} at a time"),
        ));
    }
    let multiprocessors = space.context().facts().multiprocessors;
    // Without iterations, one block still makes the total.
    let blocks = shares.clamp(1, multiprocessors * ScanShape::<R>::BLOCKS_PER_MULTIPROCESSOR);
    let launch = Launch {
        label,
        blocks: blocks as u32,
        threads: ScanShape::<R>::THREADS as u32,
        shared_bytes: if const { Area::<R>::IS_GLOBAL } { 0 } else { Area::<R>::BYTES as u32 },
        uses,
    };
    let area_bytes = if const { Area::<R>::IS_GLOBAL } { blocks * Area::<R>::BYTES } else { 0 };
    let mut workspace = lock(&space.workspace);
    let (_, memory) = workspace.of(space, places_bytes::<R>() + area_bytes)?;
    let areas = memory.wrapping_add(places_bytes::<R>());
    let total = memory.cast::<R::Value>();
    let mut places = Places { total, before: core::ptr::null() };
    if let Some(before) = before {
        let place = total.wrapping_add(1);
        // SAFETY: the workspace has room for a second value, which has no drop glue.
        unsafe { space.copy_to_device(core::slice::from_ref(before), place)? };
        places.before = place;
    }
    let mut board = lock(&space.board);
    let work = board.work(space, shares.saturating_mul(const { words::<R::Value>() }), areas)?;
    // SAFETY: the shape is that of a scan, and the memory is this launch's until the next one on the stream; by the contract, the
    // parameters are the kernel's and all other memory is described.
    unsafe { space.launch::<K>(&launch, params(work, places))? };
    after(space, total)
}

impl<A, R, F, S, const N: usize> Reduction<R> for Ready<'_, A, R, F, S, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    S: IndexSpace<Index = [usize; N]>,
{
    fn fetch(self) -> Result<R::Output> {
        if self.n == 0 {
            return Ok(self.reducer.finish(self.reducer.init()));
        }
        let label = self.label;
        // SAFETY: the reducer has no drop glue, and the device gets the copy.
        let reducer = unsafe { core::ptr::read(&self.reducer) };
        let mut total = [const { MaybeUninit::uninit() }];
        let keep = |place: *mut R::Value| Keep { place: place.cast::<MaybeUninit<R::Value>>() };
        // SAFETY: the workspace begins with the place; the kernel has written it when the copy is made, before the workspace
        // is released.
        unsafe {
            self.launch(keep, None, |space, place| space.copy_to_host(place.cast_const(), &mut total))
                .map_err(|error| error.in_kernel(label))?;
        }
        let [total] = total;
        // SAFETY: the bytes of a value without drop glue; the device no longer uses the value.
        Ok(reducer.finish(unsafe { total.assume_init() }))
    }

    fn store(self, place: *mut R::Output, result: Description<'_>) -> Result<()>
    where
        R::Output: Element,
    {
        let label = self.label;
        // SAFETY: the View's place is described.
        unsafe { self.launch(|_| Finish { place }, Some(result), |_, _| Ok(())) }
            .map_err(|error| error.in_kernel(label))
    }
}

/// Runs a prepared launch.
pub(in crate::cuda) fn run<I, A, F, R, O, const N: usize>(
    launch: Prepared<'_, A, I, N>,
    closure: F,
    reducer: R,
    outlet: O,
) -> Result<O::Returned>
where
    I: Indices<N, Space = Cuda>,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    O: Outlet<R>,
{
    plain::<R, F>();
    let Prepared { label, args, raw, count: n, .. } = launch;
    let walk = I::on_device(&launch.corners, ScanShape::<R>::STRIDE);
    outlet.on_device(Ready { space: launch.indices.space(), label, args, raw, closure, reducer, walk, n })
}
