//! Joins of the values of the 32 threads of a warp.
//!
//! All threads of a warp call these functions together and equally often: the conditions around each call have the same value in
//! the whole warp.

use core::mem::MaybeUninit;

use spelt_reducers::Reducer;

use crate::intrinsics::WARP;
use crate::warp::{lane, shuffle, shuffle_down};

/// Joins the values of each `W` neighbouring threads by halving: thread `l` of them with `l + W/2`, and so on, as the lanes of a
/// tile join. The result is valid in the first of the `W`.
///
/// # Safety
/// The first `live` of the `W` threads have a value; the others need not. `live` may differ between the groups of `W`.
#[inline(always)]
pub unsafe fn join_halves<const W: usize, R: Reducer>(
    reducer: &R,
    value: &mut MaybeUninit<R::Value>,
    live: u32,
) {
    let member = lane() % W as u32;
    let mut half = W as u32 / 2;
    while half > 0 {
        let other = shuffle_down(value, half);
        if member < half && member + half < live {
            // SAFETY: this thread and the one `half` after it are among the first `live`.
            unsafe { reducer.join(value.assume_init_mut(), other.assume_init_ref()) };
        }
        half /= 2;
    }
}

/// Joins the values of the threads `0, stride, 2 stride, ..` pairwise by number, level by level, as tiles join. The result is
/// valid in the first of each `most * stride` threads.
///
/// # Safety
/// Of each `most * stride` threads, those with a number below `count` have a value. `most` is a power of two and, as
/// `stride`, the same for the whole warp; `count` may differ.
#[inline(always)]
pub unsafe fn join_pairs<R: Reducer>(
    reducer: &R,
    value: &mut MaybeUninit<R::Value>,
    stride: u32,
    most: u32,
    count: u32,
) {
    let place = lane() % (most * stride);
    let number = place / stride;
    let mut step = 1;
    while step < most {
        let other = shuffle_down(value, step * stride);
        if place.is_multiple_of(2 * step * stride) && number + step < count {
            // SAFETY: this thread's number and the one `step` after it are below `count`.
            unsafe { reducer.join(value.assume_init_mut(), other.assume_init_ref()) };
        }
        step *= 2;
    }
}

/// Joins the values of the first `count` threads pairwise by number, level by level; the result is valid in the first one.
///
/// # Safety
/// The first `count` threads have a value. `count` is the same for the whole warp, and at most 32.
#[inline(always)]
pub unsafe fn join_first<R: Reducer>(reducer: &R, value: &mut MaybeUninit<R::Value>, count: u32) {
    let lane = lane();
    let mut step = 1;
    while step < count {
        let other = shuffle_down(value, step);
        if lane.is_multiple_of(2 * step) && lane + step < count {
            // SAFETY: this thread and the one `step` after it are among the first `count`.
            unsafe { reducer.join(value.assume_init_mut(), other.assume_init_ref()) };
        }
        step *= 2;
    }
}

/// The maximum number of values of a [`Row`].
pub const MAX_IN_ROW: u32 = WARP * WARP;

/// A row of values that a warp joins pairwise by number as they come: at most [`MAX_IN_ROW`], in the registers of its lanes.
///
/// Lane `k` keeps value `k` of the running 32, and the joined value of the `k`th 32 before them: a binary counter would keep as
/// few values, but it needs indices, and so would lie in local memory.
#[derive(Debug)]
pub struct Row<V> {
    running: MaybeUninit<V>,
    whole: MaybeUninit<V>,
    count: u32,
}

impl<V> Row<V> {
    /// No value yet.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        Self { running: MaybeUninit::uninit(), whole: MaybeUninit::uninit(), count: 0 }
    }

    /// Adds the value of thread 0.
    ///
    /// # Safety
    /// Thread 0 has a value, and the row has fewer than [`MAX_IN_ROW`].
    #[inline(always)]
    pub unsafe fn push<R: Reducer<Value = V>>(&mut self, reducer: &R, value: &MaybeUninit<V>) {
        let value = shuffle(value, 0);
        if lane() == self.count % WARP {
            self.running = value;
        }
        self.count += 1;
        if self.count.is_multiple_of(WARP) {
            // SAFETY: all 32 lanes have a value.
            unsafe { self.fold(reducer, WARP) };
        }
    }

    /// Joins the running values, `count` of them, and keeps the result as the next of the whole ones.
    ///
    /// # Safety
    /// The first `count` lanes have one.
    #[inline(always)]
    unsafe fn fold<R: Reducer<Value = V>>(&mut self, reducer: &R, count: u32) {
        // SAFETY: the first `count` lanes have a running value, as the contract asks.
        unsafe { join_first(reducer, &mut self.running, count) };
        let value = shuffle(&self.running, 0);
        if lane() == (self.count - 1) / WARP {
            self.whole = value;
        }
    }

    /// The joined value, valid in thread 0; unspecified if the row is empty.
    #[inline(always)]
    #[must_use]
    pub fn join<R: Reducer<Value = V>>(mut self, reducer: &R) -> MaybeUninit<V> {
        let rest = self.count % WARP;
        if self.count < WARP {
            // SAFETY: each of the first `count` lanes holds a value, and `rest` equals `count` here.
            unsafe { join_first(reducer, &mut self.running, rest) };
            return self.running;
        }
        if rest != 0 {
            // SAFETY: the last `rest` values pushed lie in the first `rest` lanes.
            unsafe { self.fold(reducer, rest) };
        }
        // SAFETY: each group of 32 that was begun has been folded.
        unsafe { join_first(reducer, &mut self.whole, self.count.div_ceil(WARP)) };
        self.whole
    }
}

impl<V> Default for Row<V> {
    fn default() -> Self {
        Self::new()
    }
}
