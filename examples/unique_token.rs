//! Copies of the results, one for each team that adds to them: where Kokkos has tokens.
//!
//! N results count how often each index occurs among N x M random ones. Each team adds to its own copy, and a second kernel adds up the
//! copies. In Kokkos each running team acquires a token, a number that no other team holds, and adds to the copy of that number; which team
//! gets which differs from run to run. Here a league has as many teams as there are copies, the league rank chooses the copy, and each team
//! works through its share of the rows.
//!
//! The same program as Kokkos's exercise unique_token, with 2^D copies. The defaults take 900 MB:
//! ```text
//! cargo run --release --example unique_token -- 100000 100 11 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::{Error, ErrorKind};

use common::{CommandLine, general, say, wrong};

fn main() -> ExitCode {
    let brief = "Usage: unique_token [N] [M] [D]: N results of N x M random contributions, in 2^D copies; \
                 defaults 100000, 100 and 11";
    let line = CommandLine::parse(brief, 3, Options::new());
    let (n, m) = (line.positional(0, "N", 100_000), line.positional(1, "M", 100));
    let exponent = line.positional(2, "D", 11_u32);
    let Some(copies) = 1_usize.checked_shl(exponent) else {
        wrong(format!("D `{exponent}`: 2^{exponent} is too large for this machine"))
    };
    common::exit_code(with_space!(line.space(), |space| run(&space, n, m, copies)))
}

fn run<S: ExecutionSpace>(space: &S, n: u32, m: usize, copies: usize) -> spelt::Result<()> {
    if n as usize > 0 && m > i32::MAX as usize / n as usize {
        let message = format!("{n} x {m} contributions may not fit an `i32`: choose a smaller N or M");
        return Err(Error::new(ErrorKind::Extents, message));
    }
    let (numbers, n) = (0..n, n as usize);
    let mut values = space.zeros::<u32, 2>("V", [n, m])?;
    let mut results = space.zeros::<i32, 1>("R", [n])?;

    // Random indices, written and counted on the host.
    let mut h_values = values.host_mirror()?;
    let mut expected = vec![0; n];
    let mut random = fastrand::Rng::with_seed(5_374_857);
    for value in h_values.iter_mut() {
        *value = random.u32(numbers.clone());
        expected[*value as usize] += 1;
    }
    deep_copy(&mut values, &h_values)?;

    let seconds = scatter_add_loop(space, &values, &mut results, copies)?;
    say!("Time Duplicated: {n} {m} {}\n", general(seconds));

    let results = results.to_host()?;
    for (i, (found, count)) in results.iter().zip(&expected).enumerate() {
        if found != count {
            let message = format!("result {i} is {found}, but the index occurs {count} times");
            return Err(Error::new(ErrorKind::Extents, message));
        }
    }
    Ok(())
}

/// Counts the values in copies of the results, adds the copies up, and returns the seconds.
fn scatter_add_loop<S: ExecutionSpace>(
    space: &S,
    values: &View<u32, 2, S::Memory>,
    results: &mut View<i32, 1, S::Memory>,
    copies: usize,
) -> spelt::Result<f64> {
    let timer = Timer::new(space)?;
    let [n, m] = values.extents();
    let mut duplicated = space.zeros::<i32, 2>("Rdup", [copies, n])?;
    parallel_for(
        "Accumulator Loop",
        space.team(copies, AUTO),
        (values.lookup(), duplicated.atomic()),
        move |team, (values, duplicated)| {
            // No other team adds to this copy; the threads of this team do.
            let copy = team.league_rank();
            for i in copy * n / copies..(copy + 1) * n / copies {
                team.parallel_for(team.team_vector_range(m), |j| {
                    duplicated.inc([copy, values[[i, j.inner()]] as usize]);
                });
            }
        },
    )?;

    // Contribute back to the single version.
    parallel_for(
        "Reduce Loop",
        space.team(n, AUTO),
        (duplicated.lookup(), results),
        move |team, (duplicated, mut results)| {
            let i = team.league_rank();
            let count = team.parallel_reduce(
                team.team_vector_range(copies),
                |copy, count| *count += duplicated[[copy.inner(), i]],
                Sum::<i32>::new(),
            );
            team.single(|i| results[i] = count);
        },
    )?;
    timer.seconds()
}
