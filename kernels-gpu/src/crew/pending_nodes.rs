//! The tree of tiles, built while its tiles arrive in order, on a device.

use core::mem::{MaybeUninit, needs_drop};

use spelt_reducers::Reducer;

/// The maximum number of levels, for as many tiles as can be counted.
const LEVELS: usize = usize::BITS as usize;

/// The complete nodes of a growing tree, each waiting for the node on its right: as in a binary counter, at place `k` the value
/// of `2^k` leaves where bit `k` of their number is set.
///
/// Unlike the host's [`PendingNodes`](spelt_order::pending_nodes::PendingNodes), making one writes nothing, and its values own
/// nothing.
pub(crate) struct PendingNodes<V, const N: usize = LEVELS> {
    values: [MaybeUninit<V>; N],
    count: usize,
}

impl<V> PendingNodes<V> {
    /// No leaf yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self::short()
    }
}

impl<V, const N: usize> PendingNodes<V, N> {
    /// No leaf yet; there is room for fewer than `2^N`.
    #[inline(always)]
    pub(crate) fn short() -> Self {
        Self { values: [const { MaybeUninit::uninit() }; N], count: 0 }
    }

    /// Adds the next leaf.
    #[inline(always)]
    pub(crate) fn push<R: Reducer<Value = V>>(&mut self, reducer: &R, mut value: V) {
        let mut level = 0;
        while self.count >> level & 1 == 1 {
            value = self.joined(reducer, level, &value);
            level += 1;
        }
        self.values[level] = MaybeUninit::new(value);
        self.count += 1;
    }

    /// The joined value of all leaves; there is at least one leaf.
    #[inline(always)]
    pub(crate) fn join<R: Reducer<Value = V>>(&self, reducer: &R) -> V {
        let lowest = self.count.trailing_zeros() as usize;
        self.joined_from(reducer, self.count & self.count.wrapping_sub(1), self.copy(lowest))
    }

    /// Whether there is no leaf.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The joined value of all leaves and a part of the next one.
    #[inline(always)]
    pub(crate) fn joined_before<R: Reducer<Value = V>>(&self, reducer: &R, part: V) -> V {
        self.joined_from(reducer, self.count, part)
    }

    /// The nodes of the levels that are set in `rest`, joined with `value` from the lowest level on.
    #[inline(always)]
    fn joined_from<R: Reducer<Value = V>>(&self, reducer: &R, mut rest: usize, mut value: V) -> V {
        while rest != 0 {
            value = self.joined(reducer, rest.trailing_zeros() as usize, &value);
            rest &= rest - 1;
        }
        value
    }

    /// The prefix of the next leaf: the nodes joined from the first to the last; `None` if there is no leaf.
    #[inline(always)]
    pub(crate) fn prefix<R: Reducer<Value = V>>(&self, reducer: &R) -> Option<V> {
        let mut rest = self.count;
        if rest == 0 {
            return None;
        }
        let mut value = self.copy(rest.ilog2() as usize);
        rest ^= 1 << rest.ilog2();
        while rest != 0 {
            let level = rest.ilog2();
            // SAFETY: the bit of the level is set.
            reducer.join(&mut value, unsafe { self.values[level as usize].assume_init_ref() });
            rest ^= 1 << level;
        }
        Some(value)
    }

    /// The value at `level`, whose bit is set, joined with `right`.
    #[inline(always)]
    fn joined<R: Reducer<Value = V>>(&self, reducer: &R, level: usize, right: &V) -> V {
        let mut left = self.copy(level);
        reducer.join(&mut left, right);
        left
    }

    /// The value at `level`, whose bit is set.
    #[inline(always)]
    fn copy(&self, level: usize) -> V {
        if needs_drop::<V>() {
            panic!("a value that owns something cannot be reduced by a team of a device");
        }
        // SAFETY: a set bit has a value, and without a destructor a copy of the bytes is a copy of the value.
        unsafe { self.values[level].assume_init_read() }
    }
}
