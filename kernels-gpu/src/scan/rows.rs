//! The two passes if joins are not exact and the contributions of a tile fit in shared memory: each thread joins one row of the
//! canonical order.
//!
//! A warp has 32 rows that follow each other. It calls the closure on identities, for 32 neighbouring iterations at a time, and
//! stores the contributions in shared memory. Then each lane joins its row in registers, and replaces each contribution by its
//! prefix in the row. On the way back it joins the value before the row to the prefixes, and calls the closure again, for 32
//! neighbouring iterations at a time. So a row takes no shuffle, and the closure is called twice.

use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::area::Area;
use super::groups::value_before;
use super::shape::{ScanShape, Share};
use super::transposed::each_of_warp;
use crate::crew::reduce::{copy, joined};
use crate::index_space::IndexSpace;
use crate::intrinsics::{__spelt_warp_barrier, WARP};

/// An aligned span of a power of two of lanes: its joins, as straight code.
///
/// Loops over an array of prefixes would keep the array in memory wherever LLVM does not unroll all of them.
trait Span {
    const LANES: usize;

    /// Replaces the contribution of every lane but the last by its prefix in the row, and returns the total of the span. `before` joins
    /// the lanes before the span to a prefix within it.
    ///
    /// # Safety
    /// Contributions without drop glue of all lanes are at `first`; nothing else uses these places.
    unsafe fn prefixes<R: Reducer>(
        reducer: &R,
        first: *mut R::Value,
        before: &impl Fn(R::Value) -> R::Value,
    ) -> R::Value;
}

/// One lane.
struct One;

/// Two neighbouring spans.
struct Two<B>(B);

impl Span for One {
    const LANES: usize = 1;
    #[inline(always)]
    unsafe fn prefixes<R: Reducer>(
        _: &R,
        first: *mut R::Value,
        _: &impl Fn(R::Value) -> R::Value,
    ) -> R::Value {
        // SAFETY: a contribution without drop glue is there, as the contract asks.
        unsafe { first.read() }
    }
}

impl<B: Span> Span for Two<B> {
    const LANES: usize = 2 * B::LANES;
    #[inline(always)]
    unsafe fn prefixes<R: Reducer>(
        reducer: &R,
        first: *mut R::Value,
        before: &impl Fn(R::Value) -> R::Value,
    ) -> R::Value {
        // SAFETY: contributions of twice as many lanes as a half has are at `first`, as the contract asks.
        unsafe {
            let left = B::prefixes(reducer, first, before);
            first.add(B::LANES - 1).write(before(copy(&left)));
            let in_right = |value| before(joined(reducer, Some(copy(&left)), value));
            let right = B::prefixes(reducer, first.add(B::LANES), &in_right);
            joined(reducer, Some(left), right)
        }
    }
}

/// Four neighbouring spans.
type Four<B> = Two<Two<B>>;

/// [`Span::prefixes`] of a whole row.
///
/// # Safety
/// As for [`Span::prefixes`].
#[inline(always)]
unsafe fn join_row<R: Reducer>(reducer: &R, first: *mut R::Value) -> R::Value {
    let alone = |value| value;
    // SAFETY: the row has as many lanes as the span, and their contributions are there, as the contract asks.
    unsafe {
        match const { ScanShape::<R>::RUN } {
            1 => One::prefixes(reducer, first, &alone),
            2 => Two::<One>::prefixes(reducer, first, &alone),
            4 => Four::<One>::prefixes(reducer, first, &alone),
            8 => Four::<Two<One>>::prefixes(reducer, first, &alone),
            16 => Four::<Four<One>>::prefixes(reducer, first, &alone),
            _ => {
                const { assert!(canonical::MAX_LANES == 32) };
                Four::<Four<Two<One>>>::prefixes(reducer, first, &alone)
            }
        }
    }
}

/// The same for the first `count` lanes of a row, at least one.
///
/// # Safety
/// As for [`Span::prefixes`], of these lanes.
#[inline(always)]
unsafe fn join_short_row<R: Reducer>(reducer: &R, first: *mut R::Value, count: usize) -> R::Value {
    let mut half = 1;
    while half < count {
        for lane in half..count {
            if lane & half != 0 {
                // SAFETY: both lanes are below `count` and so have values.
                unsafe {
                    let mut value = first.add((lane & !(half - 1)) - 1).read();
                    reducer.join(&mut value, &*first.add(lane));
                    first.add(lane).write(value);
                }
            }
        }
        half *= 2;
    }
    // SAFETY: the last lane has a value.
    unsafe { first.add(count - 1).read() }
}

/// Stores the prefix of each iteration in its row, and the total of each row.
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
    let slot = first_slot(area, thread);
    each_of_warp::<R, S>(indices, share, thread, |step, index| {
        let mut value = reducer.init();
        body(index, &mut value, false);
        // SAFETY: only this lane has the iteration.
        unsafe { slot.add(step * step_slots::<R>()).write(value) }
    });
    __spelt_warp_barrier(u32::MAX);
    let lanes = const { ScanShape::<R>::RUN };
    let len = share.len.saturating_sub(thread * lanes).min(lanes);
    if len == 0 {
        return;
    }
    let (group, row) = (thread / ScanShape::<R>::GROUP, thread % ScanShape::<R>::GROUP);
    // SAFETY: the warp has written the slots of its rows, and only this thread uses those of its row until the warp meets.
    unsafe {
        let first = area.slot_of_row(thread, 0);
        let total = if len == lanes { join_row(reducer, first) } else { join_short_row(reducer, first, len) };
        area.total(group, row).write(total);
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
    let lanes = const { ScanShape::<R>::RUN };
    let (group, row) = (thread / ScanShape::<R>::GROUP, thread % ScanShape::<R>::GROUP);
    if thread * lanes < share.len {
        // SAFETY: `join_groups` has run for the share and the block has met since, as `value_before` asks; the row has an
        // iteration, which the condition says. Its places are this thread's until the warp meets.
        unsafe {
            let before = value_before(reducer, area, share, group, row);
            area.before_row(thread).write(before.unwrap_or_else(|| reducer.init()));
        }
    }
    __spelt_warp_barrier(u32::MAX);
    let lane = thread % lanes;
    // The place before an iteration's is that of the lane before it; for the first lane, of the value before the row.
    let slot = first_slot(area, thread).wrapping_sub(1);
    // The first row of all has nothing before it.
    let mut joins = lane > 0 && (share.continues || thread >= lanes);
    each_of_warp::<R, S>(indices, share, thread, |step, index| {
        // Both are read before the test, which then is a select where the join is cheap.
        // SAFETY: the warp has written the prefixes of its rows and the values before them, and nothing writes them now.
        let (before, in_row) = unsafe {
            let slot = slot.add(step * step_slots::<R>());
            (slot.sub(lane).read(), slot.read())
        };
        let mut value = if joins { joined(reducer, Some(before), in_row) } else { in_row };
        joins = lane > 0;
        body(index, &mut value, true);
    });
}

/// The slot of this thread's first iteration in [`each_of_warp`].
#[inline(always)]
fn first_slot<R: Reducer>(area: Area<R>, thread: usize) -> *mut R::Value {
    let lanes = const { ScanShape::<R>::RUN };
    let of_warp = thread % WARP as usize;
    area.slot_of_row(thread - of_warp + of_warp / lanes, of_warp % lanes)
}

/// The slots between two iterations of a lane.
#[inline(always)]
const fn step_slots<R: Reducer>() -> usize {
    WARP as usize / ScanShape::<R>::RUN * Area::<R>::ROW_SLOTS
}
