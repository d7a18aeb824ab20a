//! Spelt's events in the program's own log: launches and regions as spans of the crate `tracing`.
//!
//! Halves numbers a few times and sums them. The log goes to standard error, with the time of each span; subscribers of `tracing`
//! may send it anywhere else.
//! ```text
//! cargo run --release --example tracing -- -N 1000000 -space threads
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod forward;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::tools::{install, mark, metadata, region};
use tracing::Level;
use tracing_subscriber::fmt::format::FmtSpan;

use common::{CommandLine, say};
use forward::Forward;

/// How often the numbers are halved.
const STEPS: u32 = 3;

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("N", "", "how many numbers; default 1000000", "COUNT");
    let line = CommandLine::parse("Launches and regions as spans of the crate `tracing`", 0, options);
    let n = line.option("N").unwrap_or(1_000_000);

    // One line for each span, when it ends.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(Level::DEBUG)
        .with_span_events(FmtSpan::CLOSE)
        .init();
    install("tracing", Forward::default());
    common::exit_code(with_space!(line.space(), |space| run(&space, n)))
}

fn run<S: ExecutionSpace>(space: &S, n: usize) -> spelt::Result<()> {
    metadata("numbers", &n.to_string());
    let mut x = {
        let _set_up = region("set-up");
        let x = space.uninit::<f64, 1>("x", [n])?;
        parallel_fill("eights", space.range(0..n), x, (), |_, ()| 8.0)?
    };
    for step in 1..=STEPS {
        let _step = region(format!("step {step}"));
        parallel_for("halve", space.range(0..n), &mut x, |i, mut x| x[i] *= 0.5)?;
    }
    mark("halved");
    let mut y = space.zeros::<f64, 1>("y", [n])?;
    space.deep_copy(&mut y, &x)?;
    let sum = parallel_map_reduce("sum", space.range(0..n), &y, |i, y| y[i], Sum::<f64>::new())?;
    space.fence()?;
    say!("Sum: {sum} of {n} numbers\n");
    Ok(())
}
