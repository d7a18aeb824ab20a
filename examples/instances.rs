//! Instances of a space, whose kernels run beside one another.
//!
//! Twice the same operations on Views of their own: fill y, add it to x, y = A * x, and the dot product of y with itself. Each runs on its
//! part of the space: half of the threads of a host, or a stream of a device. Results go into Views, so that a device need not wait for
//! them.
//!
//! The same program as Kokkos's exercise instances, but for the threads: a launch on a host returns when it has run, so each instance has
//! a thread of the program that launches on it. The defaults take 1.6 GB:
//! ```text
//! cargo run --release --example instances -- -N 10000 -nrepeat 10 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use getopts::Options;
use spelt::prelude::*;

use common::{CommandLine, general, say, scientific};

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "Rows", "rows and columns of each matrix; default 10000", "N");
    options.optopt("", "nrepeat", "repetitions; default 10", "COUNT");
    let line = CommandLine::parse("Two products of a matrix and a vector, at the same time", 0, options);
    let (n, nrepeat) = (line.user_option("N").unwrap_or(10_000), line.option("nrepeat").unwrap_or(10));
    common::exit_code(with_space!(line.space(), |space| run(&space, n, nrepeat)))
}

fn run<S: ExecutionSpace>(space: &S, n: usize, nrepeat: usize) -> spelt::Result<()> {
    let instances = space.partition([1, 1])?;
    let mut problems = [Problem::new(space, n, 2.0, 3.0, 4.0)?, Problem::new(space, n, 2.5, 3.5, 4.5)?];

    let timer = Instant::now();
    thread::scope(|scope| {
        let [first, second] = &mut problems;
        let other = scope.spawn(|| (0..nrepeat).try_for_each(|_| second.operation(&instances[1])));
        let own = (0..nrepeat).try_for_each(|_| first.operation(&instances[0]));
        own.and(other.join().expect("a launch does not panic"))
    })?;
    let [result1, result2] = [problems[0].result.to_host()?, problems[1].result.to_host()?];
    let time = timer.elapsed().as_secs_f64();

    if nrepeat > 0 {
        let results = [scientific(result1[[]]), scientific(result2[[]])];
        say!("  Computed results for {n} and {nrepeat} are {} and {}\n", results[0], results[1]);
    }
    let (n, bytes) = (n as f64, size_of::<f64>() as f64);
    let gbytes = 2.0e-9 * bytes * (6.0 * n + 2.0 * n * n);
    say!(
        "  N( {n} ) nrepeat ( {nrepeat} ) problem( {} MB ) time( {} s ) bandwidth( {} GB/s )\n",
        general(1.0e-6 * (n * n + 2.0 * n) * bytes),
        general(time),
        general(gbytes * nrepeat as f64 / time)
    );
    Ok(())
}

/// The Views of one instance.
struct Problem<S: ExecutionSpace> {
    y: View<f64, 1, S::Memory>,
    x: View<f64, 1, S::Memory>,
    a: View<f64, 2, S::Memory>,
    result: View<f64, 0, S::Memory>,
}

impl<S: ExecutionSpace> Problem<S> {
    fn new(space: &S, n: usize, y: f64, x: f64, a: f64) -> spelt::Result<Self> {
        let mut own = Self {
            y: space.zeros("y", [n])?,
            x: space.zeros("x", [n])?,
            a: space.zeros("A", [n, n])?,
            result: space.zeros("R", [])?,
        };
        space.fill(&mut own.y, y)?;
        space.fill(&mut own.x, x)?;
        space.fill(&mut own.a, a)?;
        Ok(own)
    }

    /// Each launch names its instance. On a device, none of them waits for the others.
    fn operation(&mut self, instance: &S) -> spelt::Result<()> {
        let Self { y, x, a, result } = self;
        let rows = || instance.range(0..y.len());
        let (vector_add, mat_vec, dot) = (rows(), rows(), rows());
        instance.fill(y, -2.5)?;
        parallel_for("VectorAdd", vector_add, (&mut *x, &*y), move |i, (mut x, y)| x[i] += y[i])?;
        parallel_for("MatVec", mat_vec, (a.lookup(), x.lookup(), &mut *y), move |i, (a, x, mut y)| {
            let mut sum = 0.0;
            for j in 0..a.extent(1) {
                sum += a[[i.get(), j]] * x[j];
            }
            y[i] = sum;
        })?;
        parallel_reduce_into("Dot", dot, &*y, move |i, sum, y| *sum += y[i] * y[i], Sum::<f64>::new(), result)
    }
}
