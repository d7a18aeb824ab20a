//! The tree of tiles, built while its tiles arrive in order.

use spelt_reducers::Reducer;

/// The maximum number of levels of a tree of tiles.
const MAX_LEVELS: usize = usize::BITS as usize;

/// The complete nodes of a growing tree of tiles, each waiting for the node on its right.
///
/// As in a binary counter there is one node for each set bit of the number of tiles, the largest first. A push joins nodes of
/// equal size. Joining the nodes from the last to the first gives the canonical tree (level by level, pairs by number); joining
/// them from the first to the last gives the prefix that a scan uses. There is room for `2^LEVELS - 1` tiles.
#[derive(Debug)]
pub struct PendingNodes<V, const LEVELS: usize = MAX_LEVELS> {
    values: [Option<V>; LEVELS],
    depth: usize,
    tiles: usize,
}

impl<V, const LEVELS: usize> PendingNodes<V, LEVELS> {
    /// No tile yet.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        Self { values: [const { None }; LEVELS], depth: 0, tiles: 0 }
    }

    /// Adds the value of the next `count` tiles, a power of two that divides the number of tiles so far.
    #[inline(always)]
    pub fn push<R: Reducer<Value = V>>(&mut self, reducer: &R, mut value: V, count: usize) {
        debug_assert!(count.is_power_of_two() && self.tiles.is_multiple_of(count));
        let mut bit = count;
        while self.tiles & bit != 0 {
            self.depth -= 1;
            let mut left = self.values[self.depth].take().expect("a set bit has a node");
            reducer.join(&mut left, &value);
            value = left;
            bit <<= 1;
        }
        self.values[self.depth] = Some(value);
        self.depth += 1;
        self.tiles += count;
    }

    /// The joined value of all tiles; `None` if there is no tile.
    #[inline(always)]
    #[must_use]
    pub fn join<R: Reducer<Value = V>>(mut self, reducer: &R) -> Option<V> {
        if self.depth == 0 {
            return None;
        }
        self.depth -= 1;
        let mut value = self.values[self.depth].take()?;
        while self.depth > 0 {
            self.depth -= 1;
            let mut left = self.values[self.depth].take()?;
            reducer.join(&mut left, &value);
            value = left;
        }
        Some(value)
    }

    /// Calls `keep` with each node and its first tile, from the first node on.
    #[inline(always)]
    pub fn hand_over(mut self, mut keep: impl FnMut(usize, V)) {
        let mut first = 0;
        for node in &mut self.values[..self.depth] {
            keep(first, node.take().expect("a set bit has a node"));
            first += 1 << (self.tiles - first).ilog2();
        }
    }

    /// The prefix of the next tile: the nodes joined from the first to the last; `None` if there is no tile.
    #[inline(always)]
    #[must_use]
    pub fn prefix<R: Reducer<Value = V>>(&self, reducer: &R) -> Option<V>
    where
        V: Clone,
    {
        let mut nodes = self.values[..self.depth].iter().flatten();
        let mut value = nodes.next()?.clone();
        for node in nodes {
            reducer.join(&mut value, node);
        }
        Some(value)
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
        copy.values[..self.depth].clone_from_slice(&self.values[..self.depth]);
        copy.depth = self.depth;
        copy.tiles = self.tiles;
        copy
    }
}
