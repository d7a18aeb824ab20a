//! Scattered contributions: atomic, duplicated by hand, and by `scatter`.
//!
//! N results count how often each index occurs among N x M random ones; every iteration may hit any result. Three ways
//! keep iterations apart: atomic additions; a copy of the results for each part of the work, joined at the end; and
//! `scatter`, which chooses between the two.
//!
//! The same program as Kokkos's exercise scatter_view, and its smallest use of a `ScatterView`:
//! ```text
//! cargo run --release --example scatter_view -- 100000 100 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use getopts::Options;
use spelt::prelude::*;
use spelt::{Error, ErrorKind, MemorySpace};

use common::{CommandLine, general, say};

fn main() -> ExitCode {
    let brief =
        "Usage: scatter_view [N] [M]: N results of N x M random contributions; defaults 100000 and 100";
    let line = CommandLine::parse(brief, 2, Options::new());
    let (n, m) = (line.positional(0, "N", 100_000), line.positional(1, "M", 100));
    common::exit_code(with_space!(line.space(), |space| run(&space, n, m)))
}

fn run<S: ExecutionSpace>(space: &S, n: u32, m: usize) -> spelt::Result<()> {
    // Each of the three ways below may add all contributions to one result.
    if n as usize > 0 && m > i32::MAX as usize / 3 / n as usize {
        let message =
            format!("{n} x {m} contributions three times may not fit an `i32`: choose a smaller N or M");
        return Err(Error::new(ErrorKind::Extents, message));
    }
    usage(space)?;
    let (numbers, n) = (0..n, n as usize);

    // Random indices, written on the host.
    let mut values = space.zeros::<u32, 2>("values", [n, m])?;
    let mut results = space.zeros::<i32, 1>("results", [n])?;
    let mut h_values = values.host_mirror()?;
    let mut random = fastrand::Rng::with_seed(5_374_857);
    for value in h_values.iter_mut() {
        *value = random.u32(numbers.clone());
    }
    deep_copy(&mut values, &h_values)?;

    // Atomic: every addition changes the result itself.
    let timer = Instant::now();
    parallel_for(
        "atomic",
        space.range(0..n),
        (values.by_rows(), results.atomic()),
        |i, (values, results)| {
            for &value in &values[i] {
                results.inc(value as usize);
            }
        },
    )?;
    space.fence()?;
    say!("Time Atomic: {n} {m} {}\n", general(timer.elapsed().as_secs_f64()));
    check(&results, n * m)?;

    // Duplicated: each of a few parts of the rows has its own row, and a second kernel adds them up.
    let timer = Instant::now();
    // No more than that: a device has more threads at a time than there is room for copies.
    let parts = space.concurrency().min(64);
    let mut duplicated = space.zeros::<i32, 2>("duplicated", [parts, n])?;
    parallel_for(
        "duplicated",
        space.range(0..parts),
        (values.lookup(), duplicated.by_rows_mut()),
        move |part, (values, mut duplicated)| {
            let own = &mut duplicated[part];
            for i in part.get() * n / parts..(part + 1) * n / parts {
                for &value in values.row(i) {
                    own[value as usize] += 1;
                }
            }
        },
    )?;
    parallel_for(
        "join",
        space.range(0..n),
        (duplicated.lookup(), &mut results),
        move |i, (duplicated, mut results)| {
            for part in 0..parts {
                results[i] += duplicated[[part, i.get()]];
            }
        },
    )?;
    space.fence()?;
    say!("Time Duplicated: {n} {m} {}\n", general(timer.elapsed().as_secs_f64()));
    check(&results, 2 * n * m)?;

    // Scatter: the adapter keeps its replicas, so it is made once.
    let mut scatter = results.scatter();
    let timer = Instant::now();
    parallel_for("scatter", space.range(0..n), (values.by_rows(), &mut scatter), |i, (values, results)| {
        for &value in &values[i] {
            results.add(value as usize, 1);
        }
    })?;
    space.fence()?;
    say!("Time ScatterView: {n} {m} {}\n", general(timer.elapsed().as_secs_f64()));
    check(&results, 3 * n * m)?;
    Ok(())
}

/// The smallest use: one contribution to one result.
fn usage<S: ExecutionSpace>(space: &S) -> spelt::Result<()> {
    let mut view = space.zeros::<f64, 1>("view", [1])?;
    parallel_for("usage", space.range(0..1), view.scatter(), |_, view| view.add(0, 55.0))?;
    assert_eq!(view.to_host()?[0], 55.0);
    Ok(())
}

/// Prints whether all contributions so far are in the results.
fn check<M: MemorySpace>(results: &View<i32, 1, M>, expected: usize) -> spelt::Result<()> {
    let sum: i64 = results.to_host()?.iter().map(|&count| i64::from(count)).sum();
    if sum != expected as i64 {
        say!("  Error: sum( {sum} ) != contributions( {expected} )\n");
        std::process::exit(1);
    }
    Ok(())
}
