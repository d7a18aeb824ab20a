//! Reductions along an axis other than sums of the elements.

use rayon::prelude::*;
use spelt::algorithms::{any_axes, arg_max_axes, maximum_axes, sum_axes, variance_axes};
use spelt::prelude::*;

use super::SIZES;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::Number;
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "axis_named",
    hypothesis: "A matrix of f32 with 1000 columns, reduced row by row where nothing else is said. Variance by Welford's \
        update has a division for each element, in vectors of lanes or of columns: a sixth of the time of a plain loop for \
        mean and another for squares along rows, whose chains wait; along columns, where the plain loops are vectors too, \
        level with them on two threads. Sums in \
        f64 take half of the time of a plain chain; maxima with NaN a third more than sums; places of maxima twice, for \
        lanes have indices of 64 bits. Whether any is above a bound that none is: level with a plain loop, which could \
        stop early where Spelt never does.",
    size: "n",
    variants: &[
        Variant { name: "variance", width: 1, sizes: SIZES, race: variance },
        Variant { name: "variance leading", width: 1, sizes: SIZES, race: variance_leading },
        Variant { name: "sum in f64", width: 1, sizes: SIZES, race: wide_sum },
        Variant { name: "maximum", width: 1, sizes: SIZES, race: maximum },
        Variant { name: "arg_max", width: 1, sizes: SIZES, race: arg_max },
        Variant { name: "any", width: 1, sizes: SIZES, race: any },
    ],
};

/// Columns of the matrix.
const COLUMNS: usize = 1000;

/// Largest relative error of a variance of numbers that are evenly spread.
const ERROR: f64 = 1e-4;

struct Matrix<O: Element> {
    a: View<f32, 2>,
    out: View<O, 1>,
}

impl<O: Element> Matrix<O> {
    /// The outputs to write, the elements to read.
    fn split(&mut self) -> (&mut [O], &[f32]) {
        (slice_mut(&mut self.out), slice(&self.a))
    }

    fn array(&self) -> ndarray::ArrayView2<'_, f32> {
        ndarray::ArrayView2::from_shape(self.a.extents(), slice(&self.a)).expect("a matrix")
    }
}

/// An empty line-up; `right` compares with the expected result, `nothing` is not a result.
fn lineup<O: Element + core::fmt::Debug>(
    setup: &Setup,
    n: usize,
    nothing: O,
    want: impl Fn(&[f32]) -> Vec<O>,
    right: fn(O, O) -> bool,
) -> Result<Lineup<Matrix<O>, ()>, String> {
    let extents = [n.div_ceil(COLUMNS), COLUMNS];
    let a = setup.view("a", extents, |[i, j]| f32::element(i * COLUMNS + j + 1))?;
    let want = want(slice(&a));
    let data = Matrix { a, out: setup.view("out", [want.len()], |_| nothing)? };
    let elements = extents[0] * COLUMNS;
    let work = Work { bytes: elements * size_of::<f32>() + want.len() * size_of::<O>(), elements };
    let check = move |data: &Matrix<O>, (): &()| {
        let mut pairs = slice(&data.out).iter().zip(&want).enumerate();
        match pairs.find(|(_, (got, want))| !right(**got, **want)) {
            Some((at, (got, want))) => Err(format!("result {at} is {got:?}, not {want:?}")),
            None => Ok(()),
        }
    };
    Ok(Lineup::new(data, work, check)
        .reset(move |data: &mut Matrix<O>| slice_mut(&mut data.out).fill(nothing)))
}

/// Contenders that reduce one row after the other, and the read.
fn by_rows<O: Element>(lineup: Lineup<Matrix<O>, ()>, setup: &Setup, row: fn(&[f32]) -> O) -> Made {
    let lineup = lineup
        .with("plain", move |data| {
            let (out, a) = data.split();
            out.iter_mut().zip(a.chunks_exact(COLUMNS)).for_each(|(out, a)| *out = row(a));
        })
        .with("rayon", move |data| {
            let (out, a) = data.split();
            out.par_iter_mut().zip(a.par_chunks_exact(COLUMNS)).for_each(|(out, a)| *out = row(a));
        });
    read(lineup, setup)
}

fn read<O: Element>(lineup: Lineup<Matrix<O>, ()>, setup: &Setup) -> Made {
    Ok(Box::new(lineup.with_read(&setup.limit, |limit, data| {
        core::hint::black_box(limit.read(slice(&data.a)));
    })))
}

/// The variance in f64, without a correction.
fn variance_of(x: impl Iterator<Item = f32> + Clone) -> f32 {
    let (n, sum) = x.clone().fold((0.0, 0.0), |(n, sum), x| (n + 1.0, sum + f64::from(x)));
    (x.map(|x| (f64::from(x) - sum / n).powi(2)).sum::<f64>() / n) as f32
}

fn near(got: f32, want: f32) -> bool {
    // The variance of one number is zero.
    (f64::from(got) - f64::from(want)).abs() <= ERROR * f64::from(want)
}

fn variance(setup: &Setup, n: usize) -> Made {
    let want = |a: &[f32]| a.chunks_exact(COLUMNS).map(|row| variance_of(row.iter().copied())).collect();
    let threads = setup.space.clone();
    let lineup = lineup(setup, n, -1.0, want, near)?
        .with("Spelt", move |data| {
            variance_axes(&threads, &data.a, [1], &mut data.out, 0).expect("the extents are right");
        })
        .with("ndarray", |data| {
            let found = data.array().var_axis(ndarray::Axis(1), 0.0);
            ndarray::ArrayViewMut1::from(slice_mut(&mut data.out)).assign(&found);
        });
    by_rows(lineup, setup, |row| {
        let mean = row.iter().sum::<f32>() / row.len() as f32;
        row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / row.len() as f32
    })
}

fn variance_leading(setup: &Setup, n: usize) -> Made {
    let column = |a: &[f32], j: usize| variance_of(a[j..].iter().copied().step_by(COLUMNS));
    let want = |a: &[f32]| (0..COLUMNS).map(|j| column(a, j)).collect();
    let threads = setup.space.clone();
    let lineup = lineup(setup, n, -1.0, want, near)?
        .with("Spelt", move |data| {
            variance_axes(&threads, &data.a, [0], &mut data.out, 0).expect("the extents are right");
        })
        .with("plain", |data| {
            let (out, a) = data.split();
            let rows = (a.len() / COLUMNS) as f32;
            let mut means = vec![0.0; COLUMNS];
            for row in a.chunks_exact(COLUMNS) {
                means.iter_mut().zip(row).for_each(|(sum, x)| *sum += *x);
            }
            means.iter_mut().for_each(|sum| *sum /= rows);
            out.fill(0.0);
            for row in a.chunks_exact(COLUMNS) {
                let deviations = row.iter().zip(&means).map(|(x, mean)| x - mean);
                out.iter_mut().zip(deviations).for_each(|(sum, d)| *sum += d * d);
            }
            out.iter_mut().for_each(|sum| *sum /= rows);
        })
        .with("ndarray", |data| {
            let found = data.array().var_axis(ndarray::Axis(0), 0.0);
            ndarray::ArrayViewMut1::from(slice_mut(&mut data.out)).assign(&found);
        });
    read(lineup, setup)
}

fn wide_sum(setup: &Setup, n: usize) -> Made {
    let row = |row: &[f32]| row.iter().copied().map(f64::from).sum();
    let threads = setup.space.clone();
    let right = |got: f64, want: f64| (got - want).abs() <= 1e-12 * want;
    let lineup = lineup(setup, n, -1.0, |a| a.chunks_exact(COLUMNS).map(row).collect(), right)?.with(
        "Spelt",
        move |data| {
            sum_axes(&threads, &data.a, [1], &mut data.out).expect("the extents are right");
        },
    );
    by_rows(lineup, setup, row)
}

fn maximum(setup: &Setup, n: usize) -> Made {
    // NaN is the result where any element is NaN, as `f32::maximum` will define it.
    let row =
        |row: &[f32]| row.iter().fold(f32::MIN, |most, x| if *x > most || x.is_nan() { *x } else { most });
    let threads = setup.space.clone();
    let lineup =
        lineup(setup, n, -1.0, |a| a.chunks_exact(COLUMNS).map(row).collect(), |got, want| got == want)?
            .with("Spelt", move |data| {
                maximum_axes(&threads, &data.a, [1], &mut data.out).expect("the extents are right");
            });
    by_rows(lineup, setup, row)
}

fn arg_max(setup: &Setup, n: usize) -> Made {
    let row = |row: &[f32]| {
        let first = |best: (usize, f32), (j, x): (usize, &f32)| if *x > best.1 { (j, *x) } else { best };
        row.iter().enumerate().fold((usize::MAX, f32::MIN), first).0
    };
    let threads = setup.space.clone();
    let wanted = |a: &[f32]| a.chunks_exact(COLUMNS).map(row).collect();
    let lineup = lineup(setup, n, usize::MAX, wanted, |got, want| got == want)?.with("Spelt", move |data| {
        arg_max_axes(&threads, &data.a, [1], &mut data.out).expect("the extents are right");
    });
    by_rows(lineup, setup, row)
}

fn any(setup: &Setup, n: usize) -> Made {
    let large = |x: f32| x > 2.0;
    let threads = setup.space.clone();
    let lineup = lineup(setup, n, true, |a| vec![false; a.len() / COLUMNS], |got, want| got == want)?.with(
        "Spelt",
        move |data| {
            any_axes(&threads, &data.a, [1], &mut data.out, large).expect("the extents are right");
        },
    );
    by_rows(lineup, setup, move |row| row.iter().any(|x| *x > 2.0))
}
