//! `parallel_for` on a device: a thread for each index.
//!
//! One index a thread, and not a loop over many, because a store of one iteration keeps the compiler from starting the
//! loads of the next one early: what hides the latency of memory is the number of threads. `chunk` and `schedule` mean
//! nothing here: the device shares out its blocks by itself, as multiprocessors become free.

use core::marker::PhantomData;

use spelt_access::{Idx, KernelArgs};
use spelt_kernels_gpu::intrinsics::{__spelt_block, __spelt_block_threads, __spelt_thread};
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::placement::{self, Placement};
use spelt_kernels_gpu::tuning::{FOR_THREADS, MAX_BLOCKS};
use spelt_policies::{Iterate, MdRangePolicy, RangePolicy};

use super::assert_plain;
use crate::Result;
use crate::cuda::{Cuda, Launch, Uses};
use crate::launch::check_covered;
use crate::patterns::parallel_for::counted;

/// The kernel over a range.
struct ForRange<A, F>(PhantomData<(A, F)>);

#[repr(C)]
struct RangeParams<D, F> {
    functor: F,
    raw: D,
    first: usize,
    len: usize,
}

// SAFETY: `run` calls the closure, which is `Sync`, once for each index.
unsafe impl<A, F> Kernel for ForRange<A, F>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, 1>, A::Access<'k>) + Sync,
{
    type Params = RangeParams<A::Raw, F>;

    /// # Safety
    /// The launch covers the range, the arguments' borrows live, and it has a thread for each index at least.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let number = __spelt_block() as usize * __spelt_block_threads() as usize + __spelt_thread() as usize;
        if number < params.len {
            // SAFETY: each thread has another index, which the launch covers.
            unsafe { (params.functor)(Idx::new([params.first + number]), A::access(&params.raw, 0)) }
        }
    }
}

/// The kernel over a box.
struct ForBox<A, F, const N: usize>(PhantomData<(A, F)>);

#[repr(C)]
struct BoxParams<D, F, const N: usize> {
    functor: F,
    raw: D,
    placement: Placement<N>,
    /// The lower corner, in the order of the placement.
    lower: [usize; N],
    /// All bits where the placement has the dimensions backwards, none where it does not.
    backwards: usize,
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
            // A choice by bits: for one by a condition the compiler would put the array into local memory.
            let index = core::array::from_fn(|d| place[d] ^ (place[d] ^ place[N - 1 - d]) & params.backwards);
            // SAFETY: each thread has another index, which the launch covers.
            unsafe { (params.functor)(Idx::new(index), A::access(&params.raw, 0)) }
        }
    }
}

/// A copy of `value`'s bytes: each launch of a large range gets one.
///
/// # Safety
/// `T` has no drop glue, and only the device, which shares what it gets among all threads, uses the copy.
unsafe fn copied<T>(value: &T) -> T {
    // SAFETY: the caller's promise: as far as the device goes, a copy is as good as a reference.
    unsafe { core::ptr::read(value) }
}

/// `parallel_for` over a range, on a device.
pub(in crate::cuda) fn for_range<A, F>(
    policy: RangePolicy<&Cuda>,
    label: &str,
    mut args: A,
    functor: F,
) -> Result<()>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, 1>, A::Access<'k>) + Sync,
{
    assert_plain!(F, "the closure of a kernel for a device");
    let range = policy.range();
    check_covered(label, &args, &[range.start], &[range.end])?;
    // SAFETY: `args` is only described from here on, and memory that it borrows is freed after the launch.
    let (raw, held) = unsafe { args.lower_on_device() };
    let uses = Uses::of(&args);
    let most = MAX_BLOCKS as usize * FOR_THREADS as usize;
    let mut first = range.start;
    while first < range.end {
        let len = (range.end - first).min(most);
        let blocks = len.div_ceil(FOR_THREADS as usize) as u32;
        let launch = Launch { label, blocks, threads: FOR_THREADS, shared_bytes: 0, uses: &uses };
        // SAFETY: asserted above; the copy goes to the device.
        let functor = unsafe { copied(&functor) };
        // SAFETY: coverage is checked, the arguments are described, and there is a thread for each index.
        unsafe {
            policy.space().launch::<ForRange<A, F>>(&launch, RangeParams { functor, raw, first, len })?;
        }
        first += len;
    }
    A::finish(held);
    Ok(())
}

/// `parallel_for` over a box, on a device.
pub(in crate::cuda) fn for_box<A, F, const N: usize>(
    policy: MdRangePolicy<&Cuda, N>,
    label: &str,
    mut args: A,
    functor: F,
) -> Result<()>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) + Sync,
{
    assert_plain!(F, "the closure of a kernel for a device");
    let count = counted(label, &policy)?;
    let lower = policy.ranges().map(|range| range.start);
    let upper = policy.ranges().map(|range| range.end);
    check_covered(label, &args, &lower, &upper)?;
    if count == 0 {
        return Ok(());
    }
    // SAFETY: `args` is only described from here on, and memory that it borrows is freed after the launch.
    let (raw, held) = unsafe { args.lower_on_device() };
    let uses = Uses::of(&args);
    let left = policy.iteration() == Iterate::Left;
    // The dimension that is to run fastest comes last.
    let turn = |index: [usize; N]| if left { core::array::from_fn(|d| index[N - 1 - d]) } else { index };
    let (lower, upper) = (turn(lower), turn(upper));
    let extents: [usize; N] = core::array::from_fn(|d| upper[d] - lower[d]);
    let tile = placement::tile(extents, policy.tile_extents().map(turn));
    let tiles = core::array::from_fn(|d| extents[d].div_ceil(tile[d] as usize));
    let threads = tile.iter().product();
    placement::parts([0; N], tiles, MAX_BLOCKS as usize, &mut |from: [usize; N], tiles: [usize; N]| {
        let start: [usize; N] = core::array::from_fn(|d| from[d] * tile[d] as usize);
        let left_over: [usize; N] = core::array::from_fn(|d| extents[d] - start[d]);
        let blocks = tiles.iter().product::<usize>() as u32;
        let launch = Launch { label, blocks, threads, shared_bytes: 0, uses: &uses };
        let params = BoxParams {
            // SAFETY: asserted above; the copy goes to the device.
            functor: unsafe { copied(&functor) },
            raw,
            placement: Placement::new(left_over, tile, tiles.map(|tiles| tiles as u32)),
            lower: core::array::from_fn(|d| lower[d] + start[d]),
            backwards: if left { usize::MAX } else { 0 },
        };
        // SAFETY: coverage is checked, the arguments are described, and blocks are tiles.
        unsafe { policy.space().launch::<ForBox<A, F, N>>(&launch, params) }
    })?;
    A::finish(held);
    Ok(())
}
