//! The working area of a block in a scan: values in shared memory, or in global memory if they are large.

use core::marker::PhantomData;
use core::mem::{align_of, size_of};

use spelt_reducers::Reducer;

use super::shape::ScanShape;
use crate::intrinsics::{__spelt_block, __spelt_shared};
use crate::scan::tuning::{MAX_SHARED_BYTES, Way};

/// The alignment of dynamic shared memory. Unit: bytes.
const SHARED_ALIGN: usize = 16;

/// The memory of one block, in values:
///
/// ```text
/// slots      each iteration's contribution, later the value before it, or its prefix in its row     not if a block
/// totals     each run's or row's total, later that of those before it in its group                  keeps none
/// nodes      the groups' totals; pairs of groups; pairs of pairs; ..; all groups
/// prefixes   the value before each group, and before the share
/// fetched    for each bit of the share's number, the joined value of the shares before that it stands for
/// ```
/// The number of the share precedes them.
#[derive(Debug)]
pub struct Area<R: Reducer> {
    base: *mut u8,
    reducer: PhantomData<fn(&R)>,
}

impl<R: Reducer> Clone for Area<R> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R: Reducer> Copy for Area<R> {}

/// One value of padding after each group keeps the lanes that walk along groups in different banks: the number of a whole group's
/// values is a power of two.
const PADDING: usize = 1;

impl<R: Reducer> Area<R> {
    const VALUE: usize = size_of::<R::Value>();
    /// The slots of a row: one for the value before it, which also keeps the lanes that walk along rows in different banks, and
    /// one for each iteration.
    pub(super) const ROW_SLOTS: usize = 1 + ScanShape::<R>::RUN;
    const SLOTS: usize = match ScanShape::<R>::WAY {
        Way::Runs => ScanShape::<R>::SHARE,
        Way::Rows => ScanShape::<R>::THREADS * Self::ROW_SLOTS,
        Way::Shuffles => 0,
    };
    const TOTALS: usize = if ScanShape::<R>::WAY.keeps() {
        ScanShape::<R>::GROUPS * (ScanShape::<R>::GROUP + PADDING)
    } else {
        0
    };
    const NODES: usize = 2 * ScanShape::<R>::GROUPS;
    const PREFIXES: usize = ScanShape::<R>::GROUPS + 1;
    const FETCHED: usize = u32::BITS as usize;
    const HEAD: usize = {
        let align = align_of::<R::Value>();
        if align > SHARED_ALIGN { align } else { SHARED_ALIGN }
    };
    const WANTED: usize = Self::HEAD
        + Self::VALUE * (Self::SLOTS + Self::TOTALS + Self::NODES + Self::PREFIXES + Self::FETCHED);

    /// Whether it is in global memory.
    pub const IS_GLOBAL: bool = Self::WANTED > MAX_SHARED_BYTES || align_of::<R::Value>() > SHARED_ALIGN;
    /// Its size for each block, a multiple of its alignment.
    pub const BYTES: usize = Self::WANTED.next_multiple_of(Self::HEAD);

    /// This block's area. `global` is the start of the areas of all blocks, if they are in global memory.
    ///
    /// # Safety
    /// The launch has [`BYTES`](Self::BYTES) of shared memory, or the same number for each block at `global`.
    #[inline(always)]
    pub(super) unsafe fn of_this_block(global: *mut u8) -> Self {
        let base = if const { Self::IS_GLOBAL } {
            global.wrapping_add(__spelt_block() as usize * Self::BYTES)
        } else {
            __spelt_shared()
        };
        Self { base, reducer: PhantomData }
    }

    /// The address of the share's number.
    #[inline(always)]
    pub(super) fn number(self) -> *mut u32 {
        self.base.cast()
    }

    #[inline(always)]
    fn value(self, place: usize) -> *mut R::Value {
        self.base.wrapping_add(Self::HEAD).cast::<R::Value>().wrapping_add(place)
    }

    /// The address of the contribution of an iteration of a run.
    #[inline(always)]
    pub(super) fn slot(self, iteration: usize) -> *mut R::Value {
        self.value(iteration)
    }

    /// The address of the contribution of a lane of a row of the share, later its prefix.
    #[inline(always)]
    pub(super) fn slot_of_row(self, row: usize, lane: usize) -> *mut R::Value {
        self.value(row * Self::ROW_SLOTS + 1 + lane)
    }

    /// The address of the value before a row of the share.
    #[inline(always)]
    pub(super) fn before_row(self, row: usize) -> *mut R::Value {
        self.value(row * Self::ROW_SLOTS)
    }

    /// The address of the total of a run or row.
    #[inline(always)]
    pub(super) fn total(self, group: usize, run: usize) -> *mut R::Value {
        self.value(Self::SLOTS + group * (ScanShape::<R>::GROUP + PADDING) + run)
    }

    /// The address of the joined value of the groups `number << level .. (number + 1) << level`.
    #[inline(always)]
    pub(super) fn node(self, level: u32, number: usize) -> *mut R::Value {
        let before = Self::NODES - (Self::NODES >> level);
        self.value(Self::SLOTS + Self::TOTALS + before + number)
    }

    /// The address of the value before a group; for the group after the last, of the value before the share.
    #[inline(always)]
    pub(super) fn prefix(self, group: usize) -> *mut R::Value {
        self.value(Self::SLOTS + Self::TOTALS + Self::NODES + group)
    }

    /// The address of the joined value of the shares that a bit of the share's number stands for.
    #[inline(always)]
    pub(super) fn fetched(self, bit: u32) -> *mut R::Value {
        self.value(Self::SLOTS + Self::TOTALS + Self::NODES + Self::PREFIXES + bit as usize)
    }
}
