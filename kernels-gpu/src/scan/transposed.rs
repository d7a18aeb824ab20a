//! The two passes if joins are exact: the closure is called for 32 neighbouring iterations at a time, and each thread
//! joins a run of them.
//!
//! Any grouping gives the same bits, so an iteration's contribution may be made on its own, from an identity. A warp has
//! 32 runs that follow each other; it evaluates them row by row into shared memory, from which each lane takes its run. On the
//! way back each lane stores, for every iteration of its run, the value before it, and the warp calls the closure again, row by
//! row.

use spelt_reducers::Reducer;

use super::area::Area;
use super::groups::value_before;
use super::shape::{ScanShape, Share};
use crate::index_space::IndexSpace;
use crate::intrinsics::{__spelt_warp_barrier, WARP};

/// The distance between two iterations of a lane.
const STRIDE: usize = WARP as usize;

/// The first iteration of the share that [`each_of_warp`] gives to this lane.
#[inline(always)]
fn first_iteration<R: Reducer>(thread: usize) -> usize {
    let lane = thread % STRIDE;
    (thread - lane) * ScanShape::<R>::RUN + lane
}

/// Calls `body(step, index)` for each iteration of this thread's warp that this lane has: every 32nd.
#[inline(always)]
pub(super) fn each_of_warp<R: Reducer, S: IndexSpace>(
    indices: &S,
    share: Share,
    thread: usize,
    mut body: impl FnMut(usize, S::Index),
) {
    let start = first_iteration::<R>(thread);
    let mut place = indices.start(share.first + start);
    let mut step = 0;
    // Without a test before each of them, the loads of several steps can be in flight at a time.
    if share.len == ScanShape::<R>::SHARE {
        while step < ScanShape::<R>::RUN {
            body(step, indices.index(&place));
            indices.step::<STRIDE>(&mut place);
            step += 1;
        }
    } else {
        let left = share.len.saturating_sub(start);
        while step < ScanShape::<R>::RUN && step * STRIDE < left {
            body(step, indices.index(&place));
            indices.step::<STRIDE>(&mut place);
            step += 1;
        }
    }
}

/// Calls `body(slot)` for each iteration of this thread's run in order.
#[inline(always)]
fn run<R: Reducer>(area: Area<R>, share: Share, thread: usize, mut body: impl FnMut(*mut R::Value)) {
    let first = thread * ScanShape::<R>::RUN;
    if share.len == ScanShape::<R>::SHARE {
        (0..ScanShape::<R>::RUN).for_each(|step| body(area.slot(first + step)));
    } else {
        let count = share.len.saturating_sub(first).min(ScanShape::<R>::RUN);
        (0..count).for_each(|step| body(area.slot(first + step)));
    }
}

/// Stores each iteration's contribution, and the total of each run.
///
/// # Safety
/// Whole warps call it; nothing else uses `area` meanwhile, and the type of the values has no drop glue.
#[inline(always)]
pub(super) unsafe fn totals<R: Reducer, S: IndexSpace>(
    reducer: &R,
    area: Area<R>,
    indices: &S,
    share: Share,
    thread: usize,
    body: &impl Fn(S::Index, &mut R::Value, bool),
) {
    let start = first_iteration::<R>(thread);
    each_of_warp::<R, S>(indices, share, thread, |step, index| {
        let mut value = reducer.init();
        body(index, &mut value, false);
        // SAFETY: only this lane has the iteration.
        unsafe { area.slot(start + step * STRIDE).write(value) }
    });
    __spelt_warp_barrier(u32::MAX);
    let mut total = None;
    run(area, share, thread, |slot| {
        // SAFETY: the warp has written the slots of its runs.
        unsafe {
            match &mut total {
                None => total = Some(slot.read()),
                Some(total) => reducer.join(total, &*slot),
            }
        }
    });
    if let Some(total) = total {
        let (group, run) = (thread / ScanShape::<R>::GROUP, thread % ScanShape::<R>::GROUP);
        // SAFETY: only this thread has the run.
        unsafe { area.total(group, run).write(total) }
    }
}

/// Calls the closure with the value before each iteration.
///
/// # Safety
/// As for [`totals`] and [`value_before`]; the slots are as [`totals`] left them.
#[inline(always)]
pub(super) unsafe fn values<R: Reducer, S: IndexSpace>(
    reducer: &R,
    area: Area<R>,
    indices: &S,
    share: Share,
    thread: usize,
    body: &impl Fn(S::Index, &mut R::Value, bool),
) {
    let (group, number) = (thread / ScanShape::<R>::GROUP, thread % ScanShape::<R>::GROUP);
    if thread * ScanShape::<R>::RUN < share.len {
        // SAFETY: `join_groups` has run for the share and the block has met since, as `value_before` asks; the run has
        // an iteration, which the condition says.
        let before = unsafe { value_before(reducer, area, share, group, number) };
        let mut value = before.unwrap_or_else(|| reducer.init());
        run(area, share, thread, |slot| {
            // SAFETY: the slots of the run are this thread's until the warp meets.
            unsafe {
                let contribution = slot.read();
                slot.write((&raw const value).read());
                reducer.join(&mut value, &contribution);
            }
        });
    }
    __spelt_warp_barrier(u32::MAX);
    let start = first_iteration::<R>(thread);
    each_of_warp::<R, S>(indices, share, thread, |step, index| {
        // SAFETY: the warp has written the slots of its runs, and only this lane takes the value of the iteration.
        let mut value = unsafe { area.slot(start + step * STRIDE).read() };
        body(index, &mut value, true);
    });
}
