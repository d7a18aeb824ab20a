//! `parallel_reduce` on a device.
//!
//! One launch: the tiles of the canonical order run on warps, and the block that finishes last joins the values of the blocks. A
//! result for the caller is written to memory of the host, which waits for the launch, and finished there. A result for a View is finished
//! on the device, without waiting. `chunk` and `schedule` have no effect here.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use spelt_access::{Description, Element, Idx, KernelArgs};
use spelt_kernels_gpu::contributions::Parts;
use spelt_kernels_gpu::index_space::IndexSpace;
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::numbering::Numbering;
use spelt_kernels_gpu::reduce::block::Exchange;
use spelt_kernels_gpu::reduce::grid::{self, Partials};
use spelt_kernels_gpu::reduce::tuning::ReduceShape;
use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::contributions::Kept;
use super::workspace::ALIGNMENT as WORKSPACE_ALIGNMENT;
use super::{Workspace, assert_plain, columns};
use crate::cuda::context::lock;
use crate::cuda::{Cuda, Launch, Uses};
use crate::host::tiles_per_part;
use crate::launch::{Contribution, Indices, Outlet, Prepared, Reduction};
use crate::{Error, ErrorKind, Result};

/// The end of a kernel, which takes the joined value.
pub(super) trait End<R: Reducer> {
    /// # Safety
    /// One thread of the launch calls it, once, and the place is valid.
    unsafe fn end(&self, reducer: &R, value: R::Value);
}

/// The host finishes the value.
#[repr(C)]
pub(super) struct Keep<V> {
    pub(super) place: *mut MaybeUninit<V>,
}

impl<R: Reducer> End<R> for Keep<R::Value> {
    #[inline(always)]
    unsafe fn end(&self, _reducer: &R, value: R::Value) {
        // SAFETY: only this launch uses the place, and one thread calls this once, as `end` asks.
        unsafe { self.place.write(MaybeUninit::new(value)) }
    }
}

/// The device finishes the value.
#[repr(C)]
pub(super) struct Finish<O> {
    pub(super) place: *mut O,
}

impl<R: Reducer> End<R> for Finish<R::Output> {
    #[inline(always)]
    unsafe fn end(&self, reducer: &R, value: R::Value) {
        // SAFETY: only this launch uses the place, and one thread calls this once, as `end` asks.
        unsafe { self.place.write(reducer.finish(value)) }
    }
}

/// The kernel.
struct Reduce<A, R, G, S, E, const N: usize>(PhantomData<(A, R, G, S, E)>);

#[repr(C)]
struct Params<D, R: Reducer, G, S, E, const N: usize> {
    body: G,
    reducer: R,
    raw: D,
    walk: S,
    numbering: Numbering<N>,
    shape: ReduceShape,
    partials: Partials<R::Value>,
    end: E,
}

// SAFETY: `run` calls the body, which is `Sync`, once for each index.
unsafe impl<A, R, G, S, E, const N: usize> Kernel for Reduce<A, R, G, S, E, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    G: Contribution<N, A, R>,
    S: IndexSpace<Index = [usize; N]>,
    E: End<R>,
{
    type Params = Params<A::Raw, R, G, S, E, N>;

    /// # Safety
    /// The launch covers the index space that is walked and has the shape, and the arguments' borrows live; only this launch
    /// uses the places of the results.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let Params { body, reducer, raw, walk, numbering, shape, partials, end } = params;
        let body = |index, value: &mut R::Value| {
            let number = numbering.number(index);
            // SAFETY: each index is visited once, and the launch covers it.
            unsafe { body.contribute(reducer, Idx::new(index), value, A::access(raw, number)) }
        };
        // SAFETY: the launch has `shape`, whose threads all make this call, and the places of the results are its own, as
        // this function asks; `Ready` made `walk` for the lanes of the reducer.
        unsafe { grid::reduce(reducer, walk, shape, partials, &body, |value| end.end(reducer, value)) }
    }
}

/// A reduction that is ready to be launched.
pub(super) struct Ready<'a, A: KernelArgs, R, G, S, const N: usize> {
    pub(super) space: &'a Cuda,
    pub(super) label: &'a str,
    pub(super) args: &'a A,
    pub(super) raw: A::Raw,
    pub(super) body: G,
    pub(super) reducer: R,
    pub(super) walk: S,
    pub(super) numbering: Numbering<N>,
    pub(super) n: usize,
}

impl<A, R, G, S, const N: usize> Ready<'_, A, R, G, S, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    G: Contribution<N, A, R>,
    S: IndexSpace<Index = [usize; N]>,
{
    pub(super) fn shape(&self, workspace: &Workspace) -> Result<ReduceShape> {
        let lanes = canonical::lanes(R::LANE_BYTES);
        let multiprocessors = self.space.context().facts().multiprocessors;
        let shape = ReduceShape::new(
            self.n,
            lanes,
            canonical::tile_len(lanes),
            size_of::<R::Value>(),
            multiprocessors,
        );
        let shape = shape.ok_or_else(|| {
            let message = format!(
                "a reduction of {} iterations is too long for a device: reduce parts, and join their results",
                self.n
            );
            Error::new(ErrorKind::Policy, message).in_kernel(self.label)
        })?;
        Ok(workspace.cut.map_or(shape, |(warps, steps)| shape.cut(lanes, warps, steps)))
    }

    /// # Safety
    /// The place of the end is memory that the device reaches and only this launch uses, and `result` describes it if it is a View.
    pub(super) unsafe fn launch<E: End<R>>(
        self,
        shape: ReduceShape,
        partials: Partials<R::Value>,
        end: E,
        result: Option<Description<'_>>,
    ) -> Result<()> {
        let uses = Uses::of(self.args).and(result);
        let launch = Launch {
            label: self.label,
            blocks: shape.blocks,
            threads: shape.threads(),
            shared_bytes: Exchange::<R::Value>::bytes(shape.warps) as u32,
            uses: &uses,
        };
        let Self { space, raw, body, reducer, walk, numbering, .. } = self;
        let params = Params { body, reducer, raw, walk, numbering, shape, partials, end };
        // SAFETY: coverage is checked, the arguments are described, the shape is the kernel's; by the contract, the device reaches the
        // place of the end, which only this launch uses.
        unsafe { space.launch::<Reduce<A, R, G, S, E, N>>(&launch, params) }
    }
}

/// Bytes of the workspace: a place for the joined value, and one for each block.
fn places<V>(shape: &ReduceShape) -> usize {
    (shape.blocks as usize + 1) * size_of::<V>()
}

impl<A, R, G, S, const N: usize> Reduction<R> for Ready<'_, A, R, G, S, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    G: Contribution<N, A, R>,
    S: IndexSpace<Index = [usize; N]>,
{
    fn fetch(self) -> Result<R::Output> {
        if self.n == 0 {
            return Ok(self.reducer.finish(self.reducer.init()));
        }
        let (space, label) = (self.space, self.label);
        // SAFETY: the reducer has no drop glue, and the device gets the copy.
        let reducer = unsafe { core::ptr::read(&self.reducer) };
        let mut workspace = lock(&space.workspace);
        let shape = self.shape(&workspace)?;
        let in_kernel = |error: crate::Error| error.in_kernel(label);
        let (done, memory) = workspace.of(space, places::<R::Value>(&shape)).map_err(in_kernel)?;
        let device: *mut MaybeUninit<R::Value> = memory.cast();
        let partials = Partials { values: device.wrapping_add(1), done };
        let host = workspace.result(space, size_of::<R::Value>()).map_err(in_kernel)?;
        let host = host.map(<*mut u8>::cast::<MaybeUninit<R::Value>>);
        let place = host.unwrap_or(device);
        // SAFETY: the memory is aligned, has room, and is this launch's until the lock is released.
        unsafe { self.launch(shape, partials, Keep { place }, None)? };
        let mut value = [const { MaybeUninit::uninit() }];
        if let Some(host) = host {
            space.stream.synchronize().map_err(in_kernel)?;
            // SAFETY: the memory is the host's, has room for the value, and no kernel writes it any longer.
            value = [unsafe { host.read() }];
        } else {
            // SAFETY: the kernel has written the place.
            unsafe { space.copy_to_host(place.cast::<R::Value>(), &mut value).map_err(in_kernel)? };
        }
        // `finish` is the user's code, and may reduce on this space.
        drop(workspace);
        let [value] = value;
        // SAFETY: the bytes of a value without drop glue; the device no longer uses the value.
        Ok(reducer.finish(unsafe { value.assume_init() }))
    }

    fn store(self, place: *mut R::Output, result: Description<'_>) -> Result<()>
    where
        R::Output: Element,
    {
        let (space, label) = (self.space, self.label);
        let mut workspace = lock(&space.workspace);
        let shape = self.shape(&workspace)?;
        let (done, memory) =
            workspace.of(space, places::<R::Value>(&shape)).map_err(|error| error.in_kernel(label))?;
        let partials = Partials { values: memory.cast::<MaybeUninit<R::Value>>().wrapping_add(1), done };
        // SAFETY: the workspace is aligned and has room; later launches that use it come after this one on the stream. The
        // View's place is described.
        unsafe { self.launch(shape, partials, Finish { place }, Some(result)) }
    }
}

/// How a host cuts the iterations of a reduction into parts, for arguments with replicas.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) enum Cut {
    /// Between units of tiles.
    Tiles,
    /// Anywhere, as in a `parallel_for`.
    Iterations,
}

impl Cut {
    /// The length of each of at most `parts` parts of `n` iterations in tiles of `lanes` lanes.
    fn part_len(self, n: usize, lanes: usize, parts: usize) -> usize {
        match self {
            Self::Tiles => {
                tiles_per_part(canonical::tile_count(n, lanes), parts) * canonical::tile_len(lanes)
            }
            Self::Iterations => n.div_ceil(parts),
        }
    }
}

/// Runs a prepared launch.
pub(in crate::cuda) fn run<I, A, G, R, O, const N: usize>(
    mut launch: Prepared<'_, A, I, N>,
    body: G,
    reducer: R,
    outlet: O,
    cut: Cut,
) -> Result<O::Returned>
where
    I: Indices<N, Space = Cuda>,
    A: KernelArgs,
    G: Contribution<N, A, R>,
    R: Reducer + Sync,
    O: Outlet<R>,
{
    let (space, label) = (launch.indices.space(), launch.label);
    let kept = Kept::begin(space, label, launch.args, &mut launch.raw, launch.count)?;
    let numbering = Numbering::new(launch.corners.0, launch.corners.1, None, false);
    let Prepared { label, args, mut raw, count: n, parts, .. } = launch;
    let lanes = canonical::lanes(R::LANE_BYTES);
    let parts = Parts { start: 0, len: cut.part_len(n, lanes, parts.unwrap_or(1)).max(1) };
    let returned = if const { R::BY_COLUMNS } {
        outlet.put(columns::run(&launch, numbering, body, reducer)?)?
    } else {
        copied::<R, G>();
        let walk = I::on_device(&launch.corners, lanes);
        let space = launch.indices.space();
        outlet.on_device(Ready { space, label, args, raw, body, reducer, walk, numbering, n })?
    };
    // SAFETY: the room is in the raw forms with which the launch has run, and threads have passed the numbers that `parts` cuts.
    unsafe { kept.join(&mut raw, args, parts)? };
    Ok(returned)
}

/// Rejects reducers that cannot be copied to a device, and those of columns.
pub(super) const fn plain<R: Reducer, G>() {
    assert_plain!(R::Value, "the value of the reducer of a kernel for a device");
    copied::<R, G>();
}

/// Rejects reducers that cannot be copied to a device.
const fn copied<R: Reducer, G>() {
    assert_plain!(G, "the closure of a kernel for a device");
    assert_plain!(R, "the reducer of a kernel for a device");
    // A value of columns is not copied.
    assert_plain!(R::Value, "the value of the reducer of a kernel for a device", unless R::BY_COLUMNS);
    const {
        assert!(
            align_of::<R::Value>() <= WORKSPACE_ALIGNMENT,
            "memory for partial results is aligned to 256 bytes"
        )
    };
}
