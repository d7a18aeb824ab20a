//! Clusters of points.

use core::ops::Range;
use std::collections::HashMap;

use rayon::prelude::*;
use spelt::algorithms::{cluster_centroids, cluster_order_and_ranges, grid_cluster};

use super::{all_same, fraction};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "cluster",
    hypothesis: "Points of three f32 in the unit cube to cells of a grid: labels, an order, ranges and centroids, from \
        1000 cells or from cells of eight points each. All of it runs on one thread, and counts, as the cells fill a box \
        and labels are below the number of points: half of the time of a hash map from cells to lists of points, and of \
        rayon's sort of pairs of cell and index on two threads. An order and ranges from labels: level with a sort by counting.",
    size: "points",
    variants: &[
        Variant { name: "1000 cells", width: 1, sizes: MOST, race: |_, n| race(n, 10) },
        Variant { name: "eight a cell", width: 1, sizes: MOST, race: |_, n| race(n, eight_a_cell(n)) },
        Variant { name: "order and ranges", width: 1, sizes: MOST, race: order_and_ranges },
    ],
};

/// Sizes up to where the slowest takes a second.
const MOST: &[usize] = &[1_000, 10_000, 100_000, 1_000_000];

type Point = [f32; 3];

/// A cell of the grid.
type Cell = [i64; 3];

/// Cells a side, so that each has eight points on average.
fn eight_a_cell(n: usize) -> usize {
    ((n as f64 / 8.0).cbrt() as usize).max(1)
}

/// The results for clusters: their points in order, the start and end of each, and its mean.
#[derive(Default)]
struct Clusters {
    order: Vec<usize>,
    ranges: Vec<Range<usize>>,
    centroids: Vec<Point>,
}

impl Clusters {
    fn add(&mut self, points: &[Point], members: impl Iterator<Item = usize>) {
        let begin = self.order.len();
        let mut sum = [0.0; 3];
        for i in members {
            self.order.push(i);
            (0..3).for_each(|d| sum[d] += f64::from(points[i][d]));
        }
        let count = (self.order.len() - begin) as f64;
        self.ranges.push(begin..self.order.len());
        self.centroids.push(sum.map(|sum| (sum / count) as f32));
    }
}

fn cell(point: &Point, side: f32) -> Cell {
    point.map(|x| (f64::from(x) / f64::from(side)).floor() as i64)
}

/// Lists of points by their cell, in the order of the cells.
fn by_hash_map(points: &[Point], side: f32) -> Clusters {
    let mut lists: HashMap<Cell, Vec<usize>> = HashMap::new();
    for (i, point) in points.iter().enumerate() {
        lists.entry(cell(point, side)).or_default().push(i);
    }
    let mut lists: Vec<(Cell, Vec<usize>)> = lists.into_iter().collect();
    lists.sort_unstable_by_key(|(cell, _)| *cell);
    let mut clusters = Clusters::default();
    lists.into_iter().for_each(|(_, list)| clusters.add(points, list.into_iter()));
    clusters
}

/// Cells of a sorted list.
fn of_sorted(points: &[Point], sorted: &[(Cell, usize)]) -> Clusters {
    let mut clusters = Clusters::default();
    for run in sorted.chunk_by(|a, b| a.0 == b.0) {
        clusters.add(points, run.iter().map(|(_, i)| *i));
    }
    clusters
}

fn by_functions(points: &[Point], side: f32) -> spelt::Result<Clusters> {
    let labels = grid_cluster(points, [side; 3])?;
    let count = labels.iter().max().map_or(0, |last| last + 1);
    let (order, ranges) = cluster_order_and_ranges(&labels, count)?;
    let sorted: Vec<Point> = order.iter().map(|i| points[*i]).collect();
    let centroids = cluster_centroids(&sorted, None, &ranges)?;
    let centroids =
        centroids.into_iter().map(|found| found.map_or([f32::NAN; 3], |(mean, _)| mean)).collect();
    Ok(Clusters { order, ranges, centroids })
}

fn race(n: usize, across: usize) -> Made {
    let data: Vec<Point> = (0..n).map(|i| [0, 1, 2].map(|d| fraction(3 * i + d))).collect();
    let side = 1.0 / across as f32;
    let want = by_hash_map(&data, side);
    // The least traffic says nothing here: sorts dominate.
    let work = Work { bytes: 0, elements: n };
    let check = move |_: &Vec<Point>, found: &Clusters| {
        all_same("point", &found.order, &want.order)?;
        all_same("range", &found.ranges, &want.ranges)?;
        all_same("centroid", &found.centroids, &want.centroids)
    };
    let lineup = Lineup::new(data, work, check)
        .with("Spelt", move |data| by_functions(data, side).expect("all points are in cells"))
        .with("plain", move |data| by_hash_map(data, side))
        .with("plain sort", move |data| {
            let mut cells: Vec<(Cell, usize)> =
                data.iter().enumerate().map(|(i, point)| (cell(point, side), i)).collect();
            cells.sort_unstable();
            of_sorted(data, &cells)
        })
        .with("rayon sort", move |data| {
            let mut cells: Vec<(Cell, usize)> =
                data.par_iter().enumerate().map(|(i, point)| (cell(point, side), i)).collect();
            cells.par_sort_unstable();
            of_sorted(data, &cells)
        });
    Ok(Box::new(lineup))
}

/// From given labels: an order, and ranges.
fn order_and_ranges(_: &Setup, n: usize) -> Made {
    type Found = (Vec<usize>, Vec<Range<usize>>);
    let clusters = n.div_ceil(8);
    let data: Vec<usize> = (0..n).map(|i| (super::random(i) % clusters as u64) as usize).collect();
    // A sort by counting.
    let plain = move |labels: &Vec<usize>| {
        let mut ranges = vec![0..0; clusters];
        labels.iter().for_each(|label| ranges[*label].end += 1);
        let mut begin = 0;
        for range in &mut ranges {
            // Empty until its points are added.
            (*range, begin) = (begin..begin, begin + range.end);
        }
        let mut order = vec![0; labels.len()];
        for (i, label) in labels.iter().enumerate() {
            order[ranges[*label].end] = i;
            ranges[*label].end += 1;
        }
        (order, ranges)
    };
    let want = plain(&data);
    let work = Work { bytes: 0, elements: n };
    let check = move |_: &Vec<usize>, found: &Found| {
        all_same("point", &found.0, &want.0)?;
        all_same("range", &found.1, &want.1)
    };
    let lineup = Lineup::new(data, work, check)
        .with("Spelt", move |data| cluster_order_and_ranges(data, clusters).expect("the labels are right"))
        .with("plain", move |data| plain(data));
    Ok(Box::new(lineup))
}
