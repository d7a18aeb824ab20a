//! The two passes where joins are not exact: each thread walks along its run, as the canonical order says.
//!
//! Iterations of a run must follow each other, since the closure may do with the running value what it likes. So the lanes
//! of a warp are never on neighbouring iterations: they are on runs of [`ROWS`](spelt_order::canonical::ROWS) iterations,
//! and each is in a sector of its own, whatever the order of runs. What one lane loads serves its next iterations from the
//! first-level cache, so memory still sees each sector once for reading. Counted by the emulator for a sum of 100,003
//! prefixes: 31.9 sectors a request, of which f64 use a quarter at a time and f32 an eighth (exact scans: all of it, with
//! 8 and 4 sectors a request), and 8.5 instructions an element (exact: 21.3), no bank conflict. How much of the time of
//! that many sectors a device hides is not measured.

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
        // A number of steps that the compiler knows lets it unroll them, and have many loads under way.
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

/// Leaves the total of each run.
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
        // SAFETY: this thread alone has the run.
        unsafe { area.total(run.group, run.run).write(value) }
    }
}

/// Goes along each run from the value before it.
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
