//! Exercise 2: Views.
//!
//! Computes y^T * A * x as `exercise_01` does, with Views that the space makes: they own their memory, and the threads
//! that will work on a part of it touch that part first. Host code reads and writes them by index, as a slice or by rows.
//!
//! The same program as Kokkos's exercise 02. Sizes are powers of two:
//! ```text
//! cargo run --release --example exercise_02 -- -N 12 -M 10 -nrepeat 100 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;

use common::Sizes;

fn main() -> ExitCode {
    let sizes = Sizes::from_command_line("y^T * A * x over Views");
    common::exit_code(with_space!(sizes.space, |space| run(&space, &sizes)))
}

fn run<S: ExecutionSpace>(space: &S, sizes: &Sizes) -> spelt::Result<()> {
    let &Sizes { n, m, nrepeat, .. } = sizes;

    // Allocate the vectors y and x and the matrix A where both kernels and the host reach them.
    let mut y = space.shared_zeros::<f64, 1>("y", [n])?;
    let mut x = space.shared_zeros::<f64, 1>("x", [m])?;
    let mut a = space.shared_zeros::<f64, 2>("A", [n, m])?;

    // Initialize y on the host.
    for i in 0..n {
        y[i] = 1.0;
    }

    // Initialize x on the host.
    for i in 0..m {
        x[i] = 1.0;
    }

    // Initialize A on the host.
    for j in 0..n {
        for i in 0..m {
            a[[j, i]] = 1.0;
        }
    }

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
