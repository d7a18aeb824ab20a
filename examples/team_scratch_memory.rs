//! Scratch memory, which the threads of a team share close to them.
//!
//! Computes y^T * A * x for E elements as `team_vector_loop` does; each team first copies its vector x to its scratch
//! memory. On a GPU that is fast memory on the chip; on a host it lies in the cache anyway.
//!
//! The same program as Kokkos's exercise team_scratch_memory. Sizes are powers of two; the defaults take 2 GiB:
//! ```text
//! cargo run --release --example team_scratch_memory -- -E 10 -N 8 -M 10 -nrepeat 100 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;

use common::Sizes;

fn main() -> ExitCode {
    let sizes = Sizes::with_elements("y^T * A * x for many elements, with x in scratch memory");
    common::exit_code(with_space!(sizes.space, |space| run(&space, &sizes)))
}

fn run<S: ExecutionSpace>(space: &S, sizes: &Sizes) -> spelt::Result<()> {
    let &Sizes { n, m, e, nrepeat, .. } = sizes;

    // Allocate the vectors y and x and the matrices A, and mirrors on the host.
    let mut y = space.zeros::<f64, 2>("y", [e, n])?;
    let mut x = space.zeros::<f64, 2>("x", [e, m])?;
    let mut a = space.zeros::<f64, 3>("A", [e, n, m])?;
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
    // The mirrors have the extents of the Views.
    drop((h_y, h_x, h_a));

    let timer = Instant::now();
    for repeat in 0..nrepeat {
        // Application: <y,Ax> = y^T*A*x for each element, with scratch memory for one vector x per team.
        let result = parallel_reduce(
            "yAx",
            space.team(e, AUTO).vector(32).scratch(m * size_of::<f64>(), 0),
            (&y, &a, x.lookup()),
            move |team, (y, a, x)| {
                let e = team.league_rank();
                // The team's threads fill the scratch together; all of it is there when the closure begins.
                let temp_n = team.with_scratch(
                    m,
                    |i| x[[e, i]],
                    |team, s_x| {
                        team.parallel_reduce(
                            team.thread_range(n),
                            |mut thread, inner_update_n| {
                                let temp_m = thread.parallel_reduce(
                                    thread.vector_range(m),
                                    |eji, inner_update_m| *inner_update_m += a[eji] * s_x[eji.inner()],
                                    Sum::<f64>::new(),
                                );
                                *inner_update_n += y[[e, thread.index()]] * temp_m;
                            },
                            Sum::<f64>::new(),
                        )
                    },
                );
                // Counts once, regardless of the team's size.
                team.contribute(temp_n);
            },
            Sum::<f64>::new(),
        )?;
        sizes.check(repeat, result);
    }
    sizes.report(timer.elapsed().as_secs_f64());
    Ok(())
}
