//! The tree of tiles, built while its tiles arrive in order.

use core::mem::{MaybeUninit, needs_drop};

use spelt_reducers::Reducer;

/// The maximum number of levels of a tree of tiles.
const MAX_LEVELS: usize = usize::BITS as usize;

/// The complete nodes of a growing tree of tiles, each waiting for the node on its right.
///
/// As in a binary counter there is one node for each set bit of the number of tiles, the largest first. A push joins nodes of
/// equal size. Joining the nodes from the last to the first gives the canonical tree (level by level, pairs by number); joining
/// them from the first to the last gives the prefix that a scan uses. There is room for `2^LEVELS - 1` tiles.
///
/// A new one writes no nodes: most launches have a tile or two, and there is room for the nodes of all of memory.
#[derive(Debug)]
pub struct PendingNodes<V, const LEVELS: usize = MAX_LEVELS> {
    /// The first `depth` exist.
    values: [MaybeUninit<V>; LEVELS],
    depth: usize,
    tiles: usize,
}

impl<V, const LEVELS: usize> PendingNodes<V, LEVELS> {
    /// No tile yet.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        Self { values: [const { MaybeUninit::uninit() }; LEVELS], depth: 0, tiles: 0 }
    }

    /// The nodes, from the first on.
    #[inline(always)]
    fn nodes(&self) -> &[V] {
        let nodes = &self.values[..self.depth];
        // SAFETY: the first `depth` values exist, and `MaybeUninit<V>` has the layout of `V`.
        unsafe { &*(core::ptr::from_ref(nodes) as *const [V]) }
    }

    /// Takes the last node out.
    #[inline(always)]
    fn pop(&mut self) -> Option<V> {
        self.depth = self.depth.checked_sub(1)?;
        // SAFETY: the last of the first `depth` values existed, and is no longer one of them.
        Some(unsafe { self.values[self.depth].assume_init_read() })
    }

    /// Adds the value of the next `count` tiles, a power of two that divides the number of tiles so far.
    #[inline(always)]
    pub fn push<R: Reducer<Value = V>>(&mut self, reducer: &R, mut value: V, count: usize) {
        debug_assert!(count.is_power_of_two() && self.tiles.is_multiple_of(count));
        let mut bit = count;
        while self.tiles & bit != 0 {
            let mut left = self.pop().expect("a set bit has a node");
            reducer.join(&mut left, &value);
            value = left;
            bit <<= 1;
        }
        self.values[self.depth].write(value);
        self.depth += 1;
        self.tiles += count;
    }

    /// Takes all tiles out, and returns their joined value; `None` if there is no tile.
    #[inline(always)]
    #[must_use]
    pub fn join<R: Reducer<Value = V>>(&mut self, reducer: &R) -> Option<V> {
        let last = self.pop()?;
        Some(self.join_last(reducer, last))
    }

    /// [`join`](Self::join) with a further tile, the last.
    #[inline(always)]
    #[must_use]
    pub fn join_last<R: Reducer<Value = V>>(&mut self, reducer: &R, mut last: V) -> V {
        self.tiles = 0;
        while let Some(mut left) = self.pop() {
            reducer.join(&mut left, &last);
            last = left;
        }
        last
    }

    /// Calls `keep` with each node and its first tile, from the last node on.
    #[inline(always)]
    pub fn hand_over(mut self, mut keep: impl FnMut(usize, V)) {
        let mut tiles = self.tiles;
        while let Some(node) = self.pop() {
            tiles &= tiles - 1;
            keep(tiles, node);
        }
    }

    /// The prefix of the next tile: the nodes joined from the first to the last; `None` if there is no tile.
    #[inline(always)]
    #[must_use]
    pub fn prefix<R: Reducer<Value = V>>(&self, reducer: &R) -> Option<V>
    where
        V: Clone,
    {
        let mut nodes = self.nodes().iter();
        let mut value = nodes.next()?.clone();
        for node in nodes {
            reducer.join(&mut value, node);
        }
        Some(value)
    }

    /// Drops its nodes and becomes a copy of `from`.
    #[inline(always)]
    pub fn copy(&mut self, from: &Self)
    where
        V: Clone,
    {
        self.clear();
        for node in from.nodes() {
            self.values[self.depth].write(node.clone());
            self.depth += 1;
        }
        self.tiles = from.tiles;
    }

    #[inline(always)]
    fn clear(&mut self) {
        if const { needs_drop::<V>() } {
            while self.pop().is_some() {}
        }
        self.depth = 0;
        self.tiles = 0;
    }
}

impl<V, const LEVELS: usize> Default for PendingNodes<V, LEVELS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Clone, const LEVELS: usize> Clone for PendingNodes<V, LEVELS> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        copy.copy(self);
        copy
    }
}

impl<V, const LEVELS: usize> Drop for PendingNodes<V, LEVELS> {
    #[inline(always)]
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::rc::Rc;
    use std::vec::Vec;

    use spelt_reducers::custom;

    use super::*;

    #[test]
    fn each_value_is_dropped_once() {
        let alive = Rc::new(());
        let reducer =
            custom(Vec::new(), |into: &mut Vec<Rc<()>>, from: &Vec<Rc<()>>| into.extend_from_slice(from));
        let nodes_of = |tiles: usize| {
            let mut nodes = PendingNodes::<Vec<Rc<()>>, 4>::new();
            (0..tiles).for_each(|_| nodes.push(&reducer, std::vec![alive.clone()], 1));
            nodes
        };
        for tiles in 0..16 {
            drop(nodes_of(tiles));
            let mut nodes = nodes_of(tiles);
            let mut copy = nodes_of(5);
            copy.copy(&nodes);
            assert_eq!(copy.prefix(&reducer).map_or(0, |all| all.len()), tiles);
            assert_eq!(nodes.join(&reducer).map_or(0, |all| all.len()), tiles);
            assert!(nodes.join(&reducer).is_none() && nodes.prefix(&reducer).is_none());
            let mut kept = Vec::new();
            copy.hand_over(|first, node| kept.push((first, node.len())));
            kept.sort_unstable();
            let ends = kept.iter().scan(0, |end, &(first, len)| {
                assert_eq!(first, *end);
                *end += len;
                Some(*end)
            });
            assert_eq!(ends.last().unwrap_or(0), tiles);
            assert_eq!(Rc::strong_count(&alive), 1, "{tiles} tiles");
        }
    }
}
