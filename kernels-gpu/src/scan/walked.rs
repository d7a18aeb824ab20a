//! The two passes if joins are not exact: each thread walks along its run, in the canonical order.
//!
//! Iterations of a run must follow each other, since the closure may use the running value in any way. So the lanes
//! of a warp are never on neighbouring iterations: they are on runs of [`ROWS`](spelt_order::canonical::ROWS) iterations,
//! and each is in a different sector, regardless of the order of runs. The next iterations of a lane find its loads in the first-level
//! cache, so each sector is still read from memory once. Counted by the emulator for a sum of 100,003 prefixes: 31.9 sectors per
//! request, of which f64 use a quarter at a time and f32 an eighth (exact scans: all of it, with 8 and 4 sectors per request), and
//! 8.5 instructions per element (exact: 21.3), no bank conflict. How much of the time for these sectors a device hides has not
//! been measured.

use spelt_reducers::Reducer;

use super::area::Area;
use super::groups::value_before;
use super::shape::{ScanShape, Share};
use crate::index_space::IndexSpace;

/// The run of one thread.
struct Run {
    group: usize,
    run: usize,
    /// The first iteration, from the start of the scan.
    first: usize,
    count: usize,
}

impl Run {
    #[inline(always)]
    fn new<R: Reducer>(share: Share, thread: usize) -> Self {
        let (group, run) = (thread / ScanShape::<R>::GROUP, thread % ScanShape::<R>::GROUP);
        let len = share.group_len::<R>(group);
        let run_len = Share::run_len::<R>(len);
        let before = run * run_len;
        Self {
            group,
            run,
            first: share.first + group * ScanShape::<R>::GROUP_LEN + before,
            count: len.saturating_sub(before).min(run_len),
        }
    }

    /// Calls `body(index)` for each iteration in order.
    #[inline(always)]
    fn indices<R: Reducer, S: IndexSpace>(&self, indices: &S, mut body: impl FnMut(S::Index)) {
        let mut place = indices.start(self.first);
        // With a constant number of steps the compiler can unroll them, and have many loads in flight.
        if self.count == ScanShape::<R>::RUN {
            for _ in 0..ScanShape::<R>::RUN {
                body(indices.index(&place));
                indices.step::<1>(&mut place);
            }
        } else {
            for _ in 0..self.count {
                body(indices.index(&place));
                indices.step::<1>(&mut place);
            }
        }
    }
}

/// Stores the total of each run.
///
/// # Safety
/// Nothing else uses the totals of `area` meanwhile.
#[inline(always)]
pub(super) unsafe fn totals<R: Reducer, S: IndexSpace>(
    reducer: &R,
    area: Area<R>,
    indices: &S,
    share: Share,
    thread: usize,
    body: &impl Fn(S::Index, &mut R::Value, bool),
) {
    let run = Run::new::<R>(share, thread);
    if run.count > 0 {
        let mut value = reducer.init();
        run.indices::<R, S>(indices, |index| body(index, &mut value, false));
        // SAFETY: only this thread has the run.
        unsafe { area.total(run.group, run.run).write(value) }
    }
}

/// Walks along each run from the value before it.
///
/// # Safety
/// As for [`value_before`].
#[inline(always)]
pub(super) unsafe fn values<R: Reducer, S: IndexSpace>(
    reducer: &R,
    area: Area<R>,
    indices: &S,
    share: Share,
    thread: usize,
    body: &impl Fn(S::Index, &mut R::Value, bool),
) {
    let run = Run::new::<R>(share, thread);
    if run.count > 0 {
        // SAFETY: `join_groups` has run for the share and the block has met since, as `value_before` asks; the run has
        // an iteration, which the condition says.
        let before = unsafe { value_before(reducer, area, share, run.group, run.run) };
        let mut value = before.unwrap_or_else(|| reducer.init());
        run.indices::<R, S>(indices, |index| body(index, &mut value, true));
    }
}
