//! Exercise 1: `parallel_for` and `parallel_reduce` over memory that the program already has.
//!
//! Computes y^T * A * x, a reduction over the rows of A with a loop over the columns inside. The vectors and the matrix
//! begin as plain `Vec`s, from which Views are made; Views that a space makes come in `exercise_02`.
//!
//! The same program as Kokkos's exercise 01. Sizes are powers of two:
//! ```text
//! cargo run --release --example exercise_01 -- -N 12 -M 10 -nrepeat 100 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;

use common::Sizes;

fn main() -> ExitCode {
    let sizes = Sizes::from_command_line("y^T * A * x over borrowed memory");
    common::exit_code(with_space!(sizes.space, |space| run(&space, &sizes)))
}

fn run<S: ExecutionSpace>(space: &S, sizes: &Sizes) -> spelt::Result<()> {
    let &Sizes { n, m, nrepeat, .. } = sizes;

    // Allocate the matrix A and the vectors y and x.
    let a = zeros(n * m)?;
    let y = zeros(n)?;
    let x = zeros(m)?;

    // Make them Views, where kernels run.
    let mut y = View::from_vec("y", [n], y)?.to_space(space)?;
    let mut x = View::from_vec("x", [m], x)?.to_space(space)?;
    let mut a = View::from_vec("A", [n, m], a)?.to_space(space)?;

    // Initialize y.
    parallel_for("y_init", space.range(0..n), &mut y, |i, mut y| y[i] = 1.0)?;

    // Initialize x.
    parallel_for("x_init", space.range(0..m), &mut x, |i, mut x| x[i] = 1.0)?;

    // Initialize A: iteration j has row j, as a slice.
    parallel_for("matrix_init", space.range(0..n), a.by_rows_mut(), |j, mut a| {
        for a in &mut a[j] {
            *a = 1.0;
        }
    })?;

    let timer = Instant::now();
    for repeat in 0..nrepeat {
        // Application: <y,Ax> = y^T*A*x. x is not indexed by rows: a kernel looks it up by any index.
        let result = parallel_reduce(
            "yAx",
            space.range(0..n),
            (&y, a.by_rows(), x.lookup()),
            |j, update, (y, a, x)| {
                let mut temp2 = 0.0;
                for (a, x) in a[j].iter().zip(x.as_slice()) {
                    temp2 += a * x;
                }
                *update += y[j] * temp2;
            },
            Sum::<f64>::new(),
        )?;
        sizes.check(repeat, result);
    }
    sizes.report(timer.elapsed().as_secs_f64());
    Ok(())
}

/// A `Vec` of zeros, or an error where `vec!` would end the program.
fn zeros(len: usize) -> spelt::Result<Vec<f64>> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(len).map_err(|error| {
        let message = format!("no memory for {len} numbers: choose smaller -N, -M or -S");
        spelt::Error::new(spelt::ErrorKind::OutOfMemory, message).with_source(error)
    })?;
    zeros.resize(len, 0.0);
    Ok(zeros)
}
