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
        most 2e-6, of the peers 2e-5, both compared in all runs.",
    size: "points",
    // A width for `--quick` and the checks: 1000 elements are ten points.
    variants: &[Variant { name: "f32 D = 3", width: 100, sizes: &[1000, 4000, 20_000], race }],
};

/// Largest relative error of Spelt and of the limit, which both add in many lanes. Source: measured, docs/benchmarks.md.
const ERROR: f64 = 2e-6;

/// Largest relative error of one running sum.
const ERROR_IN_ORDER: f64 = 2e-5;

/// Rows that are compared with f64.
const COMPARED: usize = 200;

type Point = [f32; 3];

struct Points {
    x: View<Point, 1>,
    y: View<(Point, f32), 1>,
    a: View<f32, 1>,
    /// `y` by coordinates, and its weights, for the limit.
    columns: [Vec<f32>; 4],
}

fn squared(x: Point, y: Point) -> f32 {
    let d = [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// Every so many rows in f64.
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

fn race(setup: &Setup, n: usize) -> Made {
    let point = |i: usize| [fraction(4 * i), fraction(4 * i + 1), fraction(4 * i + 2)];
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
    // What moves is nothing beside what is reckoned.
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
