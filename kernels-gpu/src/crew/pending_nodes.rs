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
pub(crate) struct PendingNodes<V> {
    values: [MaybeUninit<V>; LEVELS],
    count: usize,
}

impl<V> PendingNodes<V> {
    /// No leaf yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { values: [const { MaybeUninit::uninit() }; LEVELS], count: 0 }
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
    pub(crate) fn join<R: Reducer<Value = V>>(&mut self, reducer: &R) -> V {
        let mut rest = self.count;
        let mut value = self.copy(rest.trailing_zeros() as usize);
        rest &= rest.wrapping_sub(1);
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
