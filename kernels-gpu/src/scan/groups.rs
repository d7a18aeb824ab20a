//! The work of a block's first warp between the two passes over a share: from the totals of groups to the value before each
//! group.
//!
//! The totals of a group's runs first join left to right; so do those of the rows of a tile. The groups join in the tree of the
//! canonical order, and so do the shares, whose groups are a power of two: the value before a share joins one published value for
//! each bit set in its number, that of the most shares first. Share `s` publishes the value of the last 2^k shares up to and
//! including itself, where k is the number of the lowest bits of `s` that are all set. To make it, it needs the published values
//! that those bits stand for. So each share publishes once, looks at as many values as its number has bits set, and waits only for
//! shares before it.
//!
//! ```text
//! share      0    1    2    3    4    5    6    7        the value before 6 = 110 in binary
//! publishes  0   0-1   2   0-3   4   4-5   6   0-7       is 0-3 joined with 4-5
//! ```

use core::ptr::copy_nonoverlapping;

use spelt_reducers::Reducer;

use super::area::Area;
use super::published::{fetch, publish, words};
use super::shape::{ScanShape, Share};
use crate::intrinsics::__spelt_warp_barrier;

const ALL_LANES: u32 = u32::MAX;

/// The board on which shares publish, and the tag of this launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    pub(super) words: *mut u64,
    pub(super) tag: u32,
}

impl Board {
    #[inline(always)]
    fn place<V>(&self, share: usize) -> *mut u64 {
        self.words.wrapping_add(share * const { words::<V>() })
    }
}

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
/// The first warp of the block calls it, all lanes together; `area` holds the total of every run or group that has an iteration.
/// The value at `before` is not written meanwhile.
#[inline(always)]
pub(super) unsafe fn join_groups<R: Reducer>(
    reducer: &R,
    area: Area<R>,
    board: Board,
    share: Share,
    lane: usize,
    before: Option<*const R::Value>,
    finish: &impl Fn(R::Value),
) {
    let groups = share.groups::<R>();
    // SAFETY: every value read here was written before the last barrier, of the block or the warp, and every place is
    // written by one lane between two barriers; the number of a share fits in 32 bits, as the launch has checked.
    unsafe {
        if const { ScanShape::<R>::WAY.keeps() } && lane < groups {
            join_runs(reducer, area, share.group_len::<R>(lane), lane);
        }
        join_tree(reducer, area, groups, lane);
        let number = share.number as u32;
        let whole = area.node(ScanShape::<R>::GROUPS.ilog2(), 0);
        // The published value needs only the shares that the lowest bits stand for. A share that waited for all of its bits before it
        // publishes would make each odd share wait for the odd share before it, in a chain as long as the scan.
        let own = bits_to_publish(number);
        let fetch_bits = |bits: u32| {
            if lane < u32::BITS as usize && bits >> lane & 1 == 1 {
                let end = (number >> lane << lane) - 1;
                fetch(board.place::<R::Value>(end as usize), board.tag, area.fetched(lane as u32));
            }
            __spelt_warp_barrier(ALL_LANES);
        };
        if own != 0 {
            fetch_bits(own);
        }
        if lane == 0 && !share.last {
            let value = join_bits(reducer, area, own, copied(whole));
            publish(board.place::<R::Value>(share.number), board.tag, &value);
        }
        fetch_bits(number & !own);
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

/// The bits of a share's number that stand for the values in the one it publishes: the lowest ones, up to the first that is not set.
#[inline(always)]
const fn bits_to_publish(number: u32) -> u32 {
    number & !(number + 1)
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
    // SAFETY: the totals of all runs of the group are written and only this lane uses them, as the contract asks; `run`
    // stays below their number.
    unsafe {
        let mut sum = copied(area.total(group, 0));
        let mut pass = |run| {
            let total = copied(area.total(group, run));
            area.total(group, run).write(copied(&raw const sum));
            reducer.join(&mut sum, &total);
        };
        if runs == ScanShape::<R>::GROUP {
            (1..ScanShape::<R>::GROUP).for_each(&mut pass);
        } else {
            (1..runs).for_each(&mut pass);
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

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::bits_to_publish;

    #[test]
    fn values_are_published_after_a_logarithm_of_the_shares() {
        let shares = 1_u32 << 12;
        // The number of values that were published one after the other until that of a share is.
        let mut depths: Vec<u32> = Vec::new();
        for number in 0..shares - 1 {
            let waits = (0..u32::BITS).filter(|bit| bits_to_publish(number) >> bit & 1 == 1);
            let before = waits.map(|bit| depths[((number >> bit << bit) - 1) as usize]);
            depths.push(1 + before.max().unwrap_or(0));
        }
        assert_eq!(depths.iter().max(), Some(&12));
        assert_eq!(bits_to_publish(0b1011), 0b11);
    }
}
