//! The smallest and the largest value of a matrix and where they are: a reduction nested in another.
//!
//! Fills a matrix of N rows and M columns, then lets a team search each row, and joins the results of the teams. The
//! location is a pair of indices.
//!
//! The same program as the nested `MinMaxLoc` in Kokkos's guide, on built-in reducers:
//! ```text
//! cargo run --release --example nested_min_max_loc -- -N 1000 -M 500 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::num::NonZeroUsize;
use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;

use common::{CommandLine, say};

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "", "the number of rows; default 1000", "COUNT");
    options.optopt("M", "", "the number of columns; default 500", "COUNT");
    let line = CommandLine::parse("The extrema of a matrix and where they are", 0, options);
    let count = |name, default| line.option(name).map_or(default, NonZeroUsize::get);
    let (n, m) = (count("N", 1000), count("M", 500));
    common::exit_code(with_space!(line.space(), |space| run(&space, n, m)))
}

fn run<S: ExecutionSpace>(space: &S, n: usize, m: usize) -> spelt::Result<()> {
    // A paraboloid with its lowest point near row N / 3, column M / 4.
    let (row, column) = (n as f64 / 3.0, m as f64 / 4.0);
    let a = space.view_from_fn("A", [n, m], |[n, m]| {
        let (down, right) = (n as f64 - row, m as f64 - column);
        down * down + right * right + 3.5
    })?;

    // Start a team for each row.
    let minmaxloc = parallel_reduce(
        "MinMaxLocReduce",
        space.team(n, AUTO),
        &a,
        move |team, a| {
            // Run a nested reduction with the team over its row.
            let row_minmaxloc = team.parallel_reduce(
                team.thread_range(m),
                |nm, thread_minmaxloc| thread_minmaxloc.update(a[nm], nm.get()),
                MinMaxLoc::<f64, [usize; 2]>::new(),
            );
            // The team contributes to the whole, once.
            team.contribute(row_minmaxloc);
        },
        MinMaxLoc::<f64, [usize; 2]>::new(),
    )?;
    let [min_n, min_m] = minmaxloc.min_loc;
    let [max_n, max_m] = minmaxloc.max_loc;
    say!("Min {:.6} at ({min_n}, {min_m})\n", minmaxloc.min_val);
    say!("Max {:.6} at ({max_n}, {max_m})\n", minmaxloc.max_val);
    Ok(())
}
