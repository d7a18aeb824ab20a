//! The canonical order, written down as the documentation of `spelt::canonical` has it: slow, short, and recursive.

use spelt::canonical::{lanes, run_len, scan_lanes, tile_len};
use spelt::reducers::Reducer;

/// Reduces `n` iterations: a running value for each lane; lanes join by halving, tiles pairwise by number.
pub(crate) fn reduce<R: Reducer>(
    reducer: &R,
    n: usize,
    contribute: impl Fn(usize, &mut R::Value),
) -> R::Output {
    let tile = tile_len(lanes(R::LANE_BYTES));
    let tiles =
        (0..n).step_by(tile).map(|first| reduce_tile(reducer, first, tile.min(n - first), &contribute));
    let joined = pairwise(reducer, tiles.collect());
    reducer.finish(joined.unwrap_or_else(|| reducer.init()))
}

fn reduce_tile<R: Reducer>(
    r: &R,
    first: usize,
    len: usize,
    contribute: &impl Fn(usize, &mut R::Value),
) -> R::Value {
    let width = lanes(R::LANE_BYTES);
    let take = |indices: &mut dyn Iterator<Item = usize>| {
        let mut value = r.init();
        indices.for_each(|index| contribute(first + index, &mut value));
        value
    };
    if R::COMMUTATIVE {
        let lane = |lane: usize| take(&mut (lane..len).step_by(width));
        halve(r, width, (0..width.min(len)).map(lane).map(Some).collect())
    } else {
        let run = run_len(len, width);
        let lane = |start: usize| take(&mut (start..len.min(start + run)));
        pairwise(r, (0..len).step_by(run).map(lane).collect()).expect("no tile is empty")
    }
}

/// Lane `l` joins with `l + width/2`, and so on; a lane that does not exist is skipped.
fn halve<R: Reducer>(r: &R, width: usize, mut lanes: Vec<Option<R::Value>>) -> R::Value {
    if width == 1 {
        return lanes.swap_remove(0).expect("lane 0 exists");
    }
    lanes.resize_with(width, || None);
    let upper = lanes.split_off(width / 2);
    let joined = lanes.into_iter().zip(upper).map(|(left, right)| match (left, right) {
        (Some(left), Some(right)) => Some(join(r, left, &right)),
        (left, _) => left,
    });
    halve(r, width / 2, joined.collect())
}

/// Neighbours join, level by level; a value without a neighbour moves up unchanged.
fn pairwise<R: Reducer>(r: &R, mut values: Vec<R::Value>) -> Option<R::Value> {
    if values.len() <= 1 {
        return values.pop();
    }
    let mut level = Vec::new();
    let mut values = values.into_iter();
    while let Some(left) = values.next() {
        level.push(match values.next() {
            Some(right) => join(r, left, &right),
            None => left,
        });
    }
    pairwise(r, level)
}

fn join<R: Reducer>(r: &R, mut left: R::Value, right: &R::Value) -> R::Value {
    r.join(&mut left, right);
    left
}

/// Scans `n` iterations: the value that each iteration leaves behind, and the total.
///
/// An iteration starts from the tiles before its own, in blocks as large as the tree has them, the largest first, joined with the
/// rows before its own in its tile, which join left to right, and with the iterations before it in its row, which join pairwise.
pub(crate) fn scan<R>(
    reducer: &R,
    n: usize,
    contribute: impl Fn(usize, &mut R::Value),
) -> (Vec<R::Value>, R::Output)
where
    R: Reducer,
    R::Value: Clone,
{
    let width = scan_lanes::<R>();
    let mut prefixes = Vec::with_capacity(n);
    let mut totals: Vec<R::Value> = Vec::new();
    for first in (0..n).step_by(tile_len(width)) {
        let before = left_to_right(reducer, blocks(reducer, &totals));
        let mut rows: Vec<R::Value> = Vec::new();
        for start in (first..n.min(first + tile_len(width))).step_by(width) {
            let earlier_rows = left_to_right(reducer, rows.clone());
            let mut row = Vec::new();
            for index in start..n.min(start + width) {
                let in_row = pairwise(reducer, row.clone());
                let parts = [&before, &earlier_rows, &in_row].into_iter().flatten().cloned();
                let mut value = left_to_right(reducer, parts.collect()).unwrap_or_else(|| reducer.init());
                let mut alone = reducer.init();
                contribute(index, &mut value);
                contribute(index, &mut alone);
                prefixes.push(value);
                row.push(alone);
            }
            rows.extend(pairwise(reducer, row));
        }
        totals.push(left_to_right(reducer, rows).expect("no tile is empty"));
    }
    let total = pairwise(reducer, totals).unwrap_or_else(|| reducer.init());
    (prefixes, reducer.finish(total))
}

/// The tiles so far as whole blocks of the tree, the largest first.
fn blocks<R: Reducer>(r: &R, mut tiles: &[R::Value]) -> Vec<R::Value>
where
    R::Value: Clone,
{
    let mut blocks = Vec::new();
    while !tiles.is_empty() {
        let (block, rest) = tiles.split_at(1 << tiles.len().ilog2());
        blocks.extend(pairwise(r, block.to_vec()));
        tiles = rest;
    }
    blocks
}

fn left_to_right<R: Reducer>(r: &R, values: Vec<R::Value>) -> Option<R::Value> {
    values.into_iter().reduce(|left, right| join(r, left, &right))
}

/// A sum with its rounding errors carried along (Neumaier), and the sum of the magnitudes.
pub(crate) fn exact_sum(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut sum, mut lost, mut magnitude) = (0.0_f64, 0.0_f64, 0.0_f64);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
        magnitude += value.abs();
    }
    (sum + lost, magnitude)
}
