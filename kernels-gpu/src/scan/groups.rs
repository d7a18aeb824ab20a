//! The work of a block between the two passes over a share: from the totals of groups to the value before each group.
//!
//! The totals of a group's runs first join left to right; so do those of the rows of a tile. The groups join in the tree of the
//! canonical order, and so do the shares, whose groups are a power of two: see `earlier.rs`.

use core::mem::MaybeUninit;
use core::ptr::copy_nonoverlapping;

use spelt_reducers::Reducer;

use super::area::Area;
use super::earlier::{self, Board};
use super::shape::{ScanShape, Share};
use crate::intrinsics::{__spelt_barrier, __spelt_warp_barrier, WARP};

const ALL_LANES: u32 = u32::MAX;

/// Copies a value.
///
/// # Safety
/// A value is there, and the type has no drop glue.
#[inline(always)]
unsafe fn copied<V>(from: *const V) -> V {
    // SAFETY: a value is there, as the contract asks; its type has no drop glue, so it may exist twice.
    unsafe { from.read() }
}

/// Joins `into` and the value at `from`.
///
/// # Safety
/// There is a value at `from`, and it is not written meanwhile.
#[inline(always)]
unsafe fn join<R: Reducer>(reducer: &R, into: &mut R::Value, from: *const R::Value) {
    // SAFETY: a value is at `from`, which no thread writes meanwhile, as the contract asks.
    reducer.join(into, unsafe { &*from });
}

/// Computes the value before each run of the share, given the total of each run; if the block keeps no contributions, the value
/// before each group, given the total of each group. If this share is the last, calls `finish` with
/// the total of all shares, in one thread. `before` is the value before the first share, if there is one.
///
/// # Safety
/// All threads of the block call it together; `area` holds the total of every run or group that has an iteration.
/// The value at `before` is not written meanwhile.
#[inline(always)]
pub(super) unsafe fn join_groups<R: Reducer>(
    reducer: &R,
    area: Area<R>,
    board: Board,
    share: Share,
    thread: usize,
    before: Option<*const R::Value>,
    finish: &impl Fn(R::Value),
) {
    const WARP_LANES: usize = WARP as usize;
    let (warp, lane) = (thread / WARP_LANES, thread % WARP_LANES);
    let groups = share.groups::<R>();
    let number = share.number as u32;
    // SAFETY: every value read here was written before the last barrier, of the block or the warp, and every place is
    // written by one lane between two barriers; the number of a share fits in 32 bits, as the launch has checked.
    unsafe {
        // The first warp publishes as early as it can, and the others meanwhile fetch what is left.
        if warp == 0 {
            if const { ScanShape::<R>::WAY.keeps() } && lane < groups {
                join_runs(reducer, area, share.group_len::<R>(lane), lane);
            }
            join_tree(reducer, area, groups, lane);
        }
        let own = earlier::levels_to_publish(number);
        let levels = earlier::levels(number);
        // One place for all calls: written out twice, they would take a thread 96 registers instead of 64.
        let fetching = const { ScanShape::<R>::THREADS as u32 / WARP - 1 };
        let (mut level, end, step) = if warp == 0 {
            (0, if fetching == 0 { levels } else { own }, 1)
        } else {
            (own + warp as u32 - 1, levels, fetching)
        };
        loop {
            if warp == 0 && level == own && lane == 0 && !share.last {
                let whole = area.node(ScanShape::<R>::GROUPS.ilog2(), 0);
                let value = join_bits(reducer, area, earlier::bits_of_levels(own), copied(whole));
                board.publish(share.number, &value);
            }
            if level >= end {
                break;
            }
            earlier::fetch_level(reducer, area, board, number, level, lane as u32);
            level += step;
        }
        __spelt_barrier();
        if warp > 0 {
            return;
        }
        if lane == 0 {
            if let Some(before) = before {
                let prefix = area.prefix(ScanShape::<R>::GROUPS);
                // All bytes: later copies read the padding too.
                copy_nonoverlapping(before, prefix, 1);
                let mut left = number;
                while left != 0 {
                    join(reducer, &mut *prefix, area.fetched(top(left)));
                    left &= !(1 << top(left));
                }
            } else if number != 0 {
                let mut left = number;
                let mut prefix = copied(area.fetched(top(left)));
                left &= !(1 << top(left));
                while left != 0 {
                    join(reducer, &mut prefix, area.fetched(top(left)));
                    left &= !(1 << top(left));
                }
                area.prefix(ScanShape::<R>::GROUPS).write(prefix);
            }
            if share.last {
                let whole = area.node(ScanShape::<R>::GROUPS.ilog2(), 0);
                finish(join_bits(reducer, area, number, copied(whole)));
            }
        }
        __spelt_warp_barrier(ALL_LANES);
        if lane < groups && (share.continues || lane != 0) {
            prefix_of_group(reducer, area, share.continues, lane);
        }
    }
}

/// The number of the highest bit set.
#[inline(always)]
fn top(bits: u32) -> u32 {
    u32::BITS - 1 - bits.leading_zeros()
}

/// Joins the published values that `bits` name and `value`, from the smallest on, as the tree does.
///
/// # Safety
/// The values are written.
#[inline(always)]
unsafe fn join_bits<R: Reducer>(reducer: &R, area: Area<R>, mut bits: u32, mut value: R::Value) -> R::Value {
    while bits != 0 {
        // SAFETY: the values whose bits are set are written, as the contract asks.
        let mut left = unsafe { copied(area.fetched(bits.trailing_zeros())) };
        reducer.join(&mut left, &value);
        value = left;
        bits &= bits - 1;
    }
    value
}

/// Joins the totals of a group's runs left to right, and stores at each run the joined total of the runs before it.
///
/// # Safety
/// The totals of the group's runs are written, and only this lane uses them. The group has `len` iterations, at least one.
#[inline(always)]
unsafe fn join_runs<R: Reducer>(reducer: &R, area: Area<R>, len: usize, group: usize) {
    let runs = len.div_ceil(ScanShape::<R>::RUN);
    // SAFETY: as the contract asks.
    unsafe {
        match size_of::<R::Value>() {
            0..=8 => join_runs_by::<1, R>(reducer, area, runs, group),
            9..=16 => join_runs_by::<4, R>(reducer, area, runs, group),
            17..=32 => join_runs_by::<2, R>(reducer, area, runs, group),
            _ => join_runs_by::<1, R>(reducer, area, runs, group),
        }
    }
}

/// [`join_runs`], with `N` totals read together: each would otherwise wait for the one before it to be written.
///
/// # Safety
/// As for [`join_runs`], of a group with `runs` runs, at least one.
#[inline(always)]
unsafe fn join_runs_by<const N: usize, R: Reducer>(reducer: &R, area: Area<R>, runs: usize, group: usize) {
    // SAFETY: the totals of all runs of the group are written and only this lane uses them, as the contract asks; only those of runs that
    // exist are used.
    unsafe {
        let mut sum = copied(area.total(group, 0));
        let mut first = 1;
        while first < runs {
            // Loops that count, since iterators over the array would keep it in local memory where the compiler writes out less.
            let mut totals = [const { MaybeUninit::<R::Value>::uninit() }; N];
            let mut number = 0;
            while number < N {
                if first + number < runs {
                    totals[number] = MaybeUninit::new(copied(area.total(group, first + number)));
                }
                number += 1;
            }
            number = 0;
            while number < N {
                if first + number < runs {
                    area.total(group, first + number).write(copied(&raw const sum));
                    reducer.join(&mut sum, totals[number].assume_init_ref());
                }
                number += 1;
            }
            first += N;
        }
        area.node(0, group).write(sum);
    }
}

/// Joins the groups' totals pairwise, level by level.
///
/// # Safety
/// All lanes of the warp call it together; the total of each group below `groups` is written.
#[inline(always)]
unsafe fn join_tree<R: Reducer>(reducer: &R, area: Area<R>, groups: usize, lane: usize) {
    let mut live = groups;
    let mut level = 0;
    while level < const { ScanShape::<R>::GROUPS.ilog2() } {
        __spelt_warp_barrier(ALL_LANES);
        if 2 * lane < live {
            // SAFETY: nodes below `live` of this level were written before the barrier.
            unsafe {
                let mut value = copied(area.node(level, 2 * lane));
                if 2 * lane + 1 < live {
                    join(reducer, &mut value, area.node(level, 2 * lane + 1));
                }
                area.node(level + 1, lane).write(value);
            }
        }
        live = live.div_ceil(2);
        level += 1;
    }
    __spelt_warp_barrier(ALL_LANES);
}

/// Stores the value before a group: the value before the share, if there is one, joined with the groups before it in blocks, the
/// largest first.
///
/// # Safety
/// There is a share or a group before; the nodes and the value before the share are written.
#[inline(always)]
unsafe fn prefix_of_group<R: Reducer>(reducer: &R, area: Area<R>, share_before: bool, group: usize) {
    // SAFETY: the nodes and the value before the share are written, as the contract asks; blocks before a group that
    // exists are whole.
    unsafe {
        let mut prefix = if share_before { Some(copied(area.prefix(ScanShape::<R>::GROUPS))) } else { None };
        let mut level = const { ScanShape::<R>::GROUPS.ilog2() };
        while level > 0 {
            level -= 1;
            if group >> level & 1 == 1 {
                let node = area.node(level, (group >> level) - 1);
                match &mut prefix {
                    Some(prefix) => join(reducer, prefix, node),
                    None => prefix = Some(copied(node)),
                }
            }
        }
        if let Some(prefix) = prefix {
            area.prefix(group).write(prefix);
        }
    }
}

/// The value before a group; `None` for the first of all.
///
/// # Safety
/// [`join_groups`] has run for the share, and the block has met since; the group has an iteration.
#[inline(always)]
pub(super) unsafe fn value_before_group<R: Reducer>(
    area: Area<R>,
    share: Share,
    group: usize,
) -> Option<R::Value> {
    // SAFETY: `join_groups` has run for the share and the block has met since, as the contract asks, so that the value before any
    // group but the first of all was written.
    (share.continues || group != 0).then(|| unsafe { copied(area.prefix(group)) })
}

/// The value before a run or row; `None` for the first of all.
///
/// # Safety
/// As for [`value_before_group`]; the run has an iteration.
#[inline(always)]
pub(super) unsafe fn value_before<R: Reducer>(
    reducer: &R,
    area: Area<R>,
    share: Share,
    group: usize,
    run: usize,
) -> Option<R::Value> {
    // SAFETY: `join_groups` has run for the share and the block has met since, as the contract asks, so that the totals before the
    // run were written.
    unsafe {
        let before = value_before_group(area, share, group);
        match (before, run != 0) {
            (before, false) => before,
            (None, true) => Some(copied(area.total(group, run))),
            (Some(mut value), true) => {
                join(reducer, &mut value, area.total(group, run));
                Some(value)
            }
        }
    }
}
