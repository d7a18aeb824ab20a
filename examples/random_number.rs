//! Random numbers: pi from darts that hit a quarter of a circle.
//!
//! Each iteration throws some darts at the unit square, by random numbers that belong to its index. So there is no pool from which threads
//! take a state, and no state to give back: the hits are the same on every space, thread count and run.
//!
//! The same program as Kokkos's exercise random_number. N and the darts of an iteration:
//! ```text
//! cargo run --release --example random_number -- 24 1 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::random::Random;

use common::{CommandLine, say, wrong};

/// The most darts of one iteration, as a power of two: the numbers of an index repeat after 2^34 words, and a dart takes four.
const MAX_GROUP: u32 = 32;

fn main() -> ExitCode {
    let brief =
        "Usage: random_number [N] [GROUP]: pi from 2^N darts, GROUP in an iteration; defaults 24 and 1";
    let line = CommandLine::parse(brief, 2, Options::new());
    let (exponent, group) = (line.positional(0, "N", 24_u32), line.positional(1, "GROUP", 1_u64));
    let Some(darts) = 1_u64.checked_shl(exponent) else {
        wrong(format!("N `{exponent}`: 2^{exponent} is too large for this machine"))
    };
    if group == 0 || !darts.is_multiple_of(group) || group > 1 << MAX_GROUP {
        wrong(format!("GROUP `{group}`: choose a power of two up to 2^{}", exponent.min(MAX_GROUP)));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, darts, group)))
}

fn run<S: ExecutionSpace>(space: &S, darts: u64, group: u64) -> spelt::Result<()> {
    say!("Reference Value for pi:  {:.6}\n", std::f64::consts::PI);
    let random = Random::new(5_374_857);
    let hits = parallel_reduce(
        "MC-pi-estimate",
        space.range(0..(darts / group) as usize),
        random,
        move |i, hits, random| {
            let mut draws = random.at(i);
            for _ in 0..group {
                let (x, y) = (draws.f64(), draws.f64());
                *hits += u64::from(x * x + y * y <= 1.0);
            }
        },
        Sum::<u64>::new(),
    )?;
    say!("darts = {darts}  hits = {hits}  pi est = {:.6}\n", 4.0 * hits as f64 / darts as f64);
    Ok(())
}
