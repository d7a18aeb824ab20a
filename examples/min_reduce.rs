//! The smallest value: a built-in reducer.
//!
//! Finds the minimum of a parabola on the indices 0..N, first with a comparison in the kernel, then with the reducer's
//! own `join`. The reducer always joins the results of different threads.
//!
//! The same program as `MinReduce` in Kokkos's guide, on built-in reducers:
//! ```text
//! cargo run --release --example min_reduce -- -N 100 -space threads
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
    let line = CommandLine::parse("The minimum of a parabola", 0, options);
    let n = line.option("N").map_or(100, NonZeroUsize::get);
    common::exit_code(with_space!(line.space(), |space| run(&space, n)))
}

fn run<S: ExecutionSpace>(space: &S, n: usize) -> spelt::Result<()> {
    let min = parallel_reduce(
        "MinReduce",
        space.range(0..n),
        (),
        |x, lmin, ()| {
            let x = x.get() as f64;
            let val = (x - 7.2) * (x - 7.2) + 3.5;
            if val < *lmin {
                *lmin = val;
            }
        },
        Min::<f64>::new(),
    )?;
    say!("Min: {min:.6}\n");

    // A reducer is a value, which the kernel can use too.
    let min_reducer = Min::<f64>::new();
    let min = parallel_reduce(
        "MinReduce",
        space.range(0..n),
        (),
        move |x, lmin, ()| {
            let x = x.get() as f64;
            let val = (x - 7.2) * (x - 7.2) + 3.5;
            min_reducer.join(lmin, &val);
        },
        min_reducer,
    )?;
    say!("Min: {min:.6}\n");
    Ok(())
}
