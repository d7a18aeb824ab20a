//! Kernels on several devices at the same time.
//!
//! Each device has Views of its own and computes y^T * A * x as `team_policy` does. On a host, two halves of the threads take the place of
//! devices. Results go into Views, so that a device need not wait until they are read.
//!
//! The same program as Kokkos's exercise multi_gpu_cuda, on all devices rather than the first and the last. The defaults take 0.8 GB on each:
//! ```text
//! cargo run --release --example multi_gpu -- -N 10000 -nrepeat 100 -space cuda
//! SPELT_EMULATOR_DEVICES=3 cargo spelt run --emulator --example multi_gpu -- -N 100 -nrepeat 2 -space cuda
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::{ExitCode, exit};
use std::thread;
use std::time::Instant;

use getopts::Options;
use spelt::SpaceChoice;
use spelt::prelude::*;

use common::{CommandLine, general, say, scientific};

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "Rows", "rows and columns of each matrix; default 10000", "N");
    options.optopt("", "nrepeat", "repetitions; default 100", "COUNT");
    let line = CommandLine::parse("y^T * A * x on several devices at the same time", 0, options);
    let (n, nrepeat) = (line.option("N").unwrap_or(10_000), line.option("nrepeat").unwrap_or(100));
    common::exit_code(match line.space() {
        #[cfg(feature = "cuda")]
        SpaceChoice::Cuda(_) => spelt::Cuda::all().and_then(|devices| run(&devices, n, nrepeat)),
        host => SpaceChoice::on_host(host)
            .and_then(|space| space.partition_by(&[1, 1]))
            .and_then(|halves| run(&halves, n, nrepeat)),
    })
}

/// The Views of one device.
struct Problem<S: ExecutionSpace> {
    y: View<f64, 1, S::Memory>,
    x: View<f64, 1, S::Memory>,
    a: View<f64, 2, S::Memory>,
    result: View<f64, 0, S::Memory>,
}

impl<S: ExecutionSpace> Problem<S> {
    fn new(space: &S, n: usize) -> spelt::Result<Self> {
        Ok(Self {
            y: space.zeros("y", [n])?,
            x: space.zeros("x", [n])?,
            a: space.zeros("A", [n, n])?,
            result: space.zeros("result", [])?,
        })
    }

    /// y^T * A * x of ones. All of it is work of the space's device.
    fn operation(&mut self, space: &S) -> spelt::Result<()> {
        let Self { y, x, a, result } = self;
        let n = y.len();
        space.fill(y, 1.0)?;
        space.fill(x, 1.0)?;
        space.fill(a, 1.0)?;
        parallel_reduce_into(
            "y^TAx",
            space.team(n, AUTO).vector(32),
            (&*y, a.flat(), x.lookup()),
            move |team, (y, a, x)| {
                let row = team.parallel_reduce(
                    team.team_vector_range(n),
                    |ji, sum| *sum += a[ji] * x[ji.inner()],
                    Sum::<f64>::new(),
                );
                // Counts once, regardless of the team's size.
                team.contribute(y[team.league_rank()] * row);
            },
            Sum::<f64>::new(),
            result,
        )
    }
}

fn run<S: ExecutionSpace>(spaces: &[S], n: usize, nrepeat: usize) -> spelt::Result<()> {
    let problems = spaces.iter().map(|space| Problem::new(space, n));
    let mut problems = problems.collect::<spelt::Result<Vec<_>>>()?;
    let solution = n as f64 * n as f64;

    let timer = Instant::now();
    let mut results = vec![0.0; spaces.len()];
    for _ in 0..nrepeat {
        // A launch on a host returns when it has run, so each has a thread that launches.
        thread::scope(|scope| {
            let launched =
                problems.iter_mut().zip(spaces).map(|(own, space)| scope.spawn(|| own.operation(space)));
            let launched: Vec<_> = launched.collect();
            launched.into_iter().try_for_each(|own| own.join().expect("a launch does not panic"))
        })?;
        for (number, (problem, result)) in problems.iter().zip(&mut results).enumerate() {
            *result = problem.result.to_host()?[[]];
            if *result != solution {
                say!(
                    "  Error: result{number}({}) != solution({})\n",
                    scientific(*result),
                    scientific(solution)
                );
                exit(1);
            }
        }
    }
    let time = timer.elapsed().as_secs_f64();

    if nrepeat > 0 {
        let results: Vec<_> = results.into_iter().map(scientific).collect();
        say!("  Computed results for N={n} and nrepeat={nrepeat} are {}\n", results.join(" and "));
    }
    let (n, devices, bytes) = (n as f64, spaces.len() as f64, size_of::<f64>() as f64);
    let gbytes = 2.0e-9 * bytes * devices * (2.0 * n + n * n);
    say!(
        "  N( {n} ) nrepeat ( {nrepeat} ) problem( {} MB ) time( {} s ) bandwidth( {} GB/s )\n",
        general(1.0e-6 * devices * (n * n + 2.0 * n) * bytes),
        general(time),
        general(gbytes * nrepeat as f64 / time)
    );
    Ok(())
}
