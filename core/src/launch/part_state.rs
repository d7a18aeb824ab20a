//! The values of a part of a reduction, without its reducer: what launches extend.

use core::ops::Range;

use spelt_order::{canonical, tile};
use spelt_reducers::Reducer;

use super::nodes::Nodes;

/// The values of a part of a reduction of `n` iterations.
///
/// It begins at a border of tiles. If it ends inside a tile, `lanes` has the running values of the lanes that this tile has begun.
#[derive(Clone, Debug)]
pub struct PartState<V> {
    pub(crate) n: usize,
    /// One past the last iteration.
    pub(crate) end: usize,
    pub(crate) nodes: Nodes<V>,
    pub(crate) lanes: Vec<V>,
}

impl<V> PartState<V> {
    /// No iteration: the next one is `begin`, a border of tiles of `tile_len`, or `n`.
    pub(crate) fn new(n: usize, begin: usize, tile_len: usize) -> Self {
        Self { n, end: begin, nodes: Nodes::new(begin.div_ceil(tile_len)), lanes: Vec::new() }
    }

    /// The first iteration, in tiles of `tile_len`.
    pub(crate) fn begin(&self, tile_len: usize) -> usize {
        self.nodes.tiles().start.saturating_mul(tile_len).min(self.n)
    }

    /// The tiles of a part that begins here and ends at `end`, and the number of lanes of the tile in which it ends.
    pub(crate) fn shape<R: Reducer<Value = V>>(&self, end: usize) -> (Range<usize>, usize) {
        let extension = Extension::new(self.n, self.end, end - self.end, tile_len::<R>());
        let lanes = extension.tail().map_or(0, |tail| tail.begun::<R>());
        (extension.whole, lanes)
    }

    /// The same with other values.
    pub(crate) fn map<U>(self, mut f: impl FnMut(V) -> U) -> PartState<U> {
        PartState {
            n: self.n,
            end: self.end,
            nodes: self.nodes.map(&mut f),
            lanes: self.lanes.into_iter().map(f).collect(),
        }
    }
}

/// The iterations of a launch that extends a part, as tiles.
#[derive(Clone, Debug)]
pub(crate) struct Extension {
    pub(crate) n: usize,
    pub(crate) tile_len: usize,
    /// The iterations, of the whole reduction.
    pub(crate) iterations: Range<usize>,
    /// The tiles that begin and end among the iterations.
    pub(crate) whole: Range<usize>,
}

/// A piece of one tile.
#[derive(Clone, Debug)]
pub(crate) struct TilePiece {
    pub(crate) number: usize,
    /// The iterations of the tile.
    pub(crate) len: usize,
    /// The piece, counted from the tile's first iteration.
    pub(crate) next: Range<usize>,
}

impl Extension {
    /// The next `count` iterations of a part that ends at `end`.
    pub(crate) fn new(n: usize, end: usize, count: usize, tile_len: usize) -> Self {
        let iterations = end..end + count;
        let first = end.div_ceil(tile_len);
        let last = if iterations.end == n { n.div_ceil(tile_len) } else { iterations.end / tile_len };
        Self { n, tile_len, iterations, whole: first..last.max(first) }
    }

    /// The rest of a tile that the part has begun.
    pub(crate) fn head(&self) -> Option<TilePiece> {
        let done = self.iterations.start % self.tile_len;
        (done != 0 && !self.iterations.is_empty())
            .then(|| self.piece(self.iterations.start / self.tile_len, done))
    }

    /// The beginning of a tile that the launch does not end.
    pub(crate) fn tail(&self) -> Option<TilePiece> {
        (self.iterations.end > self.whole.end.saturating_mul(self.tile_len))
            .then(|| self.piece(self.whole.end, 0))
    }

    /// The iterations of a tile from `done` on.
    pub(crate) fn piece(&self, number: usize, done: usize) -> TilePiece {
        let first = number * self.tile_len;
        let len = self.tile_len.min(self.n - first);
        TilePiece { number, len, next: done..len.min(self.iterations.end - first) }
    }
}

impl TilePiece {
    /// Whether it ends the tile.
    pub(crate) fn ends_tile(&self) -> bool {
        self.next.end == self.len
    }

    /// The lanes that have begun at the end of the piece.
    pub(crate) fn begun<R: Reducer>(&self) -> usize {
        tile::begun_lanes::<R>(self.len, self.next.end)
    }
}

/// The iterations of a tile of a reduction by `R`.
pub(crate) const fn tile_len<R: Reducer>() -> usize {
    canonical::tile_len(canonical::lanes(R::LANE_BYTES))
}

/// Takes the values of the lanes of a piece of a tile: the tile's value becomes a node if the piece ends the tile.
pub(crate) fn put_lanes<R: Reducer>(
    reducer: &R,
    state: &mut PartState<R::Value>,
    piece: &TilePiece,
    mut lane: impl FnMut(usize) -> R::Value,
) {
    let begun = piece.begun::<R>();
    if piece.ends_tile() {
        let value = tile::join_lanes(reducer, begun, lane).expect("no tile is empty");
        state.nodes.push(reducer, value, 1);
    } else {
        state.lanes = (0..begun).map(&mut lane).collect();
    }
}
