//! Subviews: parts of a View, such as one row of a matrix, without a copy.
//!
//! Computes y^T * A * x as `exercise_03` does. Host code takes the rows of A by `subview_mut`; a kernel takes them by
//! `by_rows`, where a row is a slice and needs no check.
//!
//! The same program as Kokkos's exercise subview. Sizes are powers of two:
//! ```text
//! cargo run --release --example subview -- -N 12 -M 10 -nrepeat 100 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;

use common::Sizes;

fn main() -> ExitCode {
    let sizes = Sizes::from_command_line("y^T * A * x by rows of A");
    common::exit_code(with_space!(sizes.space, |space| run(&space, &sizes)))
}

fn run<S: ExecutionSpace>(space: &S, sizes: &Sizes) -> spelt::Result<()> {
    let &Sizes { n, m, nrepeat, .. } = sizes;

    // Allocate the vectors y and x and the matrix A, and mirrors on the host.
    let mut y = space.zeros_in::<f64, 1, _>(Right, "y", [n])?;
    let mut x = space.zeros_in::<f64, 1, _>(Right, "x", [m])?;
    let mut a = space.zeros_in::<f64, 2, _>(Right, "A", [n, m])?;
    let mut h_y = y.host_mirror()?;
    let mut h_x = x.host_mirror()?;
    let mut h_a = a.host_mirror()?;

    // Initialize y and x on the host.
    h_y.fill(1.0);
    h_x.fill(1.0);

    // Initialize A on the host: row j is a View of rank 1, as long as the first one is borrowed.
    for j in 0..n {
        let mut row_j = h_a.subview_mut((j, All));
        for i in 0..m {
            row_j[i] = 1.0;
        }
    }

    // Copy the mirrors to where the kernels run.
    deep_copy(&mut y, &h_y)?;
    deep_copy(&mut x, &h_x)?;
    deep_copy(&mut a, &h_a)?;

    let timer = Instant::now();
    for repeat in 0..nrepeat {
        // Application: <y,Ax> = y^T*A*x, with row j of A as a slice.
        let result = parallel_reduce(
            "yAx",
            space.range(0..n),
            (&y, a.by_rows(), x.lookup()),
            |j, update, (y, a, x)| {
                let row_j = &a[j];
                let mut temp2 = 0.0;
                for (a, x) in row_j.iter().zip(x.as_slice()) {
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
