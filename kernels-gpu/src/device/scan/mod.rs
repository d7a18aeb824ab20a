//! The scan of a whole launch, in one pass over memory, with the bits of the canonical order.
//!
//! Blocks take shares of the iterations by ticket, in index order, so that a block waits only for shares that others have
//! begun before. For each share a block
//! 1. finds the total of each thread's run, by calling the closure with `last == false`;
//! 2. finds, on its first warp, the value before each run, from the runs, groups and shares before (see `groups.rs`);
//! 3. calls the closure again, with `last == true` and the value before.
//!
//! What step 1 has read is in a cache still in step 3; so global memory sees each input once and each output once. The
//! tickets and the values that blocks publish for those after them are as in D. Merrill, M. Garland, "Single-pass Parallel
//! Prefix Scan with Decoupled Look-back", NVIDIA 2016. There a block publishes its total, and then the total of all up to
//! it, and how totals were grouped depends on time. Here a block publishes the value of one node of a fixed tree, as in
//! P. Fenwick, "A new data structure for cumulative frequency tables", 1994: the bits depend on no timing.
//!
//! | file | concept |
//! |---|---|
//! | `shape.rs` | how a scan is cut |
//! | `area.rs` | what the threads of a block share |
//! | `walked.rs` | steps 1 and 3 where joins are not exact |
//! | `transposed.rs` | steps 1 and 3 where joins are exact |
//! | `groups.rs` | step 2 |
//! | `published.rs` | what blocks tell each other |

mod area;
mod groups;
mod published;
mod shape;
mod transposed;
mod walked;

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

use spelt_policies::Idx;
use spelt_reducers::Reducer;

use self::groups::Board;
use self::shape::Share;
use super::intrinsics::{__spelt_barrier, __spelt_thread, WARP};
use super::kernel::Kernel;
use super::places::{BoxPlaces, Places, RangePlaces};
use crate::KernelArgs;

pub use self::area::Area;
pub use self::published::words;
pub use self::shape::Shape;

/// The memory that a scan works with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// The next share; 0 at the start.
    pub tickets: *const AtomicU32,
    /// Room for [`words`] of 64 bits for each share. At the start no upper half is `tag`.
    pub published: *mut u64,
    /// What marks the words that this launch publishes.
    pub tag: u32,
    /// Room for the area of each block, where that [is in global memory](Area::IS_GLOBAL).
    pub areas: *mut u8,
}

/// Where the total of a scan goes, and in which form.
///
/// # Safety
/// `put` writes a `Form` to `to` and nowhere else.
pub unsafe trait Total<R: Reducer> {
    /// What is written.
    type Form;
    /// Writes it.
    ///
    /// # Safety
    /// There is room for it at `to`.
    unsafe fn put(reducer: &R, value: R::Value, to: *mut Self::Form);
}

/// The joined value as it is, for the host to finish.
#[derive(Debug)]
pub struct Joined;

// SAFETY: it writes to `to` only.
unsafe impl<R: Reducer> Total<R> for Joined {
    type Form = R::Value;
    #[inline(always)]
    unsafe fn put(_reducer: &R, value: R::Value, to: *mut R::Value) {
        // SAFETY: the caller's promise.
        unsafe { to.write(value) }
    }
}

/// The result, as an element of a View.
#[derive(Debug)]
pub struct Finished;

// SAFETY: it writes to `to` only.
unsafe impl<R: Reducer> Total<R> for Finished {
    type Form = R::Output;
    #[inline(always)]
    unsafe fn put(reducer: &R, value: R::Value, to: *mut R::Output) {
        // SAFETY: the caller's promise.
        unsafe { to.write(reducer.finish(value)) }
    }
}

/// What a scan is launched with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Params<A, F, R, P, T> {
    /// The closure.
    pub functor: F,
    /// The reducer.
    pub reducer: R,
    /// The lowered arguments.
    pub args: A,
    /// The index space.
    pub places: P,
    /// The number of iterations, at least one; their [shares](Shape::shares) are fewer than 2^32.
    pub n: usize,
    /// Memory to work with.
    pub work: Work,
    /// Where the total goes.
    pub total: *mut T,
}

/// The scan of a range.
#[derive(Debug)]
pub struct ScanRange<A, F, R, T>(PhantomData<(A, F, R, T)>);

/// The scan of a box of rank `N`.
#[derive(Debug)]
pub struct ScanBox<A, F, R, T, const N: usize>(PhantomData<(A, F, R, T)>);

// SAFETY: each iteration gets one witness, and its two calls are made one after the other.
unsafe impl<A, F, R, T> Kernel for ScanRange<A, F, R, T>
where
    A: KernelArgs,
    R: Reducer + Sync,
    T: Total<R>,
    F: for<'k> Fn(Idx<'k, 1>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    type Params = Params<A::Raw, F, R, RangePlaces, T::Form>;

    /// # Safety
    /// The arguments cover the range; the launch has [`Shape::THREADS`] threads a block and what [`Area`] asks for.
    unsafe fn run(params: &Self::Params) {
        // SAFETY: the caller's promise.
        unsafe {
            scan::<_, _, T, _, _>(params, |index, value: &mut R::Value, last| {
                (params.functor)(Idx::new(index), value, last, A::access(&params.args, 0));
            });
        }
    }
}

// SAFETY: as above.
unsafe impl<A, F, R, T, const N: usize> Kernel for ScanBox<A, F, R, T, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    T: Total<R>,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    type Params = Params<A::Raw, F, R, BoxPlaces<N>, T::Form>;

    /// # Safety
    /// As for [`ScanRange`].
    unsafe fn run(params: &Self::Params) {
        // SAFETY: the caller's promise.
        unsafe {
            scan::<_, _, T, _, _>(params, |index, value: &mut R::Value, last| {
                (params.functor)(Idx::new(index), value, last, A::access(&params.args, 0));
            });
        }
    }
}

/// What each thread does.
///
/// # Safety
/// As for the kernels.
#[inline(always)]
unsafe fn scan<R, P, T, A, F>(
    params: &Params<A, F, R, P, T::Form>,
    body: impl Fn(P::Index, &mut R::Value, bool),
) where
    R: Reducer,
    P: Places,
    T: Total<R>,
{
    const {
        assert!(
            !core::mem::needs_drop::<R::Value>(),
            "a scan on a device copies running values byte by byte: \
            the reducer's value must not own memory or anything else that is dropped"
        );
    }
    let (reducer, places, work) = (&params.reducer, &params.places, &params.work);
    let thread = __spelt_thread() as usize;
    let shares = Shape::<R>::shares(params.n) as u32;
    let board = Board { words: work.published, tag: work.tag };
    // SAFETY: the launch has the memory.
    let area = unsafe { Area::<R>::of_this_block(work.areas) };
    loop {
        if thread == 0 {
            // SAFETY: the launch has the tickets, which all blocks change atomically; the number was last read before
            // two barriers.
            unsafe { area.number().write((*work.tickets).fetch_add(1, Ordering::Relaxed)) }
        }
        __spelt_barrier();
        // SAFETY: written before the barrier.
        let number = unsafe { area.number().read() };
        if number >= shares {
            return;
        }
        let share = Share::new::<R>(number as usize, params.n);
        // SAFETY: the barriers keep the steps apart, and those of one share from those of the next; whole blocks go
        // through them. The type of the values has no drop glue.
        unsafe {
            if const { R::EXACT } {
                transposed::totals(reducer, area, places, share, thread, &body);
            } else {
                walked::totals(reducer, area, places, share, thread, &body);
            }
            __spelt_barrier();
            if thread < WARP as usize {
                groups::join_groups(reducer, area, board, share, thread, |total| {
                    T::put(reducer, total, params.total)
                });
            }
            __spelt_barrier();
            if const { R::EXACT } {
                transposed::values(reducer, area, places, share, thread, &body);
            } else {
                walked::values(reducer, area, places, share, thread, &body);
            }
        }
    }
}
