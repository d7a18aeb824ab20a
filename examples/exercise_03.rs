//! Exercise 3: mirrors on the host, and `deep_copy`.
//!
//! Computes y^T * A * x as `exercise_02` does, but host code writes mirrors, which are then copied: kernels may run
//! where the host cannot reach the memory.
//!
//! The same program as Kokkos's exercise 03. Sizes are powers of two:
//! ```text
//! cargo run --release --example exercise_03 -- -N 12 -M 10 -nrepeat 100 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;

use common::Sizes;

fn main() -> ExitCode {
    let sizes = Sizes::from_command_line("y^T * A * x with mirrors on the host");
    common::exit_code(with_space!(sizes.space, |space| run(&space, &sizes)))
}

fn run<S: ExecutionSpace>(space: &S, sizes: &Sizes) -> spelt::Result<()> {
    let &Sizes { n, m, nrepeat, .. } = sizes;

    // Allocate the vectors y and x and the matrix A where the kernels run.
    let mut y = space.zeros::<f64, 1>("y", [n])?;
    let mut x = space.zeros::<f64, 1>("x", [m])?;
    let mut a = space.zeros::<f64, 2>("A", [n, m])?;

    // Create mirrors on the host.
    let mut h_y = y.host_mirror()?;
    let mut h_x = x.host_mirror()?;
    let mut h_a = a.host_mirror()?;

    // Initialize y on the host.
    for i in 0..n {
        h_y[i] = 1.0;
    }

    // Initialize x on the host.
    for i in 0..m {
        h_x[i] = 1.0;
    }

    // Initialize A on the host.
    for j in 0..n {
        for i in 0..m {
            h_a[[j, i]] = 1.0;
        }
    }

    // Copy the mirrors to where the kernels run.
    deep_copy(&mut y, &h_y)?;
    deep_copy(&mut x, &h_x)?;
    deep_copy(&mut a, &h_a)?;

    let timer = Instant::now();
    for repeat in 0..nrepeat {
        // Application: <y,Ax> = y^T*A*x.
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
