//! kmeans: each point joins the nearest centre, and the centres become the means of their points.

use spelt::prelude::*;
use spelt::simd::Simd;
use spelt_harness::{Made, Work};

use super::comparison::{near, same};
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, Side, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "k-means",
    hypothesis: "The distances to sixteen centres of eight numbers take most of the time. A vector has the same number of all centres, so that \
        sums of squares in order are vector code; C++ has one centre after the other: ahead.",
    size: "points",
    variants: &[Variant::new("8 features", &[10_000, 1_000_000], race)],
};

/// Numbers of a point.
const FEATURES: usize = 8;

/// Clusters.
const CENTRES: usize = 16;

/// A point, or a centre.
type Point = [f32; FEATURES];

/// A number for each centre.
type OfCentres = Simd<f32, CENTRES>;

/// The numbers of a sum of points.
type OfFeatures = Simd<f32, FEATURES>;

/// Points with their clusters.
#[derive(Debug)]
pub struct Clusters<M: spelt::MemorySpace> {
    points: View<Point, 1, M>,
    nearest: View<u32, 1, M>,
    /// The same number of all centres is a vector.
    centres: View<OfCentres, 1, M>,
    /// The numbers of a centre are a vector, which a point adds to at once.
    sums: View<OfFeatures, 1, M>,
    counts: View<u32, 1, M>,
    /// The number of points that have joined another cluster.
    changes: View<u32, 1, M>,
}

impl<M: spelt::MemorySpace> Clusters<M> {
    fn new<S: ExecutionSpace<Memory = M>>(space: &S, n: usize) -> spelt::Result<Self> {
        Ok(Self {
            points: space.view_from_fn("points", [n], point)?,
            nearest: space.zeros("nearest", [n])?,
            centres: space.view_from_fn("centres", [FEATURES], centres)?,
            sums: space.zeros("sums", [CENTRES])?,
            counts: space.zeros("counts", [CENTRES])?,
            changes: space.zeros("changes", [1])?,
        })
    }
}

/// The square of the distance.
#[inline(always)]
fn distance(a: Point, b: Point) -> f32 {
    (0..FEATURES).map(|feature| (a[feature] - b[feature]) * (a[feature] - b[feature])).sum()
}

/// One iteration, which returns the number of points that have joined another cluster.
///
/// # Errors
/// If the extents differ.
pub fn iterate<S: ExecutionSpace>(space: &S, clusters: &mut Clusters<S::Memory>) -> spelt::Result<u32> {
    let Clusters { points, nearest, centres, sums, counts, changes } = clusters;
    space.fill(&mut *sums, OfFeatures::splat(0.0))?;
    space.fill(&mut *counts, 0)?;
    space.fill(&mut *changes, 0)?;
    // All three are contributions: a reduction with them would have parts of whole tiles, of which 10^4 points have five.
    let args = (&*points, centres.lookup(), nearest, sums.scatter(), counts.scatter(), changes.scatter());
    parallel_for(
        "assign",
        space.range(0..points.len()),
        args,
        move |i, (points, centres, mut nearest, sums, counts, changes)| {
            let mut far = OfCentres::splat(0.0);
            for feature in 0..FEATURES {
                let apart = OfCentres::splat(points[i][feature]) - centres[feature];
                far += apart * apart;
            }
            // One after the other: a tree of minima would have the compiler compute the distances in vectors of two.
            let (mut best, mut least) = (0, f32::MAX);
            for (centre, &far) in (0..).zip(&far.to_array()) {
                if far < least {
                    (best, least) = (centre, far);
                }
            }
            sums.add(best, OfFeatures::from(points[i]));
            counts.add(best, 1);
            if nearest[i] != best {
                nearest[i] = best;
                changes.add(0, 1);
            }
        },
    )?;
    let args = (centres, sums.lookup(), counts.lookup());
    parallel_for("centres", space.range(0..FEATURES), args, move |feature, (mut centres, sums, counts)| {
        for c in 0..CENTRES {
            if counts[c] > 0 {
                centres[feature][c] = sums[c][feature.get()] / counts[c] as f32;
            }
        }
    })?;
    Ok(changes.to_host()?[0])
}

/// The same by loops, with sums in `f64`.
fn plain(points: &[Point], centres: &[Point]) -> (Vec<u32>, Vec<f32>) {
    let nearest = |point: &Point| {
        let distances = centres.iter().map(|&centre| distance(*point, centre)).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(centre, _)| centre as u32)
    };
    let found: Vec<u32> = points.iter().map(nearest).collect();
    let mut next = Vec::new();
    for (number, centre) in centres.iter().enumerate() {
        let own: Vec<_> = points
            .iter()
            .zip(&found)
            .filter(|(_, at)| **at as usize == number)
            .map(|(point, _)| point)
            .collect();
        next.extend((0..FEATURES).map(|feature| {
            let sum: f64 = own.iter().map(|point| f64::from(point[feature])).sum();
            if own.is_empty() { centre[feature] } else { (sum / own.len() as f64) as f32 }
        }));
    }
    (found, next)
}

fn point([i]: [usize; 1]) -> Point {
    core::array::from_fn(|feature| spread(i * FEATURES + feature) as f32)
}

fn centre(c: usize) -> Point {
    core::array::from_fn(|feature| spread(1_000_003 + c * FEATURES + 3 * feature) as f32)
}

/// A number of all centres.
fn centres([feature]: [usize; 1]) -> OfCentres {
    OfCentres::from_fn(|c| centre(c)[feature])
}

/// Compares clusters with the plain ones.
fn compare(
    nearest: &View<u32, 1>,
    centres: &[Point],
    expected: &(Vec<u32>, Vec<f32>),
    bound: f64,
) -> Result<(), String> {
    same("nearest", slice(nearest), &expected.0)?;
    near("centres", centres.as_flattened(), &expected.1, bound)
}

/// The centres one after the other.
fn each_centre(centres: &View<OfCentres, 1>) -> Vec<Point> {
    (0..CENTRES).map(|c| core::array::from_fn(|feature| centres[feature][c])).collect()
}

/// The clusters of these points, from the first centres.
fn expected(n: usize) -> (Vec<u32>, Vec<f32>) {
    let points: Vec<_> = (0..n).map(|i| point([i])).collect();
    let centres: Vec<_> = (0..CENTRES).map(centre).collect();
    plain(&points, &centres)
}

/// Compares an iteration over a few points with the plain loops.
///
/// # Errors
/// Names the first number that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let n = 300;
    let mut clusters = Clusters::new(space, n).map_err(told)?;
    let changed = iterate(space, &mut clusters).map_err(told)?;
    let nearest = clusters.nearest.to_host().map_err(told)?;
    let expected = expected(n);
    same("changes", &[changed], &[expected.0.iter().filter(|&&at| at != 0).count() as u32])?;
    compare(&nearest, &each_centre(&clusters.centres.to_host().map_err(told)?), &expected, 1e-5)
}

fn race(setup: &Setup, n: usize) -> Made {
    let data = (Clusters::new(&setup.space, n).map_err(told)?, vec![[0.0; FEATURES]; CENTRES]);
    let expected = expected(n);
    let lineup = setup.race_with_own_checks(
        data,
        Work { bytes: n * (size_of::<Point>() + 8), elements: n },
        |space, (clusters, _)| iterate(space, clusters).map(drop),
        source!("k_means"),
        move |peer, (clusters, centres)| {
            let arrays = [read(slice(&clusters.points)), out(slice_mut(&mut clusters.nearest)), out(centres)];
            // SAFETY: the source reads n points, and writes n numbers and CENTRES points.
            unsafe { peer.call(&arrays, &[n]) };
        },
        move |(clusters, centres), side| match side {
            Side::Spelt => compare(&clusters.nearest, &each_centre(&clusters.centres), &expected, 1e-5),
            // A single sum in C++ loses digits.
            Side::Peer => compare(&clusters.nearest, centres, &expected, 1e-3),
        },
    )?;
    Ok(Box::new(lineup.before(|(clusters, peers)| {
        slice_mut(&mut clusters.nearest).fill(0);
        slice_mut(&mut clusters.centres)
            .iter_mut()
            .enumerate()
            .for_each(|(feature, own)| *own = centres([feature]));
        peers.iter_mut().enumerate().for_each(|(c, own)| *own = centre(c));
    })))
}
