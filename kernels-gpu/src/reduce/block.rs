//! Joint operations of the warps of a block, through shared memory.
//!
//! All threads of a block call these functions together. They can follow one another directly: no thread is still reading shared
//! memory when another function writes it.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use spelt_reducers::Reducer;

use super::warp::join_first;
use crate::intrinsics::{__spelt_barrier, __spelt_shared, __spelt_thread, WARP};
use crate::warp;

/// Bytes that a block's exchange keeps for a number to broadcast, and the alignment of shared memory.
const HEAD: usize = 16;

/// The place in shared memory where the warps of a block exchange values: one for each warp.
#[derive(Debug)]
pub struct Exchange<V> {
    base: *mut u8,
    values: PhantomData<V>,
}

impl<V> Exchange<V> {
    /// Bytes of dynamic shared memory that the exchange of a block of `warps` warps takes.
    #[must_use]
    pub const fn bytes(warps: u32) -> usize {
        if warps == 1 {
            return HEAD;
        }
        let slack = if align_of::<V>() > HEAD { align_of::<V>() - HEAD } else { 0 };
        HEAD + slack + warps as usize * size_of::<V>()
    }

    /// The exchange at the beginning of the block's dynamic shared memory.
    ///
    /// # Safety
    /// The launch has given the block [`bytes`](Self::bytes) of it, and nothing else uses them.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new() -> Self {
        Self { base: __spelt_shared(), values: PhantomData }
    }

    #[inline(always)]
    fn values(&self) -> *mut MaybeUninit<V> {
        let first = self.base.wrapping_add(HEAD);
        if const { align_of::<V>() > HEAD } {
            let over = first.addr() % align_of::<V>();
            return first.wrapping_add(if over == 0 { 0 } else { align_of::<V>() - over }).cast();
        }
        first.cast()
    }

    /// Joins the values of the warps, held by their threads 0, pairwise by number; the result is valid in thread 0 of the block.
    ///
    /// # Safety
    /// The first `count` warps, at least one, have a value; the block has `warps` warps, at most 32, and both
    /// are the same for the whole block.
    #[inline(always)]
    pub unsafe fn join<R: Reducer<Value = V>>(
        &self,
        reducer: &R,
        value: MaybeUninit<V>,
        warps: u32,
        count: u32,
    ) -> MaybeUninit<V> {
        if warps == 1 {
            return value;
        }
        let mut joined = value;
        let (warp, lane) = (warp::number(), warp::lane());
        if lane == 0 && warp < count {
            // SAFETY: the exchange has a place for each warp, which only this thread writes.
            unsafe { self.values().add(warp as usize).copy_from_nonoverlapping(&joined, 1) };
        }
        __spelt_barrier();
        if warp == 0 {
            if lane < count {
                // SAFETY: written before the barrier.
                joined = unsafe { self.values().add(lane as usize).read() };
            }
            // SAFETY: the first `count` lanes have a value, and this is the whole warp.
            unsafe { join_first(reducer, &mut joined, count) };
        }
        __spelt_barrier();
        joined
    }

    /// Broadcasts thread 0's value to all threads of the block.
    ///
    /// # Safety
    /// The whole block calls it.
    #[inline(always)]
    pub unsafe fn tell(&self, number: u32) -> u32 {
        let place: *mut u32 = self.base.cast();
        if __spelt_thread() == 0 {
            // SAFETY: the exchange has a place for it, which only thread 0 writes.
            unsafe { place.write(number) };
        }
        __spelt_barrier();
        // SAFETY: written before the barrier.
        let told = unsafe { place.read() };
        __spelt_barrier();
        told
    }
}

/// The number of warps of a block of `threads` threads.
#[must_use]
pub const fn warps_of(threads: u32) -> u32 {
    threads.div_ceil(WARP)
}
