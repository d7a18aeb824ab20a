//! Two levels of parallelism: a team for each row, whose threads share the columns.
//!
//! Computes y^T * A * x as `exercise_03` does. The nested reduction yields pairs (row, column), which index A without
//! a check, and runs several columns at a time, which the loop of the other exercises cannot.
//!
//! The same program as Kokkos's exercise team_policy. Sizes are powers of two:
//! ```text
//! cargo run --release --example team_policy -- -N 12 -M 10 -nrepeat 100 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;

use common::Sizes;

fn main() -> ExitCode {
    let sizes = Sizes::from_command_line("y^T * A * x with a team for each row");
    common::exit_code(with_space!(sizes.space, |space| run(&space, &sizes)))
}

fn run<S: ExecutionSpace>(space: &S, sizes: &Sizes) -> spelt::Result<()> {
    let &Sizes { n, m, nrepeat, .. } = sizes;

    // Allocate the vectors y and x and the matrix A, and mirrors on the host.
    let mut y = space.zeros::<f64, 1>("y", [n])?;
    let mut x = space.zeros::<f64, 1>("x", [m])?;
    let mut a = space.zeros::<f64, 2>("A", [n, m])?;
    let mut h_y = y.host_mirror()?;
    let mut h_x = x.host_mirror()?;
    let mut h_a = a.host_mirror()?;

    // Initialize y, x and A on the host, and copy them to where the kernels run.
    h_y.fill(1.0);
    h_x.fill(1.0);
    h_a.fill(1.0);
    deep_copy(&mut y, &h_y)?;
    deep_copy(&mut x, &h_x)?;
    deep_copy(&mut a, &h_a)?;

    let timer = Instant::now();
    for repeat in 0..nrepeat {
        // Application: <y,Ax> = y^T*A*x.
        let result = parallel_reduce(
            "yAx",
            space.team(n, AUTO),
            (&y, &a, x.along::<1>()),
            move |team, (y, a, x)| {
                let temp2 = team.parallel_reduce(
                    team.thread_range(m),
                    |ji, inner_update| *inner_update += a[ji] * x[ji],
                    Sum::<f64>::new(),
                );
                // Counts once, regardless of the team's size.
                team.contribute(y[team.league_rank()] * temp2);
            },
            Sum::<f64>::new(),
        )?;
        sizes.check(repeat, result);
    }
    sizes.report(timer.elapsed().as_secs_f64());
    Ok(())
}
