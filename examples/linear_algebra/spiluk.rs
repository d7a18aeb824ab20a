//! Incomplete factors L and U of a sparse matrix, ILU(k): a symbolic phase on the host finds the elements of factors with fill up to level k,
//! and which rows do not need each other; a numeric one computes the rows, level by level.
//!
//! The matrix is the Laplacian on a grid, whose rows add up to 0. The product L U must have the elements of the matrix where that has any.
//!
//! The same program as Kokkos's exercise kokkoskernels/SpILUK, which calls a library. A range over the rows of a level (`lvlrp`) and a team for each row (`lvltp1`) have the same bits:
//! ```text
//! cargo run --release --example spiluk -- -nx 10 -ny 10 -k 0 -algo lvltp1 -ts -1 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod factorization;
mod sparse;

use std::process::ExitCode;

use spelt::prelude::*;

use common::{CommandLine, say, with_digits};
use factorization::{Problem, Program};

fn main() -> ExitCode {
    let line = CommandLine::parse("ILU(k) of the Laplacian on a grid", 0, Problem::options("algo"));
    let problem = Problem::read(&line, "algo");
    common::exit_code(with_space!(line.space(), |space| run(&space, &problem)))
}

fn run<S: ExecutionSpace>(space: &S, problem: &Problem) -> spelt::Result<()> {
    let a = problem.matrix(space, Program::Factors)?;
    let factors = problem.factors(space, &a, Program::Factors, || ())?;

    let n = a.rows();
    let ones = space.view_from_fn("e_one", [n], |_| 1.0)?;
    let mut product = space.zeros::<f64, 1>("A e", [n])?;
    let mut upper = space.zeros::<f64, 1>("U e", [n])?;
    let mut both = space.zeros::<f64, 1>("L U e", [n])?;
    a.times(space, &ones, &mut product)?;
    factors.times(space, &ones, &mut upper, &mut both)?;
    parallel_for("difference", space.range(0..n), (&product, &mut both), move |i, (product, mut both)| {
        both[i] -= product[i]
    })?;
    let difference = sparse::norm(space, &both)?;
    say!("Row-sum difference: nrm2(A*e-L*U*e) = {}\n", with_digits(difference, 15));
    Ok(())
}
