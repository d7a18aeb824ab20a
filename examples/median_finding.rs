//! The median of many points, found by moving a cut: a team for each part of the points counts those to the left of it, in a reduction nested
//! in another one. The program repeats that for 1, 2, 4 .. teams and prints the time of each.
//!
//! The points are the squares of evenly spaced numbers from 0 to 1, so that half of them lie below 0.25. They are counted, so that the cut is
//! the same for any number of teams.
//!
//! The same program as Kokkos's use case median-finding, with the number of points as an option, 2^P:
//! ```text
//! cargo run --release --example median_finding -- -P 23 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;

use common::{CommandLine, say, wrong, wrong_result};

/// The most steps of the cut; 2^23 points take few of them.
const MAX_STEPS: usize = 200;

fn main() -> ExitCode {
    let mut options = Options::new();
    options.optopt("P", "", "2^P points; default 23", "P");
    let line = CommandLine::parse("The median of 2^P points, by leagues of 1 to 2^P teams", 0, options);
    let exponent = line.option("P").unwrap_or(23);
    if !(1..=30).contains(&exponent) {
        wrong(format!("-P `{exponent}`: there are 2^1 to 2^30 points"));
    }
    common::exit_code(with_space!(line.space(), |space| run(&space, exponent)))
}

fn run<S: ExecutionSpace>(space: &S, exponent: u32) -> spelt::Result<()> {
    let points = 1 << exponent;
    let x = space.view_from_fn("x", [points], move |[i]| {
        // The points are not in order.
        let value = ((i + points / 2) % points) as f64 / (points - 1) as f64;
        value * value
    })?;
    let mut first = None;
    for teams in (0..=exponent).map(|exponent| 1 << exponent) {
        let timer = Timer::new(space)?;
        let cut = median(space, &x, teams)?;
        let milliseconds = timer.elapsed()?.as_millis();
        say!("teams: {teams:8}   cut: {cut:.2}    time: {milliseconds} ms\n");
        let wanted = *first.get_or_insert(cut);
        if cut.to_bits() != wanted.to_bits() {
            return Err(wrong_result(format!("{teams} teams found {cut}, one team {wanted}")));
        }
    }
    // The two points in the middle, with half of the points below the second one.
    let middle = [points / 2 - 1, points / 2].map(|i| (i as f64 / (points - 1) as f64).powi(2));
    let cut = first.unwrap_or(f64::NAN);
    if !(cut > middle[0] && cut <= middle[1]) {
        return Err(wrong_result(format!("the cut {cut} is not between {} and {}", middle[0], middle[1])));
    }
    Ok(())
}

/// A place with as many points on its left as on its right.
fn median<S: ExecutionSpace>(space: &S, x: &View<f64, 1, S::Memory>, teams: usize) -> spelt::Result<f64> {
    let points = x.len();
    let (all, wanted) = (points as f64, points as f64 / 2.0);
    let mut cut = 0.5;
    for _ in 0..MAX_STEPS {
        let left = left_of(space, x, teams, cut)? as f64;
        if left == wanted {
            return Ok(cut);
        }
        // Where the points between would lie, if they were spread evenly.
        cut = match left < wanted {
            true => cut + (1.0 - cut) * (wanted - left) / (all - left),
            false => cut - cut * (left - wanted) / left,
        };
    }
    Err(wrong_result(format!("after {MAX_STEPS} steps the cut {cut} does not halve the points")))
}

/// The number of points to the left of the cut.
fn left_of<S: ExecutionSpace>(
    space: &S,
    x: &View<f64, 1, S::Memory>,
    teams: usize,
    cut: f64,
) -> spelt::Result<usize> {
    let points = x.len() / teams;
    parallel_reduce(
        "main loop",
        space.team(teams, AUTO),
        x.by_blocks(points).nested(),
        move |team, x| {
            let left = team.parallel_map_reduce(
                team.thread_range(points),
                |ti| usize::from(x[ti] < cut),
                Sum::<usize>::new(),
            );
            // Counts once, regardless of the team's size.
            team.contribute(left);
        },
        Sum::<usize>::new(),
    )
}
