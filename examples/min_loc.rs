//! The smallest value and its index: a reducer whose value is a struct.
//!
//! Finds the minimum of a parabola on the indices 0..N, and the index.
//!
//! The same program as `MinLocReduce` in Kokkos's guide, on built-in reducers:
//! ```text
//! cargo run --release --example min_loc -- -N 100 -space threads
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
    options.optopt("N", "", "the number of indices; default 100", "COUNT");
    let line = CommandLine::parse("The minimum of a parabola and its index", 0, options);
    let n = line.option("N").map_or(100, NonZeroUsize::get);
    common::exit_code(with_space!(line.space(), |space| run(&space, n)))
}

fn run<S: ExecutionSpace>(space: &S, n: usize) -> spelt::Result<()> {
    let minloc = parallel_reduce(
        "MinLocReduce",
        space.range(0..n),
        (),
        |x, lminloc, ()| {
            let val = (x.get() as f64 - 7.2) * (x.get() as f64 - 7.2) + 3.5;
            // If it is lower than lminloc.val, then lminloc becomes val at this index.
            lminloc.update(val, x.get());
        },
        MinLoc::<f64, usize>::new(),
    )?;
    say!("Min: {:.6} at {}\n", minloc.val, minloc.loc);
    Ok(())
}
