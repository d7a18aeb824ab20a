//! The Gaussian sum over pairs of points that are near.

use core::ops::Range;
use std::rc::Rc;

use rayon::prelude::*;
use spelt::algorithms::{
    BlockRanges, cluster_order_and_ranges, grid_cluster, reduce_blocks_over_i, reduce_blocks_over_j,
    reduce_pairs_over_i, reduce_pairs_over_j,
};
use spelt::prelude::*;

use super::fraction;
use super::gaussian::{Point, squared};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "block_sparse",
    hypothesis: "a_i = sum over j of exp(-400 |x_i - y_j|^2) b_j, f32, points in the unit cube, in cells of side 0.2 of \
        which neighbours are kept: one pair in seven; an element is a pair that is kept. The loop is that of all \
        pairs, over intervals of some hundred points: 1.5 times the dense time for a pair, so a fifth of the dense \
        time in all at 2e4 points, and a quarter of rayon's over the same blocks, whose exponential is the platform's. \
        At 1e3 points cells have eight, and the plan costs as much as the pairs.",
    size: "points",
    // A width for `--quick` and the checks: 1000 elements are ten points.
    variants: &[
        Variant { name: "over j", width: 100, sizes: &[1000, 4000, 20_000], race: race::<false> },
        Variant { name: "over i", width: 100, sizes: &[1000, 4000, 20_000], race: race::<true> },
    ],
};

/// Side of a cell.
const SIDE: f32 = 0.2;

/// Largest relative error against f64: exponents are larger than in the case without blocks.
const ERROR: f64 = 2e-5;

/// Largest error where hardly any point is near: that of omitting the others, at most 2e-7 for each.
const SMALL: f64 = 1e-5;

/// Rows that are compared with f64.
const COMPARED: usize = 200;

type Weighted = (Point, f32);

/// Points in the order of their cells, and where each cell begins and ends.
struct Cells {
    points: Vec<Weighted>,
    ranges: Vec<Range<usize>>,
}

impl Cells {
    fn new(n: usize, first: usize) -> spelt::Result<Self> {
        let point = |i: usize| [0, 1, 2].map(|d| fraction(4 * (first + i) + d));
        let points: Vec<Point> = (0..n).map(point).collect();
        let labels = grid_cluster(&points, [SIDE; 3])?;
        let count = labels.iter().max().map_or(0, |last| last + 1);
        let weighted = |i: usize| (points[i], fraction(4 * (first + i) + 3));
        let (order, ranges) = cluster_order_and_ranges(&labels, count)?;
        Ok(Self { points: order.into_iter().map(weighted).collect(), ranges })
    }

    fn cell(&self, k: usize) -> [i32; 3] {
        self.points[self.ranges[k].start].0.map(|x| (f64::from(x) / f64::from(SIDE)).floor() as i32)
    }
}

/// The kept blocks: those of touching cells.
fn kept(x: &Cells, y: &Cells) -> spelt::Result<BlockRanges> {
    let keep = View::from_fn("keep", [x.ranges.len(), y.ranges.len()], |[k, l]| {
        x.cell(k).iter().zip(y.cell(l)).all(|(x, y)| x.abs_diff(y) <= 1)
    })?;
    BlockRanges::from_matrix(x.points.len(), y.points.len(), &x.ranges, &y.ranges, &keep)
}

/// The intervals that each row is summed over.
struct Intervals {
    range_of_row: Vec<usize>,
    intervals: Vec<Vec<Range<usize>>>,
}

impl Intervals {
    fn new(rows: usize, (ranges, slices, reduced): (&[Range<usize>], &[usize], &[Range<usize>])) -> Self {
        let mut range_of_row = vec![0; rows];
        ranges.iter().enumerate().for_each(|(k, range)| range_of_row[range.clone()].fill(k));
        let begins = [0].into_iter().chain(slices.iter().copied());
        let intervals = begins.zip(slices).map(|(begin, end)| reduced[begin..*end].to_vec()).collect();
        Self { range_of_row, intervals }
    }

    fn of(&self, row: usize) -> &[Range<usize>] {
        &self.intervals[self.range_of_row[row]]
    }
}

struct Data {
    x: View<Weighted, 1>,
    y: View<Weighted, 1>,
    sums: View<f32, 1>,
    blocks: BlockRanges,
    intervals: Rc<Intervals>,
}

fn kernel(x: Point, y: Point) -> f32 {
    -400.0 * squared(x, y)
}

/// As rayon's users write it.
fn by_rows(data: &mut Data, over_i: bool, exp: impl Fn(f32) -> f32 + Sync) {
    let (x, y) = (slice(&data.x), slice(&data.y));
    let (rows, others) = if over_i { (y, x) } else { (x, y) };
    let intervals = &*data.intervals;
    let sums = slice_mut(&mut data.sums).par_iter_mut().zip(rows).enumerate();
    sums.for_each(|(row, (sum, (x, _)))| {
        let near = intervals.of(row).iter().flat_map(|interval| &others[interval.clone()]);
        *sum = near.map(|(y, weight)| exp(kernel(*x, *y)) * weight).sum();
    });
}

/// Equally spaced rows in f64.
fn reference(rows: &[Weighted], others: &[Weighted], intervals: &Intervals) -> Vec<(usize, f64)> {
    let row = |row: usize| {
        let term = |(y, weight): &Weighted| {
            let squared: f64 =
                rows[row].0.iter().zip(y).map(|(x, y)| (f64::from(*x) - f64::from(*y)).powi(2)).sum();
            (-400.0 * squared).exp() * f64::from(*weight)
        };
        (row, intervals.of(row).iter().flat_map(|interval| &others[interval.clone()]).map(term).sum())
    };
    (0..rows.len()).step_by(rows.len().div_ceil(COMPARED)).map(row).collect()
}

fn race<const OVER_I: bool>(setup: &Setup, n: usize) -> Made {
    let made = || {
        let (x, y) = (Cells::new(n, 0)?, Cells::new(n, n)?);
        kept(&x, &y).map(|blocks| (x.points, y.points, blocks))
    };
    let (x, y, blocks) = made().map_err(|error| error.to_string())?;
    let (ranges_i, slices_i, redranges_j, ranges_j, slices_j, redranges_i) = blocks.arrays();
    let half = if OVER_I { (ranges_j, slices_j, redranges_i) } else { (ranges_i, slices_i, redranges_j) };
    let intervals = Rc::new(Intervals::new(n, half));
    let want = if OVER_I { reference(&y, &x, &intervals) } else { reference(&x, &y, &intervals) };
    let work = Work { bytes: 0, elements: usize::try_from(blocks.area()).expect("the pairs fit") };
    let data = Data {
        x: setup.view("x", [n], |[i]| x[i])?,
        y: setup.view("y", [n], |[j]| y[j])?,
        sums: setup.view("sums", [n], |_| 0.0)?,
        blocks,
        intervals,
    };
    let check = move |data: &Data, (): &()| {
        want.iter().try_for_each(|(row, want)| {
            let error = (f64::from(slice(&data.sums)[*row]) - want).abs();
            // Written so that NaN is wrong.
            let right = error <= ERROR * want + SMALL;
            if right { Ok(()) } else { Err(format!("row {row} is wrong by {error:e} of {want:e}")) }
        })
    };
    // For sums over j; the weight is that of the other point.
    let over_j = |_: [usize; 2], sum: &mut f32, ((x, _), (y, weight)): (Weighted, Weighted)| {
        *sum += spelt::math::exp(kernel(x, y)) * weight;
    };
    let over_i = |_: [usize; 2], sum: &mut f32, ((x, weight), (y, _)): (Weighted, Weighted)| {
        *sum += spelt::math::exp(kernel(x, y)) * weight;
    };
    let (sparse, dense) = (setup.space.clone(), setup.space.clone());
    let lineup = Lineup::new(data, work, check)
        .reset(|data| slice_mut(&mut data.sums).fill(-1.0))
        .with("Spelt", move |data| {
            let Data { x, y, sums, blocks, .. } = data;
            if OVER_I {
                reduce_blocks_over_i(&sparse, blocks, x, y, sums, over_i, Sum::<f32>::new())
            } else {
                reduce_blocks_over_j(&sparse, blocks, x, y, sums, over_j, Sum::<f32>::new())
            }
            .expect("the lengths agree");
        })
        .with("Spelt all pairs", move |data| {
            let Data { x, y, sums, .. } = data;
            if OVER_I {
                reduce_pairs_over_i(&dense, x, y, sums, over_i, Sum::<f32>::new())
            } else {
                reduce_pairs_over_j(&dense, x, y, sums, over_j, Sum::<f32>::new())
            }
            .expect("the lengths agree");
        })
        .with("rayon", |data| by_rows(data, OVER_I, f32::exp))
        .with("rayon, our exp", |data| by_rows(data, OVER_I, spelt::math::exp));
    Ok(Box::new(lineup))
}
