//! `parallel_for` on a device: a thread for each index of a box, and for one or a few of a range.
//!
//! A store of one iteration keeps the compiler from starting the loads of the next one early, so it is the number of threads that hides
//! the latency of memory: a thread of a range runs more than one index only where the device is full many times over. `chunk`
//! and `schedule` have no effect here: the device assigns its blocks itself, as multiprocessors become free.

use core::marker::PhantomData;

use spelt_access::{Idx, KernelArgs};
use spelt_kernels_gpu::contributions::Parts;
use spelt_kernels_gpu::intrinsics::{__spelt_block, __spelt_thread};
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::numbering::Numbering;
use spelt_kernels_gpu::placement::{self, Placement};
use spelt_kernels_gpu::strips::{Strips, Turns};
use spelt_kernels_gpu::tuning::{FOR_THREADS, MAX_BLOCKS, block_threads};
use spelt_policies::Iterate;

use super::assert_plain;
use super::contributions::Kept;
use crate::Result;
use crate::cuda::{Cuda, Launch, Uses};
use crate::launch::{Indices, Prepared};

/// The kernel over a range: `N` is 1.
struct ForRange<A, F, const N: usize>(PhantomData<(A, F)>);

#[repr(C)]
struct RangeParams<D, F> {
    closure: F,
    raw: D,
    strips: Strips,
}

// SAFETY: `run` calls the closure, which is `Sync`, once for each index.
unsafe impl<A, F, const N: usize> Kernel for ForRange<A, F, N>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    type Params = RangeParams<A::Raw, F>;

    /// # Safety
    /// The launch covers the range, the arguments' borrows live, and it has the blocks of the strips.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let Turns { first: mut number, count: mut left } =
            params.strips.turns(__spelt_block(), __spelt_thread());
        while left > 0 {
            // SAFETY: each iteration is one turn of one thread, and the launch covers it.
            unsafe { (params.closure)(Idx::new([number; N]), A::access(&params.raw, number)) }
            // Beyond the last iteration it may pass the largest number.
            number = number.wrapping_add(FOR_THREADS as usize);
            left -= 1;
        }
    }
}

/// The kernel over a box.
struct ForBox<A, F, const N: usize>(PhantomData<(A, F)>);

#[repr(C)]
struct BoxParams<D, F, const N: usize> {
    closure: F,
    raw: D,
    placement: Placement<N>,
    /// The lower corner, in the order of the placement.
    lower: [usize; N],
    /// All bits set if the placement has the dimensions reversed, otherwise none.
    backwards: usize,
    numbering: Numbering<N>,
}

// SAFETY: `run` calls the closure, which is `Sync`, once for each index.
unsafe impl<A, F, const N: usize> Kernel for ForBox<A, F, N>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    type Params = BoxParams<A::Raw, F, N>;

    /// # Safety
    /// The launch covers the box, the arguments' borrows live, and it has the placement's blocks and threads.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        if let Some(place) = params.placement.index(__spelt_block(), __spelt_thread()) {
            let place: [usize; N] = core::array::from_fn(|d| params.lower[d] + place[d]);
            // A choice by bits: with a condition, the compiler would put the array into local memory.
            let index = core::array::from_fn(|d| place[d] ^ (place[d] ^ place[N - 1 - d]) & params.backwards);
            let number = params.numbering.number(index);
            // SAFETY: each thread has a different index, which the launch covers.
            unsafe { (params.closure)(Idx::new(index), A::access(&params.raw, number)) }
        }
    }
}

/// A copy of `value`'s bytes: each launch of a large range gets one.
///
/// # Safety
/// `T` has no drop glue, and only the device, which shares the copy among all threads, uses it.
unsafe fn copied<T>(value: &T) -> T {
    // SAFETY: a reference is readable, and a type without drop glue may be copied as bytes.
    unsafe { core::ptr::read(value) }
}

/// Runs a prepared launch.
pub(in crate::cuda) fn run<I, A, F, const N: usize>(
    mut launch: Prepared<'_, A, I, N>,
    closure: F,
) -> Result<()>
where
    I: Indices<N, Space = Cuda>,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    assert_plain!(F, "the closure of a kernel for a device");
    if launch.count == 0 {
        return Ok(());
    }
    let (indices, corners, count) = (&launch.indices, launch.corners, launch.count);
    let kept = Kept::begin(indices.space(), launch.label, launch.args, &mut launch.raw, count)?;
    let parts = launch.parts.unwrap_or(1);
    let parts = if const { I::IS_BOX } {
        let left = indices.iterate() == Iterate::Left;
        let numbering = Numbering::new(corners.0, corners.1, indices.tile(), left);
        run_box(&launch, &closure, numbering)?;
        Parts { start: 0, len: numbering.part_len(count, parts) }
    } else {
        run_range(&launch, &closure)?;
        Parts { start: corners.0[0], len: count.div_ceil(parts) }
    };
    // SAFETY: the room is in the raw forms with which the launch has run, and threads have passed the numbers that `parts` cuts.
    unsafe { kept.join(&mut launch.raw, launch.args, parts) }
}

/// Runs a range.
fn run_range<I, A, F, const N: usize>(launch: &Prepared<'_, A, I, N>, closure: &F) -> Result<()>
where
    I: Indices<N, Space = Cuda>,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    debug_assert!(N == 1, "a range has one dimension");
    let uses = Uses::of(launch.args);
    let space = launch.indices.space();
    let (mut first, end) = (launch.corners.0[0], launch.corners.1[0]);
    let each = space.iterations_each(end - first);
    let threads = block_threads(end - first, space.context().facts().multiprocessors);
    let most = MAX_BLOCKS as usize * FOR_THREADS as usize;
    while first < end {
        let len = (end - first).min(most);
        let strips = Strips::new(first, len, each, threads);
        let (blocks, threads) = (strips.blocks() as u32, strips.threads());
        let shape = Launch { label: launch.label, blocks, threads, shared_bytes: 0, uses: &uses };
        // SAFETY: `run` has asserted that the closure has no drop glue; the copy goes to the device.
        let closure = unsafe { copied(closure) };
        let params = RangeParams { closure, raw: launch.raw, strips };
        // SAFETY: a prepared launch is covered and its arguments are described; there is a block for each strip.
        unsafe { space.launch::<ForRange<A, F, N>>(&shape, params)? };
        first += len;
    }
    Ok(())
}

/// Runs a box.
fn run_box<I, A, F, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    closure: &F,
    numbering: Numbering<N>,
) -> Result<()>
where
    I: Indices<N, Space = Cuda>,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    let (label, indices) = (launch.label, &launch.indices);
    let uses = Uses::of(launch.args);
    let left = indices.iterate() == Iterate::Left;
    // The dimension that varies fastest comes last.
    let turn = |index: [usize; N]| if left { core::array::from_fn(|d| index[N - 1 - d]) } else { index };
    let (lower, upper) = (turn(launch.corners.0), turn(launch.corners.1));
    let extents: [usize; N] = core::array::from_fn(|d| upper[d] - lower[d]);
    let tile = placement::tile(extents, indices.tile().map(turn));
    let tiles = core::array::from_fn(|d| extents[d].div_ceil(tile[d] as usize));
    let threads = tile.iter().product();
    placement::parts([0; N], tiles, MAX_BLOCKS as usize, &mut |from: [usize; N], tiles: [usize; N]| {
        let start: [usize; N] = core::array::from_fn(|d| from[d] * tile[d] as usize);
        let left_over: [usize; N] = core::array::from_fn(|d| extents[d] - start[d]);
        let blocks = tiles.iter().product::<usize>() as u32;
        let shape = Launch { label, blocks, threads, shared_bytes: 0, uses: &uses };
        let params = BoxParams {
            // SAFETY: `run` has asserted that the closure has no drop glue; the copy goes to the device.
            closure: unsafe { copied(closure) },
            raw: launch.raw,
            placement: Placement::new(left_over, tile, tiles.map(|tiles| tiles as u32)),
            lower: core::array::from_fn(|d| lower[d] + start[d]),
            backwards: if left { usize::MAX } else { 0 },
            numbering,
        };
        // SAFETY: a prepared launch is covered and its arguments are described; blocks are tiles.
        unsafe { indices.space().launch::<ForBox<A, F, N>>(&shape, params) }
    })
}
