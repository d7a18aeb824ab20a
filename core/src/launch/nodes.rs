//! Nodes of the canonical tree: those that cover an interval of tiles.

use core::ops::Range;

use spelt_order::pending_nodes::PendingNodes;
use spelt_reducers::Reducer;

/// An interval of tiles cut into nodes of the tree: aligned powers of two of tiles, each as large as possible, but at most `most`.
#[derive(Clone, Debug)]
pub(crate) struct NodeRanges {
    tiles: Range<usize>,
    most: usize,
}

impl NodeRanges {
    /// The nodes of `tiles`; `most` is a power of two.
    pub(crate) fn new(tiles: Range<usize>, most: usize) -> Self {
        debug_assert!(most.is_power_of_two());
        Self { tiles, most }
    }

    /// The number of tiles of the first node, if there is one.
    fn size(&self) -> Option<usize> {
        let longest = 1 << self.tiles.len().checked_ilog2()?;
        let aligned = if self.tiles.start == 0 { longest } else { 1 << self.tiles.start.trailing_zeros() };
        Some(longest.min(aligned).min(self.most))
    }

    /// Steps over `number` nodes, or as many as there are, and returns their number. O(log n), as all nodes of the middle are equal.
    pub(crate) fn skip_nodes(&mut self, number: usize) -> usize {
        let mut skipped = 0;
        while skipped < number
            && let Some(size) = self.size()
        {
            let equal = if size == self.most { self.tiles.len() / size } else { 1 };
            let steps = equal.min(number - skipped);
            self.tiles.start += steps * size;
            skipped += steps;
        }
        skipped
    }
}

impl Iterator for NodeRanges {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let first = self.tiles.start;
        self.tiles.start += self.size()?;
        Some(first..self.tiles.start)
    }
}

/// The largest power of two.
pub(crate) const UNLIMITED: usize = 1 << (usize::BITS - 1);

/// The values of the largest nodes that cover an interval of tiles: two for each level of the tree at most.
///
/// Each value is a function of its own tiles, and the interval determines the nodes. So intervals can be joined in any grouping.
#[derive(Clone, Debug)]
pub(crate) struct Nodes<V> {
    tiles: Range<usize>,
    values: Vec<V>,
}

impl<V> Nodes<V> {
    /// No tile yet: the next one is `first`.
    pub(crate) fn new(first: usize) -> Self {
        Self { tiles: first..first, values: Vec::new() }
    }

    /// The number of nodes that cover `tiles`.
    pub(crate) fn count(tiles: &Range<usize>) -> usize {
        NodeRanges::new(tiles.clone(), UNLIMITED).count()
    }

    /// The nodes of `tiles` with these values, one for each.
    pub(crate) fn of(tiles: Range<usize>, values: Vec<V>) -> Self {
        assert_eq!(Self::count(&tiles), values.len(), "each node has a value");
        Self { tiles, values }
    }

    /// The tiles.
    pub(crate) fn tiles(&self) -> Range<usize> {
        self.tiles.clone()
    }

    /// The values of the nodes, from the first tile on.
    pub(crate) fn values(&self) -> &[V] {
        &self.values
    }

    /// Adds the node of the next `count` tiles, an aligned power of two.
    pub(crate) fn push<R: Reducer<Value = V>>(&mut self, reducer: &R, mut value: V, count: usize) {
        let (mut first, mut size) = (self.tiles.end, count);
        debug_assert!(count.is_power_of_two() && first.is_multiple_of(count));
        // A node that begins at an odd multiple of its size is the right half of one twice as large.
        while first & size != 0 && first - size >= self.tiles.start {
            let mut left = self.values.pop().expect("the tiles before have a node of this size");
            reducer.join(&mut left, &value);
            (value, first, size) = (left, first - size, 2 * size);
        }
        self.values.push(value);
        self.tiles.end += count;
    }

    /// Adds the nodes of the tiles behind these.
    pub(crate) fn append<R: Reducer<Value = V>>(&mut self, reducer: &R, right: Self) {
        debug_assert_eq!(self.tiles.end, right.tiles.start);
        for (tiles, value) in NodeRanges::new(right.tiles, UNLIMITED).zip(right.values) {
            self.push(reducer, value, tiles.len());
        }
    }

    /// Joins all nodes, from the last to the first: the value of the tree if they begin at tile 0. `None` without a tile.
    pub(crate) fn join<R: Reducer<Value = V>>(mut self, reducer: &R) -> Option<V> {
        let mut value = self.values.pop()?;
        while let Some(mut left) = self.values.pop() {
            reducer.join(&mut left, &value);
            value = left;
        }
        Some(value)
    }

    /// The prefix of the tile behind these: the nodes joined from the first to the last. `None` without a tile.
    pub(crate) fn prefix<R: Reducer<Value = V>>(&self, reducer: &R) -> Option<V>
    where
        V: Clone,
    {
        let (first, others) = self.values.split_first()?;
        let mut value = first.clone();
        others.iter().for_each(|node| reducer.join(&mut value, node));
        Some(value)
    }

    /// The same nodes, which begin at tile 0, for tiles to come.
    pub(crate) fn into_pending<const LEVELS: usize, R: Reducer<Value = V>>(
        self,
        reducer: &R,
    ) -> PendingNodes<V, LEVELS> {
        debug_assert_eq!(self.tiles.start, 0);
        let mut pending = PendingNodes::new();
        for (tiles, value) in NodeRanges::new(self.tiles, UNLIMITED).zip(self.values) {
            pending.push(reducer, value, tiles.len());
        }
        pending
    }

    /// The reverse of [`into_pending`](Self::into_pending).
    pub(crate) fn from_pending<const LEVELS: usize>(pending: PendingNodes<V, LEVELS>, tiles: usize) -> Self {
        let mut values = Vec::new();
        pending.hand_over(|_, value| values.push(value));
        values.reverse();
        Self::of(0..tiles, values)
    }

    /// The same nodes with other values.
    pub(crate) fn map<U>(self, f: impl FnMut(V) -> U) -> Nodes<U> {
        Nodes { tiles: self.tiles, values: self.values.into_iter().map(f).collect() }
    }
}

#[cfg(test)]
mod tests {
    use spelt_reducers::custom;

    use super::*;

    fn text() -> impl Reducer<Value = String, Output = String> {
        custom(String::new(), |into: &mut String, from: &String| *into = format!("({into}{from})"))
    }

    fn nodes(tiles: Range<usize>) -> Nodes<String> {
        let mut nodes = Nodes::new(tiles.start);
        tiles.for_each(|tile| nodes.push(&text(), format!(" {tile}"), 1));
        nodes
    }

    #[test]
    fn neighbours_have_the_nodes_of_their_union() {
        for end in 0..34 {
            let mut tree = PendingNodes::<String>::new();
            (0..end).for_each(|tile| tree.push(&text(), format!(" {tile}"), 1));
            let prefix = tree.prefix(&text());
            assert_eq!(nodes(0..end).prefix(&text()), prefix, "{end} tiles");
            let pending: PendingNodes<String> = nodes(0..end).into_pending(&text());
            assert_eq!(pending.prefix(&text()), prefix, "{end} tiles");
            assert_eq!(Nodes::from_pending(pending, end).values(), nodes(0..end).values());
            let tree = tree.join(&text());
            for (first, second) in
                (0..=end).flat_map(|first| (first..=end).map(move |second| (first, second)))
            {
                let parts = || (nodes(0..first), nodes(first..second), nodes(second..end));
                let (mut left, middle, right) = parts();
                left.append(&text(), middle);
                left.append(&text(), right);
                assert_eq!((left.tiles(), left.values()), (0..end, nodes(0..end).values()));
                assert_eq!(left.join(&text()), tree, "{end} tiles, cut at {first} and {second}");
                let (mut left, mut middle, right) = parts();
                middle.append(&text(), right);
                assert_eq!(middle.values(), nodes(first..end).values());
                left.append(&text(), middle);
                assert_eq!(left.join(&text()), tree, "{end} tiles, cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn ranges_are_aligned_and_as_large_as_possible() {
        for (first, end) in (0..40).flat_map(|first| (first..40).map(move |end| (first, end))) {
            assert_eq!(NodeRanges::new(first..end, UNLIMITED).count(), nodes(first..end).values().len());
            for most in [1, 4, 8] {
                let all: Vec<_> = NodeRanges::new(first..end, most).collect();
                assert_eq!(
                    all.iter().cloned().flatten().collect::<Vec<_>>(),
                    (first..end).collect::<Vec<_>>()
                );
                assert!(all.iter().all(|node| node.len() <= most && node.start.is_multiple_of(node.len())));
                for number in 0..=all.len() {
                    let mut ranges = NodeRanges::new(first..end, most);
                    assert_eq!(ranges.skip_nodes(number), number);
                    assert_eq!(ranges.next(), all.get(number).cloned());
                }
                assert_eq!(NodeRanges::new(first..end, most).skip_nodes(usize::MAX), all.len());
            }
        }
    }
}
