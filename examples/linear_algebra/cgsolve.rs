//! Conjugate gradients on a tridiagonal matrix, 2 on the diagonal and -1 beside it, each step a launch. The solution is known, and the program
//! compares it.
//!
//! The same program as Kokkos's exercise kokkoskernels/CGSolve, which calls a library. Kokkos's solution differs from run to run. To run this one:
//! ```text
//! cargo run --release --example cgsolve -- -N 1024 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod sparse;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;

use common::{CRandom, CommandLine, general, say, wrong, wrong_result};
use sparse::{MAX_ROWS, Matrix, dot, norm};

/// The residual at which the iteration ends.
const TOLERANCE: f64 = 1e-4;

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "", "the number of rows; default 1024", "COUNT");
    let line = CommandLine::parse("Conjugate gradients on a tridiagonal matrix", 0, options);
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
    let mut random = CRandom::new(1);
    let solution = (0..n).map(|_| random.fraction()).collect();
    let mut solution = View::from_vec("xx", [n], solution)?.to_space(space)?;
    let mut b = space.zeros::<f64, 1>("b", [n])?;
    a.times(space, &solution, &mut b)?;

    let timer = Timer::new(space)?;
    let mut parts = [0.0; 4];
    let mut part = Timer::new(space)?;
    let mut x = space.zeros::<f64, 1>("x", [n])?;
    let mut image = space.zeros::<f64, 1>("A p", [n])?;
    let mut r = b.to_space(space)?;
    a.times(space, &x, &mut image)?;
    add(space, -1.0, &image, &mut r)?;
    let mut square = dot(space, &r, &r)?;
    lap(&mut part, &mut parts[0])?;
    let mut p = r.to_space(space)?;
    lap(&mut part, &mut parts[1])?;
    let mut iterations = 0;
    let (tolerance, residual) = (general(TOLERANCE), general(square.sqrt()));
    say!("tolerance({tolerance}), norm_res({residual}), k({iterations}), N({n})\n");
    while square.sqrt() > TOLERANCE && iterations < n {
        part.reset()?;
        a.times(space, &p, &mut image)?;
        let length = square / dot(space, &p, &image)?;
        lap(&mut part, &mut parts[2])?;
        add(space, length, &p, &mut x)?;
        add(space, -length, &image, &mut r)?;
        let next = dot(space, &r, &r)?;
        let old = next / square;
        parallel_for("axpby", space.range(0..n), (&r, &mut p, old), move |i, (r, mut p, old)| {
            p[i] = r[i] + old * p[i]
        })?;
        square = next;
        iterations += 1;
        lap(&mut part, &mut parts[3])?;
    }
    let seconds = timer.seconds()?;

    add(space, -1.0, &x, &mut solution)?;
    let error = norm(space, &solution)?;
    let residual = square.sqrt();
    say!(
        "    Results: N( {n} ), time( {} s ), iterations( {iterations} ), final norm_res({}), norm_res({}), tolerance({tolerance})",
        general(seconds),
        general(error),
        general(residual)
    );
    for (number, seconds) in (1..).zip(parts) {
        say!(", time part{number}( {} s )", general(seconds));
    }
    say!("\n");
    // The smallest eigenvalue of the matrix, by which the residual may be smaller than the error.
    let least = 4.0 * (std::f64::consts::FRAC_PI_2 / (n + 1) as f64).sin().powi(2);
    // The residual is computed by sums, which the roundings of all elements leave.
    let bound = 1.1 * (residual + 1e-14 * n as f64) / least;
    if error > bound || error.is_nan() {
        return Err(wrong_result(format!(
            "after {iterations} iterations the error is {error:e}, and more than {bound:e}"
        )));
    }
    Ok(())
}

/// Adds `factor` times `x` to `y`.
fn add<S: ExecutionSpace>(
    space: &S,
    factor: f64,
    x: &View<f64, 1, S::Memory>,
    y: &mut View<f64, 1, S::Memory>,
) -> spelt::Result<()> {
    parallel_for("axpy", space.range(0..x.len()), (x, y, factor), move |i, (x, mut y, factor)| {
        y[i] += factor * x[i]
    })
}

/// Adds the time since the last call to `sum`.
fn lap<S: ExecutionSpace>(timer: &mut Timer<'_, S>, sum: &mut f64) -> spelt::Result<()> {
    *sum += timer.seconds()?;
    timer.reset()
}
