//! Conjugate gradients on the Laplacian of a grid, preconditioned by its incomplete factors: each iteration solves two triangular systems,
//! level by level.
//!
//! The solution is known but for a constant, since the rows of the matrix add up to 0, and the program compares it.
//!
//! The same program as Kokkos's exercise kokkoskernels/CGSolve_SpILUKprecond, which calls a library, with the same random numbers. Factors and solutions are computed by ranges over the rows of a level (`lvlrp`), or by a team for each
//! row (`lvltp1`):
//! ```text
//! cargo run --release --example cgsolve_spiluk -- -nx 10 -ny 10 -k 0 -prec 1 -algospiluk lvltp1 -algosptrsv lvltp1 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod factorization;
mod sparse;

use std::process::ExitCode;

use spelt::prelude::*;

use common::{CRandom, CommandLine, general, say, wrong, wrong_result};
use factorization::{Algorithm, Problem, Program};
use sparse::{Factors, Matrix, dot};

/// The residual, in the norm of the preconditioner, at which the iteration ends.
const TOLERANCE: f64 = 1e-10;

/// A vector of the system.
type Vector<S> = View<f64, 1, <S as ExecutionSpace>::Memory>;

fn main() -> ExitCode {
    let mut options = Problem::options("algospiluk");
    Algorithm::option(&mut options, "algosptrsv", "the triangular systems");
    options.optopt("", "prec", "1: with the preconditioner, 0: without; default 0", "FLAG");
    let line = CommandLine::parse("Conjugate gradients, preconditioned by ILU(k)", 0, options);
    let problem = Problem::read(&line, "algospiluk");
    let solver = Algorithm::read(&line, "algosptrsv");
    let flag = line.option("prec").unwrap_or(0_u32);
    if line.option::<u32>("prec").is_some() {
        say!("  User's preconditioning flag is {flag}\n");
    }
    if flag > 1 {
        wrong(format!("-prec `{flag}`: choose 0 or 1"));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, &problem, solver, flag == 1)))
}

fn run<S: ExecutionSpace>(
    space: &S,
    problem: &Problem,
    solver: Algorithm,
    precondition: bool,
) -> spelt::Result<()> {
    let a = problem.matrix(space, Program::Solver)?;
    let factors = problem.factors(space, &a, Program::Solver, || {
        for factor in ["L", "U"] {
            say!("Create SPTRSV handle for {factor} ...\n");
            solver.print("");
        }
    })?;
    let n = a.rows();
    let mut random = CRandom::new(12_345);
    let solution = (0..n).map(|_| random.fraction()).collect();
    let solution = View::from_vec("xx", [n], solution)?.to_space(space)?;
    let mut b = space.zeros::<f64, 1>("b", [n])?;
    a.times(space, &solution, &mut b)?;

    let timer = Timer::new(space)?;
    let (x, iterations, residual) = solve(space, &a, precondition.then_some((&factors, solver)), &b)?;
    let seconds = timer.seconds()?;
    say!(
        "    Results: N ({n}), time ({} s), iterations ({iterations}), norm_res({residual:.20})\n",
        general(seconds)
    );
    if residual.is_nan() {
        return Err(wrong_result(format!(
            "after {iterations} iterations the residual is not a number: the matrix is singular, and so are its factors with \
             all of their fill; choose a smaller -k"
        )));
    }
    let sum = parallel_map_reduce(
        "constant",
        space.range(0..n),
        (&x, &solution),
        move |i, (x, solution)| x[i] - solution[i],
        Sum::<f64>::new(),
    )?;
    let error = parallel_map_reduce(
        "error",
        space.range(0..n),
        (&x, &solution, sum / n as f64),
        move |i, (x, solution, constant)| (x[i] - solution[i] - constant).abs(),
        Sum::<f64>::new(),
    )?;
    // The error of an element is the residual times the condition of the matrix, which grows with the length of the grid.
    let bound = TOLERANCE * (n * (problem.grid[0] + problem.grid[1]).pow(2)) as f64;
    if error > bound || error.is_nan() {
        return Err(wrong_result(format!("after {iterations} iterations the sum of errors is {error:e}")));
    }
    Ok(())
}

/// The solution of A x = b from 0 on, the number of iterations, and the last residual.
fn solve<S: ExecutionSpace>(
    space: &S,
    a: &Matrix<S::Memory>,
    factors: Option<(&Factors<S::Memory>, Algorithm)>,
    b: &Vector<S>,
) -> spelt::Result<(Vector<S>, usize, f64)> {
    let n = a.rows();
    let zeros = |label: &str| space.zeros::<f64, 1>(label, [n]);
    let (mut x, mut r, mut z) = (zeros("x")?, b.to_space(space)?, zeros("z")?);
    let (mut p, mut image, mut work) = (zeros("p")?, zeros("A p")?, zeros("work")?);
    let mut precondition = |r: &Vector<S>, z: &mut Vector<S>| match factors {
        Some((factors, Algorithm::Range)) => factors.solve(space, r, &mut work, z),
        Some((factors, Algorithm::Teams(size))) => factors.solve_by_teams(space, size, r, &mut work, z),
        None => deep_copy(z, r),
    };
    precondition(&r, &mut z)?;
    deep_copy(&mut p, &z)?;
    let mut square = dot(space, &r, &z)?;
    let mut iterations = 0;
    while square.sqrt() > TOLERANCE && iterations < n {
        a.times(space, &p, &mut image)?;
        let length = square / dot(space, &p, &image)?;
        let args = (&mut x, &mut r, &p, &image, length);
        parallel_for("axpy", space.range(0..n), args, move |i, (mut x, mut r, p, image, length)| {
            x[i] += length * p[i];
            r[i] -= length * image[i];
        })?;
        precondition(&r, &mut z)?;
        let next = dot(space, &r, &z)?;
        let part = next / square;
        parallel_for("axpby", space.range(0..n), (&z, &mut p, part), move |i, (z, mut p, part)| {
            p[i] = z[i] + part * p[i]
        })?;
        square = next;
        iterations += 1;
    }
    Ok((x, iterations, square.sqrt()))
}
