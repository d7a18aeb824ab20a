//! A sparse system solved by Gauss-Seidel sweeps: the rows are coloured so that rows of one colour do not read each other, and each sweep
//! relaxes one colour after the other.
//!
//! The matrix is random, with 20 elements in each row, and its diagonal dominates.
//!
//! The same program as Kokkos's exercise kokkoskernels/GaussSeidel, which calls a library, with the number of rows and the tolerance as
//! options. The matrix and the right side are those of the exercise, number by number, where the C library is GNU's. Its residuals depend on
//! the colours: those here are by default as Kokkos has them on its space Serial, and the lines are the same on every space. (On others
//! Kokkos colours in parallel, with other colours in each run.) `-coloring random` colours in parallel, the same on every space. After the
//! lines of the exercise comes the number of colours:
//! ```text
//! cargo run --release --example gauss_seidel -- -N 10000 -tolerance 1e-6 -coloring random -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod sparse;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::random::Random;

use common::{CRandom, CommandLine, general, say, wrong, wrong_result};
use sparse::{GaussSeidel, MAX_ROWS, Matrix, Order, norm};

/// The seed of Kokkos's generator.
const SEED: u32 = 13_721;
/// The mean number of elements of a row.
const ELEMENTS: i64 = 20;
/// Columns of a row lie within half of this from the diagonal, at most; those beyond an end of the matrix continue at the other.
const BAND: f64 = 100.0;
/// The most sweeps.
const MAX_SWEEPS: usize = 1000;

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "", "the number of rows; default 10000", "COUNT");
    options.optopt(
        "",
        "tolerance",
        "the residual over the first one that is small enough; default 1e-6",
        "PART",
    );
    options.optopt(
        "",
        "coloring",
        "which rows take their colours first: `rows`, in their order, by a loop on the host as Kokkos has it on its space Serial (the default), or `random`, in parallel",
        "ORDER",
    );
    let line = CommandLine::parse("Gauss-Seidel sweeps by colours", 0, options);
    let coloring = match line.option::<String>("coloring").as_deref() {
        None | Some("rows") => Order::Rows,
        Some("random") => Order::Random(Random::new(1)),
        Some(other) => wrong(format!("-coloring `{other}`: give `rows` or `random`")),
    };
    let (n, tolerance) = (line.option("N").unwrap_or(10_000), line.option("tolerance").unwrap_or(1e-6));
    if !(1..=MAX_ROWS).contains(&n) {
        wrong(format!("-N `{n}`: there are from 1 to {MAX_ROWS} rows"));
    }
    if !(1e-14..1.0).contains(&tolerance) {
        wrong(format!("-tolerance `{tolerance}`: give a number from 1e-14 to 1"));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, n, tolerance, coloring)))
}

fn run<S: ExecutionSpace>(space: &S, n: usize, tolerance: f64, coloring: Order) -> spelt::Result<()> {
    let mut random = CRandom::new(SEED);
    let matrix = Matrix::from_rows(space, &dominant(n, &mut random))?;
    say!("Generated a matrix with {n} rows/cols, and {} entries.\n", matrix.columns.len());
    let method = GaussSeidel::new(space, &matrix, coloring)?;

    let b: Vec<f64> = (0..n).map(|_| 3.0 * random.fraction()).collect();
    let b = method.ordered(space, &View::from_vec("b", [n], b)?.to_space(space)?)?;
    let mut x = space.zeros::<f64, 1>("x", [n])?;
    let mut residual = space.zeros::<f64, 1>("residual", [n])?;
    let first = norm(space, &b)?;
    for sweep in 1..=MAX_SWEEPS {
        method.sweep(space, &b, &mut x)?;
        method.matrix.times(space, &x, &mut residual)?;
        parallel_for("residual", space.range(0..n), (&b, &mut residual), move |i, (b, mut residual)| {
            residual[i] -= b[i]
        })?;
        let scaled = norm(space, &residual)? / first;
        say!("Iteration {sweep} scaled residual norm: {}\n", general(scaled));
        if scaled <= tolerance {
            say!("SUCCESS: converged in {sweep} iterations.\n");
            say!("Rows have {} colors.\n", method.colors());
            return Ok(());
        }
    }
    Err(wrong_result(format!("after {MAX_SWEEPS} sweeps the scaled residual is above {tolerance}")))
}

/// The rows of Kokkos Kernels' `kk_generate_diagonally_dominant_sparse_matrix`, drawn in its order: 19 to 21 elements, or as many as there
/// are columns, and on the diagonal 1.05 times the sum of the others' magnitudes.
fn dominant(n: usize, random: &mut CRandom) -> Vec<Vec<(u32, f64)>> {
    // Fractions are cut off towards 0. So a number of elements differs from the mean only at the ends of the generator's range.
    let counts: Vec<usize> =
        (0..n).map(|_| ((ELEMENTS + (2.0 * (random.fraction() - 0.5)) as i64) as usize).min(n)).collect();
    let rows = counts.into_iter().enumerate().map(|(i, count)| {
        let mut row: Vec<(u32, f64)> = Vec::with_capacity(count);
        while row.len() + 1 < count {
            let place = (BAND * (random.fraction() - 0.5) + i as f64) as i64;
            let column = place.rem_euclid(n as i64) as u32;
            if column as usize != i && row.iter().all(|(other, _)| *other != column) {
                let value = 100.0 * f64::from(random.next()) / f64::from(CRandom::MAX) - 50.0;
                row.push((column, value));
            }
        }
        let sum: f64 = row.iter().map(|(_, value)| value.abs()).sum();
        // A row without neighbours has 1 there.
        row.push((i as u32, if row.is_empty() { 1.0 } else { 1.05 * sum }));
        row.sort_by_key(|(column, _)| *column);
        row
    });
    rows.collect()
}
