//! The canonical order of one row of pairs, leaf by leaf.
//!
//! The canonical order (see `spelt_core::canonical`) cuts a range into tiles and a tile into lanes; lanes join by halving, tiles pairwise
//! by number. Halving joins neighbours too, once the lanes are in the order of their reversed bits. So all of it is one binary tree:
//! leaf `k` of a tile is the lane whose number is `k` with its bits reversed; or, for a reducer that does not commute, run `k`. A thread
//! that computes leaf after leaf keeps one value for each level of the tree, as a binary counter does.

use core::array;

use spelt_core::canonical;
use spelt_core::reducers::Reducer;

/// Levels of the tree. Unit: levels. Source: 2^32 leaves of 64 pairs, more than a row of elements in memory has.
const LEVELS: usize = 33;

/// The maximum number of pairs of a row.
pub(super) const MAX_PAIRS: usize = 1 << 38;

/// The pairs of one leaf, counted from the first of its tile: `count` of them from `first` on, `step` apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) first: usize,
    pub(super) step: usize,
    pub(super) count: usize,
}

/// The division of a row of `R` into tiles and leaves.
pub(super) struct Cut<R>(R);

impl<R: Reducer> Cut<R> {
    /// Whether a running value may take all pairs of a row one by one, because the bits of the result do not depend on their grouping.
    const WHOLE: bool = R::EXACT && (R::REORDERABLE || !R::COMMUTATIVE);

    /// The leaves of a tile, where they exist.
    pub(super) const LEAVES: usize = if Self::WHOLE { 1 } else { canonical::lanes(R::LANE_BYTES) };

    /// The pairs of a tile.
    pub(super) const TILE: usize =
        if Self::WHOLE { MAX_PAIRS } else { canonical::tile_len(canonical::lanes(R::LANE_BYTES)) };

    /// Leaf `k` of a tile of `len` pairs; its count is 0 if it does not exist.
    #[inline(always)]
    pub(super) fn leaf(len: usize, k: usize) -> Leaf {
        if Self::WHOLE {
            Leaf { first: 0, step: 1, count: len }
        } else if R::COMMUTATIVE {
            let lane = k.reverse_bits().unbounded_shr(usize::BITS - Self::LEAVES.trailing_zeros());
            Leaf { first: lane, step: Self::LEAVES, count: len.saturating_sub(lane).div_ceil(Self::LEAVES) }
        } else {
            let run = canonical::run_len(len, Self::LEAVES);
            Leaf { first: k * run, step: 1, count: len.saturating_sub(k * run).min(run) }
        }
    }
}

/// The joined values of the leaves so far, of `B` rows at once: level `l` holds the left half of a block of `2^(l + 1)` leaves.
pub(super) struct Tree<V, const B: usize> {
    left: [Option<[V; B]>; LEVELS],
    leaves: usize,
}

impl<V, const B: usize> Tree<V, B> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { left: [const { None }; LEVELS], leaves: 0 }
    }

    /// Adds the next leaf, if it exists.
    #[inline(always)]
    pub(super) fn push<R: Reducer<Value = V>>(&mut self, reducer: &R, mut values: Option<[V; B]>) {
        let mut level = 0;
        while self.leaves >> level & 1 == 1 {
            values = join(reducer, self.left[level].take(), values);
            level += 1;
        }
        self.left[level] = values;
        self.leaves += 1;
    }

    /// The joined values of all leaves.
    #[inline(always)]
    pub(super) fn finish<R: Reducer<Value = V>>(mut self, reducer: &R) -> [V; B] {
        let mut values = None;
        let mut level = 0;
        while self.leaves >> level != 0 {
            if self.leaves >> level & 1 == 1 {
                values = join(reducer, self.left[level].take(), values);
            }
            level += 1;
        }
        values.unwrap_or_else(|| array::from_fn(|_| reducer.init()))
    }
}

#[inline(always)]
fn join<R: Reducer, const B: usize>(
    reducer: &R,
    left: Option<[R::Value; B]>,
    right: Option<[R::Value; B]>,
) -> Option<[R::Value; B]> {
    match (left, right) {
        (Some(mut left), Some(right)) => {
            for row in 0..B {
                reducer.join(&mut left[row], &right[row]);
            }
            Some(left)
        }
        (left, right) => left.or(right),
    }
}
