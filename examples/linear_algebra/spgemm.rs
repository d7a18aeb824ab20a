//! The product of two sparse matrices: C = A * A, in a symbolic phase that finds the columns of each row and a numeric one for the values.
//!
//! A is tridiagonal, 2 on the diagonal and -1 beside it. The product is checked by vectors: C * x is A * (A * x), for integers exactly.
//!
//! The same program as Kokkos's exercise kokkoskernels/SpGEMM, which calls a library. It also prints the number of elements of C:
//! ```text
//! cargo run --release --example spgemm -- -N 1024 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod sparse;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;

use common::{CommandLine, general, say, wrong, wrong_result};
use sparse::{MAX_ROWS, Matrix, numeric, symbolic};

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "", "the number of rows; default 1024", "COUNT");
    let line = CommandLine::parse("C = A * A for a sparse matrix A", 0, options);
    let n = line.user_option("N").unwrap_or(1024);
    if !(1..=MAX_ROWS).contains(&n) {
        wrong(format!("-N `{n}`: there are from 1 to {MAX_ROWS} rows"));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, n)))
}

fn run<S: ExecutionSpace>(space: &S, n: usize) -> spelt::Result<()> {
    // A grid of one row.
    let a = Matrix::of_grid(space, [n, 1], |[i, _], [j, _]| if i == j { 2.0 } else { -1.0 })?;
    say!("  Number of Rows N = {n}, Number of Cols N = {n}, Total nnz = {}\n", a.columns.len());

    let timer = Timer::new(space)?;
    let columns = symbolic(space, &a.columns, &a.columns)?;
    let symbolic = timer.seconds()?;
    let timer = Timer::new(space)?;
    let c = numeric(space, &a, &a, columns)?;
    let numeric = timer.seconds()?;

    let x = space.view_from_fn("x", [n], |[i]| (i * i % 1009) as f64)?;
    let [mut once, mut twice, mut product] =
        [space.zeros::<f64, 1>("A x", [n])?, space.zeros("A A x", [n])?, space.zeros("C x", [n])?];
    a.times(space, &x, &mut once)?;
    a.times(space, &once, &mut twice)?;
    c.times(space, &x, &mut product)?;
    let (found, wanted) = (product.to_host()?, twice.to_host()?);
    if let Some(i) = (0..n).find(|&i| found[i] != wanted[i]) {
        return Err(wrong_result(format!("row {i} of C x is {}, but A A x has {}", found[i], wanted[i])));
    }
    say!(
        "    Results: N( {n} ), overall spgemm time( {} s ), symbolic time( {} s ), numeric time( {} s )\n",
        general(symbolic + numeric),
        general(symbolic),
        general(numeric)
    );
    say!("    nnz of C: {}\n", c.columns.len());
    Ok(())
}
