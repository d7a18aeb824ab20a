//! A sparse system solved by Gauss-Seidel sweeps: the rows are coloured so that rows of one colour do not read each other, and each sweep
//! relaxes one colour after the other.
//!
//! The matrix is random, with about 20 elements in each row, and its diagonal dominates.
//!
//! The same program as Kokkos's exercise kokkoskernels/GaussSeidel, which calls a library, with the number of rows and the tolerance as
//! options. It also prints the number of colours:
//! ```text
//! cargo run --release --example gauss_seidel -- -N 10000 -tolerance 1e-6 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod sparse;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::random::Random;

use common::{CommandLine, general, say, wrong, wrong_result};
use sparse::{GaussSeidel, MAX_ROWS, Matrix, norm};

/// Elements of a row beside the diagonal lie within this distance of it. Unit: columns.
const BAND: usize = 50;
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
    let line = CommandLine::parse("Gauss-Seidel sweeps by colours", 0, options);
    let (n, tolerance) = (line.option("N").unwrap_or(10_000), line.option("tolerance").unwrap_or(1e-6));
    if !(1..=MAX_ROWS).contains(&n) {
        wrong(format!("-N `{n}`: there are from 1 to {MAX_ROWS} rows"));
    }
    if !(1e-14..1.0).contains(&tolerance) {
        wrong(format!("-tolerance `{tolerance}`: give a number from 1e-14 to 1"));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, n, tolerance)))
}

fn run<S: ExecutionSpace>(space: &S, n: usize, tolerance: f64) -> spelt::Result<()> {
    let matrix = Matrix::from_rows(space, &dominant(n))?;
    say!("Generated a matrix with {n} rows/cols, and {} entries.\n", matrix.columns.len());
    let method = GaussSeidel::new(space, &matrix)?;
    say!("Rows have {} colors.\n", method.colors());

    let random = Random::new(2);
    let b = space.view_from_fn("b", [n], move |[i]| 3.0 * random.at(i).f64())?;
    let b = method.ordered(space, &b)?;
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
            return Ok(());
        }
    }
    Err(wrong_result(format!("after {MAX_SWEEPS} sweeps the scaled residual is above {tolerance}")))
}

/// The rows of a random matrix: 18 to 22 elements near the diagonal, where there is room, and on the diagonal 1.05 times the sum of
/// their magnitudes.
fn dominant(n: usize) -> Vec<Vec<(u32, f64)>> {
    let random = Random::new(1);
    (0..n)
        .map(|i| {
            let mut draws = random.at(i);
            let band = i.saturating_sub(BAND)..(i + BAND).min(n);
            let count = draws.range(17..22_usize).min(band.len() - 1);
            let mut row: Vec<(u32, f64)> = Vec::new();
            while row.len() < count {
                let column = draws.range(band.clone());
                if column != i && row.iter().all(|(other, _)| *other as usize != column) {
                    row.push((column as u32, draws.range(-50.0..50.0)));
                }
            }
            let sum: f64 = row.iter().map(|(_, value)| value.abs()).sum();
            // A row without neighbours has 1 there.
            row.push((i as u32, if row.is_empty() { 1.0 } else { 1.05 * sum }));
            row.sort_by_key(|(column, _)| *column);
            row
        })
        .collect()
}
