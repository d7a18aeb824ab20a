//! Sums along an axis.

use rayon::prelude::*;
use spelt::algorithms::sum_axes;
use spelt::prelude::*;

use super::SIZES;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "axis",
    hypothesis: "A matrix of f32 with 1000 columns. Along the contiguous axis each row is a vector loop; along the \
        leading axis rows are added to a block of running sums that stays in registers or the first cache, so that \
        memory is read in order as well. Where memory decides, both within 10 % of the kernel that reads the bytes; \
        rayon's rows are chains of additions, its columns level.",
    size: "n",
    variants: &[
        Variant { name: "contiguous", width: 1, sizes: SIZES, race: contiguous },
        Variant { name: "leading", width: 1, sizes: SIZES, race: leading },
    ],
};

/// Columns of the matrix.
const COLUMNS: usize = 1000;

struct Matrix {
    a: View<f32, 2>,
    out: View<f32, 1>,
}

impl Matrix {
    fn new(setup: &Setup, n: usize, outputs: impl Fn([usize; 2]) -> usize) -> Result<(Self, Work), String> {
        let extents = [n.div_ceil(COLUMNS), COLUMNS];
        let elements = extents[0] * COLUMNS;
        let outputs = outputs(extents);
        let data = Self {
            a: setup.view("a", extents, |[i, j]| f32::element(i * COLUMNS + j + 1))?,
            out: setup.view("out", [outputs], |_| 0.0)?,
        };
        Ok((data, Work { bytes: (elements + outputs) * size_of::<f32>(), elements }))
    }

    /// The outputs to write, the elements to read.
    fn split(&mut self) -> (&mut [f32], &[f32]) {
        (slice_mut(&mut self.out), slice(&self.a))
    }

    fn array(&self) -> ndarray::ArrayView2<'_, f32> {
        ndarray::ArrayView2::from_shape(self.a.extents(), slice(&self.a)).expect("a matrix")
    }

    /// Compares the outputs with the sums of `n` elements each.
    fn check(&self, want: &[f64], n: usize) -> Result<(), String> {
        let mut pairs = slice(&self.out).iter().zip(want).enumerate();
        pairs.try_for_each(|(i, (got, want))| near(&format!("the sum {i}"), *got, *want, n))
    }
}

fn contiguous(setup: &Setup, n: usize) -> Made {
    let (data, work) = Matrix::new(setup, n, |[rows, _]| rows)?;
    let want: Vec<f64> =
        slice(&data.a).chunks_exact(COLUMNS).map(|row| row.iter().map(|x| x.wide()).sum()).collect();
    let threads = setup.space.clone();
    let lineup = Lineup::new(data, work, move |data, (): &()| data.check(&want, COLUMNS))
        .reset(|data: &mut Matrix| slice_mut(&mut data.out).fill(-1.0))
        .with("Spelt", move |data| {
            sum_axes(&threads, &data.a, [1], &mut data.out).expect("the extents are right");
        })
        .with("plain", |data| {
            let (out, a) = data.split();
            out.iter_mut().zip(a.chunks_exact(COLUMNS)).for_each(|(out, row)| *out = row.iter().sum());
        })
        .with("rayon", |data| {
            let (out, a) = data.split();
            out.par_iter_mut()
                .zip(a.par_chunks_exact(COLUMNS))
                .for_each(|(out, row)| *out = row.iter().sum());
        })
        .with("ndarray", |data| {
            let sums = data.array().sum_axis(ndarray::Axis(1));
            ndarray::ArrayViewMut1::from(slice_mut(&mut data.out)).assign(&sums);
        })
        .with_limit(&setup.limit, |limit, data| {
            let (out, a) = data.split();
            limit.rows(a, COLUMNS, out);
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(slice(&data.a)));
        });
    Ok(Box::new(lineup))
}

fn add(sums: &mut [f32], row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += *x);
}

fn leading(setup: &Setup, n: usize) -> Made {
    let (data, work) = Matrix::new(setup, n, |[_, columns]| columns)?;
    let rows = data.a.extents()[0];
    let mut want = vec![0.0; COLUMNS];
    for row in slice(&data.a).chunks_exact(COLUMNS) {
        want.iter_mut().zip(row).for_each(|(sum, x)| *sum += x.wide());
    }
    let threads = setup.space.clone();
    let lineup = Lineup::new(data, work, move |data, (): &()| data.check(&want, rows))
        .reset(|data: &mut Matrix| slice_mut(&mut data.out).fill(-1.0))
        .with("Spelt", move |data| {
            sum_axes(&threads, &data.a, [0], &mut data.out).expect("the extents are right");
        })
        .with("plain", |data| {
            let (out, a) = data.split();
            out.fill(0.0);
            a.chunks_exact(COLUMNS).for_each(|row| add(out, row));
        })
        .with("rayon", move |data| {
            let (out, a) = data.split();
            let share = rows.div_ceil(rayon::current_num_threads()) * COLUMNS;
            let parts = a.par_chunks(share).map(|part| {
                let mut sums = vec![0.0; COLUMNS];
                part.chunks_exact(COLUMNS).for_each(|row| add(&mut sums, row));
                sums
            });
            let sums = parts.reduce_with(|mut sums, more| {
                add(&mut sums, &more);
                sums
            });
            out.copy_from_slice(&sums.expect("there are rows"));
        })
        .with("ndarray", |data| {
            let sums = data.array().sum_axis(ndarray::Axis(0));
            ndarray::ArrayViewMut1::from(slice_mut(&mut data.out)).assign(&sums);
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(slice(&data.a)));
        });
    Ok(Box::new(lineup))
}
