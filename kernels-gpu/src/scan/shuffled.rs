//! The two passes if joins are not exact and values are too large for [`rows`](super::rows): the lanes of a group take neighbouring
//! iterations, a row of the canonical order at a time.
//!
//! A group has a tile, and as many threads as a row has lanes. They call the closure on an identity and join the contributions of
//! their row by shuffles; then every lane knows the total of the rows so far. A warp reads whole sectors.

use core::mem::MaybeUninit;

use spelt_order::scan::Goal;
use spelt_reducers::Reducer;

use super::area::Area;
use super::groups::value_before_group;
use super::shape::{ScanShape, Share};
use crate::crew::reduce::joined;
use crate::crew::start_from;
use crate::index_space::IndexSpace;
use crate::intrinsics::WARP;
use crate::warp::shuffle;

/// The rows of a group, for one of its lanes. Numbers within a group fit in 32 bits, which a device counts with.
struct Rows {
    group: usize,
    /// This thread's lane in each row.
    lane: u32,
    /// The lane of the warp that is lane 0 of each row.
    first_lane: u32,
    /// The group's first iteration, from the start of the scan.
    first: usize,
    /// The iterations of the group.
    len: u32,
    /// The rows of the first, and so longest, group of this warp: all its lanes meet in as many shuffles.
    count: u32,
}

impl Rows {
    #[inline(always)]
    fn new<R: Reducer>(share: Share, thread: usize) -> Self {
        let lanes = const { ScanShape::<R>::GROUP };
        let (group, lane) = (thread / lanes, thread % lanes);
        let of_warp = thread % WARP as usize;
        Self {
            group,
            lane: lane as u32,
            first_lane: (of_warp - lane) as u32,
            first: share.first + group * ScanShape::<R>::GROUP_LEN,
            len: share.group_len::<R>(group) as u32,
            count: share.group_len::<R>((thread - of_warp) / lanes).div_ceil(lanes) as u32,
        }
    }

    /// The number of iterations of a row of this group.
    #[inline(always)]
    fn row_len<R: Reducer>(&self, row: u32) -> u32 {
        let lanes = const { ScanShape::<R>::GROUP as u32 };
        self.len.saturating_sub(row * lanes).min(lanes)
    }

    /// Scans the group, and returns its total if it has an iteration.
    #[inline(always)]
    fn scan<R: Reducer, S: IndexSpace>(
        &self,
        reducer: &R,
        indices: &S,
        goal: Goal<'_, R::Value>,
        body: &impl Fn(S::Index, &mut R::Value, bool),
    ) -> Option<R::Value> {
        let mut total: Option<R::Value> = None;
        let mut place = indices.start(self.first + self.lane as usize);
        for row in 0..self.count {
            let len = self.row_len::<R>(row);
            let mut value = MaybeUninit::<R::Value>::uninit();
            if self.lane < len {
                let mut contribution = reducer.init();
                body(indices.index(&place), &mut contribution, false);
                value = MaybeUninit::new(contribution);
            }
            let mut half = 1;
            while half < const { ScanShape::<R>::GROUP as u32 } {
                self.join_step(reducer, half, len, &mut value);
                half *= 2;
            }
            let row_total = shuffle(&value, self.first_lane + len.max(1) - 1);
            if let Goal::Values(prefix) = goal {
                let before = shuffle(&value, self.first_lane + self.lane.max(1) - 1);
                if self.lane < len {
                    // SAFETY: the lane before this one, if there is one, has an iteration too.
                    let before = (self.lane > 0).then(|| unsafe { before.assume_init() });
                    let mut value = start_from(reducer, prefix, total.as_ref(), before.as_ref());
                    body(indices.index(&place), &mut value, true);
                }
            }
            if len > 0 {
                // SAFETY: the value of the last lane of the row that has an iteration.
                total = Some(joined(reducer, total, unsafe { row_total.assume_init() }));
            }
            step::<R, S>(indices, &mut place);
        }
        total
    }

    /// One step of the joins in a row of `len` iterations: a lane whose bit `half` is set joins its value to that of the last lane
    /// before the `half` lanes that it is among. All lanes of the warp call it together.
    #[inline(always)]
    fn join_step<R: Reducer>(&self, reducer: &R, half: u32, len: u32, value: &mut MaybeUninit<R::Value>) {
        let joins = self.lane & half != 0;
        let from = if joins { (self.lane & !(half - 1)) - 1 } else { self.lane };
        let left = shuffle(value, self.first_lane + from);
        if joins && self.lane < len {
            // SAFETY: this lane has an iteration, and so has the other, which comes before it: both have values, without drop
            // glue.
            unsafe {
                let mut left = left.assume_init();
                reducer.join(&mut left, value.assume_init_ref());
                *value = MaybeUninit::new(left);
            }
        }
    }
}

/// Steps to the next row.
#[inline(always)]
fn step<R: Reducer, S: IndexSpace>(indices: &S, place: &mut S::Place) {
    match const { ScanShape::<R>::GROUP } {
        32 => indices.step::<32>(place),
        16 => indices.step::<16>(place),
        8 => indices.step::<8>(place),
        4 => indices.step::<4>(place),
        2 => indices.step::<2>(place),
        _ => indices.step::<1>(place),
    }
}

/// Stores the total of each group.
///
/// # Safety
/// Whole warps call it; nothing else uses the nodes of `area` meanwhile. The type of the values has no drop glue.
#[inline(always)]
pub(super) unsafe fn totals<R: Reducer, S: IndexSpace>(
    reducer: &R,
    area: Area<R>,
    indices: &S,
    share: Share,
    thread: usize,
    body: &impl Fn(S::Index, &mut R::Value, bool),
) {
    let rows = Rows::new::<R>(share, thread);
    let total = rows.scan(reducer, indices, Goal::Total, body);
    if let (Some(total), 0) = (total, rows.lane) {
        // SAFETY: only this lane has the group.
        unsafe { area.node(0, rows.group).write(total) }
    }
}

/// Calls the closure with the value before each iteration.
///
/// # Safety
/// As for [`totals`] and [`value_before_group`].
#[inline(always)]
pub(super) unsafe fn values<R: Reducer, S: IndexSpace>(
    reducer: &R,
    area: Area<R>,
    indices: &S,
    share: Share,
    thread: usize,
    body: &impl Fn(S::Index, &mut R::Value, bool),
) {
    let rows = Rows::new::<R>(share, thread);
    let prefix = if rows.len > 0 {
        // SAFETY: `join_groups` has run for the share and the block has met since; the group has an iteration.
        unsafe { value_before_group(area, share, rows.group) }
    } else {
        None
    };
    let _ = rows.scan(reducer, indices, Goal::Values(prefix.as_ref()), body);
}
