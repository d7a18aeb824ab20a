//! The sum of each row of a matrix.

use rayon::prelude::*;
use spelt::prelude::*;

use super::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "rows",
    hypothesis: "A row is shorter than a launch, so rows are distributed, in blocks, and a nested reduction is a loop \
        in the caller: level with rayon over chunks and with Kokkos's fastest form, a range over rows with a loop \
        inside, at 8 numbers a row as at 100 000; Kokkos pays 1.5 ns a row for its teams.",
    size: "rows",
    variants: &[
        Variant { name: "8 columns", width: 8, sizes: &[125, 12_500, 1_000_000], race: race::<8> },
        Variant { name: "100 columns", width: 100, sizes: &[10, 1_000, 100_000], race: race::<100> },
        Variant { name: "1000 columns", width: 1000, sizes: &[1, 100, 10_000], race: race::<1000> },
        Variant { name: "100000 columns", width: 100000, sizes: &[1, 100], race: race::<100_000> },
    ],
};

struct Rows {
    a: View<f64, 2>,
    y: View<f64, 1>,
}

fn race<const W: usize>(setup: &Setup, rows: usize) -> Made {
    let data = Rows {
        a: setup.view("a", [rows, W], |[i, j]| f64::element(i * W + j + 1))?,
        y: setup.view("y", [rows], |_| 0.0)?,
    };
    let by_team = setup.space.clone();
    let by_range = setup.space.clone();
    let work = Work { bytes: (rows * W + rows) * size_of::<f64>(), elements: rows * W };
    let check = move |data: &Rows, (): &()| {
        for (i, (row, y)) in slice(&data.a).chunks_exact(W).zip(slice(&data.y)).enumerate() {
            near(&format!("the sum of row {i}"), *y, row.iter().sum(), W)?;
        }
        Ok(())
    };
    let lineup = Lineup::new(data, work, check)
        .reset(|data| slice_mut(&mut data.y).fill(-1.0))
        .with("Spelt", move |data| {
            parallel_for("rows", by_team.team(rows, AUTO), (&data.a, &mut data.y), |team, (a, mut y)| {
                let sum =
                    team.parallel_reduce(team.thread_range(W), |rj, sum| *sum += a[rj], Sum::<f64>::new());
                team.single(|row| y[row] = sum);
            })
            .expect("the Views cover the league");
        })
        .with("Spelt range", move |data| {
            parallel_for("rows", by_range.range(0..rows), (&data.a, &mut data.y), |i, (a, mut y)| {
                y[i] = a.row(i.get()).iter().sum();
            })
            .expect("the Views cover the range");
        })
        .with("plain", |data| {
            let (y, a) = (slice_mut(&mut data.y), slice(&data.a));
            y.iter_mut().zip(a.chunks_exact(W)).for_each(|(y, row)| *y = row.iter().sum());
        })
        .with("rayon", |data| {
            let (y, a) = (slice_mut(&mut data.y), slice(&data.a));
            y.par_iter_mut().zip(a.par_chunks_exact(W)).for_each(|(y, row)| *y = row.iter().sum());
        })
        .with("ndarray", move |data| {
            let (y, a) = (slice_mut(&mut data.y), slice(&data.a));
            let a = ndarray::ArrayView2::from_shape((rows, W), a).expect("a matrix");
            ndarray::Zip::from(ndarray::ArrayViewMut1::from(y))
                .and(a.rows())
                .for_each(|y, row| *y = row.sum());
        })
        .with_limit(&setup.limit, |limit, data| {
            limit.rows(slice(&data.a), W, slice_mut(&mut data.y));
        })
        .with_remote("Kokkos", setup.peer(format!("rows{W}_team"), "f64", rows))
        .with_remote("Kokkos range", setup.peer(format!("rows{W}"), "f64", rows));
    Ok(Box::new(lineup))
}
