//! The Gaussian sum over all pairs of points.

use rayon::prelude::*;
use spelt::algorithms::reduce_pairs_over_j;
use spelt::prelude::*;

use super::fraction;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "gaussian",
    hypothesis: "a_i = sum over j of exp(-|x_i - y_j|^2) b_j for as many x as y in the unit cube, f32; an element is a \
        pair. Lanes over j and an exponential without branches make a vector loop: 2e4 points in at most 250 ms, a \
        tenth of rayon with the platform's exp, a fifth of the same polynomial on one accumulator, which forbids \
        vectors; the limit, which fuses and does not care for order, twice as fast. Relative error against f64 at \
        most 2e-6, of the peers 2e-5, both compared in all runs. The gradient in x_i has three sums and a difference \
        more for each pair: 1.5 times the time.",
    size: "points",
    // A width for `--quick` and the checks: 1000 elements are ten points.
    variants: &[
        Variant { name: "f32 D = 3", width: 100, sizes: &[1000, 4000, 20_000], race },
        Variant { name: "gradient", width: 100, sizes: &[1000, 4000, 20_000], race: gradient },
    ],
};

/// Largest relative error of Spelt and of the limit, which both add in many lanes. Source: measured, docs/benchmarks.md.
const ERROR: f64 = 2e-6;

/// Largest relative error of one running sum.
const ERROR_IN_ORDER: f64 = 2e-5;

/// Rows that are compared with f64.
const COMPARED: usize = 200;

pub(super) type Point = [f32; 3];

struct Points {
    x: View<Point, 1>,
    y: View<(Point, f32), 1>,
    a: View<f32, 1>,
    /// `y` by coordinates, and its weights, for the limit.
    columns: [Vec<f32>; 4],
}

pub(super) fn squared(x: Point, y: Point) -> f32 {
    let d = [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// Equally spaced rows in f64.
fn reference(x: &[Point], y: &[(Point, f32)]) -> Vec<(usize, f64)> {
    let rows = (0..x.len()).step_by(x.len().div_ceil(COMPARED));
    let row = |i: usize| {
        let term = |(y, b): &(Point, f32)| {
            let squared: f64 = x[i].iter().zip(y).map(|(x, y)| (f64::from(*x) - f64::from(*y)).powi(2)).sum();
            (-squared).exp() * f64::from(*b)
        };
        (i, y.iter().map(term).sum())
    };
    rows.map(row).collect()
}

fn by_rows(data: &mut Points, exp: impl Fn(f32) -> f32 + Sync) {
    let (a, x, y) = (slice_mut(&mut data.a), slice(&data.x), slice(&data.y));
    a.par_iter_mut().zip(x).for_each(|(a, x)| *a = y.iter().map(|(y, b)| exp(-squared(*x, *y)) * b).sum());
}

fn point(i: usize) -> Point {
    [fraction(4 * i), fraction(4 * i + 1), fraction(4 * i + 2)]
}

fn race(setup: &Setup, n: usize) -> Made {
    let weighted = |j: usize| (point(j + n), fraction(4 * (j + n) + 3));
    let columns =
        [0, 1, 2, 3].map(|k| (0..n).map(|j| *weighted(j).0.get(k).unwrap_or(&weighted(j).1)).collect());
    let data = Points {
        x: setup.view("x", [n], |[i]| point(i))?,
        y: setup.view("y and b", [n], |[j]| weighted(j))?,
        a: setup.view("a", [n], |_| 0.0)?,
        columns,
    };
    let want = std::rc::Rc::new(reference(slice(&data.x), slice(&data.y)));
    let within = move |bound: f64| {
        let want = want.clone();
        move |data: &Points, (): &()| {
            want.iter().try_for_each(|(i, want)| {
                let error = (f64::from(slice(&data.a)[*i]) / want - 1.0).abs();
                // Written so that NaN is wrong.
                let right = error <= bound;
                if right {
                    Ok(())
                } else {
                    Err(format!("row {i} is wrong by {error:e}, more than {bound:e}"))
                }
            })
        }
    };
    let threads = setup.space.clone();
    // Memory traffic is negligible beside the arithmetic.
    let work = Work { bytes: 0, elements: n * n };
    let lineup = Lineup::new(data, work, within(ERROR))
        .reset(|data| slice_mut(&mut data.a).fill(-1.0))
        .with("Spelt", move |data| {
            let term = |_: [usize; 2], sum: &mut f32, (x, (y, b)): (Point, (Point, f32))| {
                *sum += spelt::math::exp(-squared(x, y)) * b;
            };
            reduce_pairs_over_j(&threads, &data.x, &data.y, &mut data.a, term, Sum::<f32>::new())
                .expect("the lengths agree");
        })
        .with_checked("rayon", |data| by_rows(data, f32::exp), within(ERROR_IN_ORDER))
        .with_checked("rayon, our exp", |data| by_rows(data, spelt::math::exp), within(ERROR_IN_ORDER))
        .with_limit(&setup.limit, |limit, data| {
            limit.gaussian(
                slice(&data.x),
                data.columns.each_ref().map(Vec::as_slice),
                slice_mut(&mut data.a),
            );
        });
    Ok(Box::new(lineup))
}

struct Gradient {
    x: View<Point, 1>,
    y: View<(Point, f32), 1>,
    gradient: View<Point, 1>,
}

/// Adds the contribution of one pair to the gradient of the sum in `x`.
#[inline(always)]
fn add_slope(sum: &mut Point, x: Point, (y, b): (Point, f32), exp: impl Fn(f32) -> f32) {
    let factor = -2.0 * exp(-squared(x, y)) * b;
    (0..3).for_each(|d| sum[d] += factor * (x[d] - y[d]));
}

/// Equally spaced rows in f64, each with the sum of the magnitudes, by which the error is measured.
fn slopes(x: &[Point], y: &[(Point, f32)]) -> Vec<(usize, [f64; 3], f64)> {
    let row = |i: usize| {
        let (mut slope, mut scale) = ([0.0; 3], 0.0);
        for (y, b) in y {
            let difference: [f64; 3] = core::array::from_fn(|d| f64::from(x[i][d]) - f64::from(y[d]));
            let squared: f64 = difference.iter().map(|d| d * d).sum();
            let factor = -2.0 * (-squared).exp() * f64::from(*b);
            (0..3).for_each(|d| slope[d] += factor * difference[d]);
            scale += (factor * squared.sqrt()).abs();
        }
        (i, slope, scale)
    };
    (0..x.len()).step_by(x.len().div_ceil(COMPARED)).map(row).collect()
}

fn slopes_by_rows(data: &mut Gradient, exp: impl Fn(f32) -> f32 + Sync) {
    let (x, y) = (slice(&data.x), slice(&data.y));
    slice_mut(&mut data.gradient).par_iter_mut().zip(x).for_each(|(gradient, x)| {
        *gradient = [0.0; 3];
        y.iter().for_each(|y| add_slope(gradient, *x, *y, &exp));
    });
}

fn gradient(setup: &Setup, n: usize) -> Made {
    let data = Gradient {
        x: setup.view("x", [n], |[i]| point(i))?,
        y: setup.view("y and b", [n], |[j]| (point(j + n), fraction(4 * (j + n) + 3)))?,
        gradient: setup.view("gradient", [n], |_| [0.0; 3])?,
    };
    let want = slopes(slice(&data.x), slice(&data.y));
    let check = move |data: &Gradient, (): &()| {
        want.iter().try_for_each(|(i, want, scale)| {
            let got = slice(&data.gradient)[*i];
            // Written so that NaN is wrong.
            let right = (0..3).all(|d| (f64::from(got[d]) - want[d]).abs() <= ERROR_IN_ORDER * scale);
            if right { Ok(()) } else { Err(format!("row {i} is {got:?}, not {want:?}")) }
        })
    };
    let threads = setup.space.clone();
    let lineup = Lineup::new(data, Work { bytes: 0, elements: n * n }, check)
        .reset(|data: &mut Gradient| slice_mut(&mut data.gradient).fill([9.0; 3]))
        .with("Spelt", move |data| {
            let Gradient { x, y, gradient } = data;
            let term = |_: [usize; 2], sum: &mut Point, (x, y): (Point, (Point, f32))| {
                add_slope(sum, x, y, spelt::math::exp);
            };
            reduce_pairs_over_j(&threads, x, y, gradient, term, Sum::<Point>::new())
                .expect("the lengths agree");
        })
        .with("rayon", |data| slopes_by_rows(data, f32::exp))
        .with("rayon, our exp", |data| slopes_by_rows(data, spelt::math::exp));
    Ok(Box::new(lineup))
}
