//! Policies of several dimensions.
//!
//! Computes y^T * A * x as `exercise_03` does; y and x are initialised over ranges, and A over an `md_range` of rank 2,
//! whose witness indexes the matrix without a check.
//!
//! The same program as Kokkos's exercise mdrange. Sizes are powers of two:
//! ```text
//! cargo run --release --example mdrange -- -N 12 -M 10 -nrepeat 100 -space threads
//! ```
mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;

use common::Sizes;

fn main() -> ExitCode {
    let sizes = Sizes::from_command_line("y^T * A * x with A initialized over an md_range");
    common::exit_code(with_space!(sizes.space, |space| run(&space, &sizes)))
}

fn run<S: ExecutionSpace>(space: &S, sizes: &Sizes) -> spelt::Result<()> {
    let &Sizes { n, m, nrepeat, .. } = sizes;

    // Allocate the vectors y and x and the matrix A.
    let mut y = space.zeros::<f64, 1>("y", [n])?;
    let mut x = space.zeros::<f64, 1>("x", [m])?;
    let mut a = space.zeros::<f64, 2>("A", [n, m])?;

    // Initialize y, x and A by kernels.
    parallel_for("init_y", space.range(0..n), &mut y, |i, mut y| y[i] = 1.0)?;
    parallel_for("init_x", space.range(0..m), &mut x, |i, mut x| x[i] = 1.0)?;
    parallel_for("init_A", space.md_range([0..n, 0..m]), &mut a, |ji, mut a| a[ji] = 1.0)?;

    space.fence()?;
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
