//! The division of a scan: shares of blocks, groups of threads, runs or rows of iterations.

use core::marker::PhantomData;

use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::tuning::{self, Way};
use crate::intrinsics::WARP;

/// The sizes of a scan with the reducer `R`: constants of the kernel, which the launch requests.
#[derive(Debug)]
pub struct ScanShape<R>(PhantomData<R>);

impl<R: Reducer> ScanShape<R> {
    const BYTES: usize = size_of::<R::Value>();
    const LANES: usize = canonical::scan_lanes::<R>();
    /// The way through a share.
    pub(super) const WAY: Way = tuning::way(R::EXACT, Self::BYTES, Self::LANES);
    /// The threads of a block.
    pub const THREADS: usize = tuning::threads(Self::WAY, Self::BYTES, Self::LANES);
    /// The threads of a group. If joins are not exact, a group is a tile of the canonical order.
    pub(super) const GROUP: usize = tuning::group(Self::WAY, Self::THREADS, Self::LANES);
    /// The groups of a block, a power of two, at most 32.
    pub(super) const GROUPS: usize = Self::THREADS / Self::GROUP;
    /// The iterations of a thread in a whole share: those of its run or row.
    pub(super) const RUN: usize = tuning::run(Self::WAY, Self::THREADS, Self::BYTES, Self::LANES);
    /// The iterations of a whole group.
    pub(super) const GROUP_LEN: usize = Self::GROUP * Self::RUN;
    /// The distance between the iterations that a thread evaluates one after the other: the stride that the index space of the scan
    /// must be made for.
    pub const STRIDE: usize = if Self::WAY.keeps() { WARP as usize } else { Self::GROUP };
    /// The iterations that a block takes by one ticket.
    pub const SHARE: usize = Self::THREADS * Self::RUN;

    /// The blocks that a launch keeps on each multiprocessor.
    pub const BLOCKS_PER_MULTIPROCESSOR: usize =
        tuning::blocks_per_multiprocessor(Self::WAY, Self::THREADS, Self::RUN, Self::BYTES);

    /// The shares of `n` iterations.
    #[must_use]
    pub const fn shares(n: usize) -> usize {
        n.div_ceil(Self::SHARE)
    }
}

/// A block's work between two tickets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Its number, in index order.
    pub(super) number: usize,
    /// Its first iteration.
    pub(super) first: usize,
    /// The number of iterations, at least one.
    pub(super) len: usize,
    /// Whether no share comes after it.
    pub(super) last: bool,
    /// Whether a value precedes it.
    pub(super) continues: bool,
}

impl Share {
    #[inline(always)]
    pub(super) fn new<R: Reducer>(number: usize, n: usize, start_continues: bool) -> Self {
        let first = number * ScanShape::<R>::SHARE;
        let left = n - first;
        let continues = number != 0 || start_continues;
        Self {
            number,
            first,
            len: left.min(ScanShape::<R>::SHARE),
            last: left <= ScanShape::<R>::SHARE,
            continues,
        }
    }

    /// The iterations of a group.
    #[inline(always)]
    pub(super) fn group_len<R: Reducer>(&self, group: usize) -> usize {
        self.len.saturating_sub(group * ScanShape::<R>::GROUP_LEN).min(ScanShape::<R>::GROUP_LEN)
    }

    /// The groups that have an iteration.
    #[inline(always)]
    pub(super) fn groups<R: Reducer>(&self) -> usize {
        self.len.div_ceil(ScanShape::<R>::GROUP_LEN)
    }
}
