//! The values of a part of a scan, without its reducer: what launches extend.

use core::ops::Range;

use spelt_order::canonical;
use spelt_order::cut_scan::BegunTile;
use spelt_reducers::Reducer;

use super::nodes::Nodes;
use super::part_state::Extension;

/// The values of a part of a scan of `n` iterations.
///
/// Where joins are exact, grouping does not matter, and `rows` has the joined value of all iterations. Otherwise a part begins at a border
/// of tiles, and if it ends inside a tile, `rows` and `row` have what that tile passes on.
#[derive(Clone, Debug)]
pub struct ScanState<V> {
    pub(crate) n: usize,
    pub(crate) range: Range<usize>,
    pub(crate) nodes: Nodes<V>,
    /// The joined whole rows of the tile in which the part ends.
    pub(crate) rows: Option<V>,
    /// The contributions of the row in which it ends.
    pub(crate) row: Nodes<V>,
}

impl<V> ScanState<V> {
    /// No iteration: the next one is `begin`, a multiple of `tile_len`, or `n`.
    pub(crate) fn new(n: usize, begin: usize, tile_len: usize) -> Self {
        Self {
            n,
            range: begin..begin,
            nodes: Nodes::new(begin.div_ceil(tile_len)),
            rows: None,
            row: Nodes::new(0),
        }
    }

    /// The tiles of a part that begins here and ends at `end`, whether it has whole rows of a begun tile, and the iterations of a begun row.
    pub(crate) fn shape<R: Reducer<Value = V>>(&self, end: usize) -> (Range<usize>, bool, usize) {
        if R::EXACT {
            return (self.nodes.tiles(), end != self.range.start, 0);
        }
        let extension =
            Extension::new(self.n, self.range.start, end - self.range.start, scan_tile_len::<R>());
        let done = extension.tail().map_or(0, |tail| tail.next.end);
        let width = canonical::scan_lanes::<R>();
        (extension.whole, done >= width, done % width)
    }

    /// The border of tiles at or before the end.
    pub(crate) fn border(&self, tile_len: usize) -> usize {
        self.nodes.tiles().end.saturating_mul(tile_len).min(self.n)
    }

    /// Takes what the begun tile passes on.
    pub(crate) fn take_begun<R: Reducer<Value = V>>(&mut self, reducer: &R) -> BegunTile<V> {
        let row = core::mem::replace(&mut self.row, Nodes::new(0));
        BegunTile { rows: self.rows.take(), row: row.into_pending(reducer) }
    }

    /// Puts back what a tile passes on that has `row` iterations in its last row, or the tile, if it has ended.
    pub(crate) fn put_begun<R: Reducer<Value = V>>(
        &mut self,
        reducer: &R,
        begun: BegunTile<V>,
        row: usize,
        ended: bool,
    ) {
        if ended {
            self.nodes.push(reducer, begun.rows.expect("no tile is empty"), 1);
        } else {
            self.rows = begun.rows;
            self.row = Nodes::from_pending(begun.row, row);
        }
    }

    /// The same with other values.
    pub(crate) fn map<U>(self, mut f: impl FnMut(V) -> U) -> ScanState<U> {
        ScanState {
            n: self.n,
            range: self.range,
            nodes: self.nodes.map(&mut f),
            rows: self.rows.map(&mut f),
            row: self.row.map(f),
        }
    }
}

/// The iterations of a tile of a scan by `R`: 1 where cuts do not matter.
pub(crate) const fn scan_tile_len<R: Reducer>() -> usize {
    if R::EXACT { 1 } else { canonical::tile_len(canonical::scan_lanes::<R>()) }
}

/// A pass over the next iterations of a part of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanPass {
    /// Finds their total.
    Total,
    /// Runs them on the values before them; the part has all iterations before.
    Values,
}
