//! The nearest points of each point.

use std::collections::BinaryHeap;

use rayon::prelude::*;
use spelt::algorithms::{ArgKMin, KMin, KMinLoc, KMinValue, reduce_pairs_over_j};
use spelt::prelude::*;

use super::fraction;
use super::gaussian::{Point, squared};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::same;
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "nearest",
    hypothesis: "For each x the ten nearest of as many y in the unit cube, f32; an element is a pair. A comparison with \
        the tenth best settles most pairs: sixteen distances are computed in vectors and compared together, where rayon \
        with one sorted array a row compares each. Two thirds of its time at 1e3 points, where insertions take most of it, \
        half at 4e3 and less at 2e4. A heap is no faster than the array.",
    size: "points",
    // A width for `--quick` and the checks: 1000 elements are ten points.
    variants: &[
        Variant { name: "indices", width: 100, sizes: &[1000, 4000, 20_000], race: indices },
        Variant { name: "distances", width: 100, sizes: &[1000, 4000, 20_000], race: distances },
        Variant { name: "both", width: 100, sizes: &[1000, 4000, 20_000], race: both },
    ],
};

/// Neighbours of each point.
const K: usize = 10;

/// Rows that are compared.
const COMPARED: usize = 200;

/// Distances and indices, the nearest first.
type Nearest = [(f32, usize); K];

const NOTHING: Nearest = [(f32::INFINITY, usize::MAX); K];

struct Data<O: Element> {
    x: View<Point, 1>,
    y: View<Point, 1>,
    nearest: View<O, 1>,
}

/// With a sorted array; later ones come after equal ones.
fn by_array(x: Point, y: &[Point]) -> Nearest {
    let mut best = NOTHING;
    for (j, y) in y.iter().enumerate() {
        let distance = squared(x, *y);
        if distance < best[K - 1].0 {
            let mut at = K - 1;
            while at > 0 && distance < best[at - 1].0 {
                best[at] = best[at - 1];
                at -= 1;
            }
            best[at] = (distance, j);
        }
    }
    best
}

/// With a heap; bits of distances are ordered as they are, because none is below zero.
fn by_heap(x: Point, y: &[Point]) -> Nearest {
    let mut best = BinaryHeap::with_capacity(K);
    for (j, y) in y.iter().enumerate() {
        let pair = (squared(x, *y).to_bits(), j);
        if best.len() < K {
            best.push(pair);
        } else if let Some(mut last) = best.peek_mut()
            && pair < *last
        {
            *last = pair;
        }
    }
    let mut nearest = NOTHING;
    let sorted = best.into_sorted_vec().into_iter().map(|(bits, j)| (f32::from_bits(bits), j));
    nearest.iter_mut().zip(sorted).for_each(|(to, from)| *to = from);
    nearest
}

/// By sorting all distances.
fn by_sort(x: Point, y: &[Point]) -> Nearest {
    let mut all: Vec<(f32, usize)> = y.iter().enumerate().map(|(j, y)| (squared(x, *y), j)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut nearest = NOTHING;
    nearest.iter_mut().zip(all).for_each(|(to, from)| *to = from);
    nearest
}

fn by_rows<O: Element>(
    data: &mut Data<O>,
    one: impl Fn(Point, &[Point]) -> Nearest + Sync,
    output: fn(Nearest) -> O,
) {
    let (x, y) = (slice(&data.x), slice(&data.y));
    slice_mut(&mut data.nearest).par_iter_mut().zip(x).for_each(|(nearest, x)| *nearest = output(one(*x, y)));
}

fn race<O, R>(setup: &Setup, n: usize, reducer: R, output: fn(Nearest) -> O) -> Made
where
    O: Element + PartialEq + core::fmt::Debug,
    R: Reducer<Value = KMinValue<f32, K>, Output = O> + Copy + Sync + 'static,
{
    let point = |i: usize| [0, 1, 2].map(|d| fraction(3 * i + d));
    let data = Data {
        x: setup.view("x", [n], |[i]| point(i))?,
        y: setup.view("y", [n], |[j]| point(j + n))?,
        nearest: setup.view("nearest", [n], |_| output(NOTHING))?,
    };
    let rows = (0..n).step_by(n.div_ceil(COMPARED));
    let want: Vec<(usize, O)> =
        rows.map(|i| (i, output(by_sort(slice(&data.x)[i], slice(&data.y))))).collect();
    let check = move |data: &Data<O>, (): &()| {
        want.iter().try_for_each(|(i, want)| same(&format!("row {i}"), slice(&data.nearest)[*i], *want))
    };
    let threads = setup.space.clone();
    let lineup = Lineup::new(data, Work { bytes: 0, elements: n * n }, check)
        .reset(move |data: &mut Data<O>| slice_mut(&mut data.nearest).fill(output(NOTHING)))
        .with("Spelt", move |data| {
            let Data { x, y, nearest } = data;
            let pair =
                |[_, j]: [usize; 2], best: &mut KMinValue<f32, K>, (x, y)| best.update(squared(x, y), j);
            reduce_pairs_over_j(&threads, x, y, nearest, pair, reducer).expect("the lengths agree");
        })
        .with("rayon", move |data| by_rows(data, by_array, output))
        .with("rayon heap", move |data| by_rows(data, by_heap, output));
    Ok(Box::new(lineup))
}

fn indices(setup: &Setup, n: usize) -> Made {
    race(setup, n, ArgKMin::<f32, K>::new(), |nearest| nearest.map(|(_, j)| j))
}

fn distances(setup: &Setup, n: usize) -> Made {
    race(setup, n, KMin::<f32, K>::new(), |nearest| nearest.map(|(distance, _)| distance))
}

fn both(setup: &Setup, n: usize) -> Made {
    race(setup, n, KMinLoc::<f32, K>::new(), |nearest| nearest)
}
