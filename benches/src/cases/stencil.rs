//! The five-point stencil on the interior of a square.

use ndarray::{Zip, s};
use rayon::prelude::*;
use spelt::prelude::*;

use super::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::Number;
use crate::setup::{Setup, slice, slice_mut};

/// Elements of the whole square: 32 to 5000 rows.
const SIZES: &[usize] = &[1_024, 10_000, 100_000, 1_000_000, 10_000_000, 25_000_000];

pub(super) const CASE: Case = Case {
    name: "stencil",
    hypothesis: "A neighbour that is checked once a launch leaves a vector loop over each row: level with slices cut by \
        hand and with Kokkos's fastest form, a range over rows, and ahead of its md_range.",
    size: "rows x rows",
    variants: &[Variant { name: "f64", width: 1, sizes: SIZES, race }],
};

struct Square {
    a: View<f64, 2>,
    y: View<f64, 2>,
}

/// One row of the result, of slices of one length.
#[inline(always)]
fn row_of(y: &mut [f64], above: &[f64], row: &[f64], below: &[f64]) {
    let n = y.len();
    let (above, row, below) = (&above[..n], &row[..n], &below[..n]);
    for j in 1..n - 1 {
        y[j] = above[j] + below[j] + row[j - 1] + row[j + 1] - 4.0 * row[j];
    }
}

/// Rows of the result with the three rows that each needs.
#[inline(always)]
fn rows_of(first: usize, y: &mut [f64], a: &[f64], side: usize) {
    let at = |row: usize| &a[row * side..(row + 1) * side];
    for (row, y) in (first..).zip(y.chunks_exact_mut(side)) {
        if row > 0 && row + 1 < side {
            row_of(y, at(row - 1), at(row), at(row + 1));
        }
    }
}

fn race(setup: &Setup, n: usize) -> Made {
    let side = n.isqrt();
    if side < 3 {
        return Err("a stencil needs three rows".to_owned());
    }
    let data = Square {
        a: setup.view("a", [side, side], move |[i, j]| f64::element(i * side + j + 1))?,
        y: setup.view("y", [side, side], |_| 0.0)?,
    };
    let (by_halo, checked) = (setup.space.clone(), setup.space.clone());
    let work = Work { bytes: 2 * side * side * size_of::<f64>(), elements: (side - 2) * (side - 2) };
    let check = move |data: &Square, (): &()| {
        let (a, y) = (&data.a, &data.y);
        for i in 1..side - 1 {
            for j in 1..side - 1 {
                let want = a[[i - 1, j]] + a[[i + 1, j]] + a[[i, j - 1]] + a[[i, j + 1]] - 4.0 * a[[i, j]];
                // Written so that NaN is wrong.
                let right = (y[[i, j]] - want).abs() < 1e-14;
                if !right {
                    return Err(format!("y[{i}, {j}] is {}, not {want}", y[[i, j]]));
                }
            }
        }
        Ok(())
    };
    let lineup = Lineup::new(data, work, check)
        .reset(|data| slice_mut(&mut data.y).fill(f64::NAN))
        .with("Spelt", move |data| {
            let inner = by_halo.md_range([1..side - 1, 1..side - 1]);
            parallel_for("stencil", inner, (data.a.halo::<1>(), &mut data.y), |i, (a, mut y)| {
                y[i] = a.at(i, [-1, 0]) + a.at(i, [1, 0]) + a.at(i, [0, -1]) + a.at(i, [0, 1]) - 4.0 * a[i];
            })
            .expect("the Views cover the box");
        })
        .with("Spelt checked", move |data| {
            let inner = checked.md_range([1..side - 1, 1..side - 1]);
            parallel_for("stencil", inner, (&data.a, &mut data.y), |i, (a, mut y)| {
                let [r, c] = i.index();
                y[i] = a[[r - 1, c]] + a[[r + 1, c]] + a[[r, c - 1]] + a[[r, c + 1]] - 4.0 * a[i];
            })
            .expect("the Views cover the box");
        })
        .with("plain", move |data| rows_of(0, slice_mut(&mut data.y), slice(&data.a), side))
        .with("rayon", move |data| {
            let (y, a) = (slice_mut(&mut data.y), slice(&data.a));
            y.par_chunks_mut(side).enumerate().for_each(|(row, y)| rows_of(row, y, a, side));
        })
        .with("ndarray", move |data| {
            let (shape, last) = ((side, side), side - 1);
            let a = ndarray::ArrayView2::from_shape(shape, slice(&data.a)).expect("a square");
            let mut y = ndarray::ArrayViewMut2::from_shape(shape, slice_mut(&mut data.y)).expect("a square");
            Zip::from(y.slice_mut(s![1..last, 1..last]))
                .and(a.slice(s![..last - 1, 1..last]))
                .and(a.slice(s![2.., 1..last]))
                .and(a.slice(s![1..last, ..last - 1]))
                .and(a.slice(s![1..last, 2..]))
                .and(a.slice(s![1..last, 1..last]))
                .for_each(|y, above, below, left, right, here| {
                    *y = above + below + left + right - 4.0 * here
                });
        })
        .with_limit(&setup.limit, move |limit, data| {
            limit.stencil(slice_mut(&mut data.y), slice(&data.a), side, 4.0);
        })
        .with_remote("Kokkos", setup.peer("stencil", "f64", n))
        .with_remote("Kokkos rows", setup.peer("stencil_rows", "f64", n));
    Ok(Box::new(lineup))
}
