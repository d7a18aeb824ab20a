//! Teams that count in scratch memory: how often each number follows each other one.
//!
//! The data are cut into chunks, one for each team. A team copies its chunk to scratch, and counts the pairs of neighbours in an array of
//! scratch whose rows are distributed over its threads. Then it adds its counts to those of all teams.
//!
//! The same program as Kokkos's tutorial 04_team_scan. The defaults take 400 MB:
//! ```text
//! cargo run --release --example team_scan -- 100000 1024 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use getopts::Options;
use spelt::prelude::*;
use spelt::{Error, ErrorKind};

use common::{CommandLine, say};

/// The numbers are below this one.
const NUMBERS: usize = 16;

fn main() -> ExitCode {
    let brief = "Usage: team_scan [CHUNKS] [CHUNK_SIZE]: the pairs of neighbours among CHUNKS x CHUNK_SIZE + 1 random numbers; \
                 defaults 100000 and 1024";
    let line = CommandLine::parse(brief, 2, Options::new());
    let (chunks, chunk_size) =
        (line.positional(0, "CHUNKS", 100_000), line.positional(1, "CHUNK_SIZE", 1024));
    common::exit_code(with_space!(line.space(), |space| run(&space, chunks, chunk_size)))
}

fn run<S: ExecutionSpace>(space: &S, chunks: usize, chunk_size: usize) -> spelt::Result<()> {
    let Some(pairs) = chunks.checked_mul(chunk_size).filter(|pairs| u32::try_from(*pairs).is_ok()) else {
        let message =
            format!("{chunks} x {chunk_size} pairs may not fit a count of type `u32`: choose fewer");
        return Err(Error::new(ErrorKind::Extents, message));
    };
    let mut data = space.zeros::<u32, 1>("data", [pairs + 1])?;
    let mut histogram = space.zeros::<u32, 2>("histogram", [NUMBERS, NUMBERS])?;

    // Random numbers, written on the host.
    let mut h_data = data.host_mirror()?;
    let mut random = fastrand::Rng::with_seed(1_231_093);
    for number in h_data.iter_mut() {
        *number = random.u32(0..NUMBERS as u32);
    }
    deep_copy(&mut data, &h_data)?;

    let timer = Instant::now();
    // Saturating: a size above all limits is an error of the launch.
    let scratch = chunk_size.saturating_add(1 + NUMBERS * NUMBERS).saturating_mul(size_of::<u32>());
    parallel_for(
        "find_2_tuples",
        // A thread for each row of the counts on a device; one thread on a host.
        space.team(chunks, AUTO).at_most(NUMBERS).scratch(scratch, 0),
        (data.lookup(), histogram.atomic()),
        move |team, (data, histogram)| {
            let first = team.league_rank() * chunk_size;
            // The chunk, and the number after it.
            team.with_scratch(
                chunk_size + 1,
                |j| data[first + j],
                |team, l_data| {
                    // All counts are 0 when the closure begins.
                    team.with_scratch_mut(
                        [NUMBERS, NUMBERS],
                        |_| 0_u32,
                        |team, mut l_histogram| {
                            // Row k belongs to one thread, so its counts need no atomics.
                            l_histogram.write_rows(team, NUMBERS, |k, counts, _| {
                                for pair in l_data.windows(2) {
                                    if pair[0] as usize == k {
                                        counts[pair[1] as usize] += 1;
                                    }
                                }
                            });
                            // All rows are written when `write_rows` returns. Other teams add to the same results.
                            team.parallel_for(team.thread_range(NUMBERS * NUMBERS), |w| {
                                let place = [w.inner() / NUMBERS, w.inner() % NUMBERS];
                                histogram.add(place, l_histogram[place]);
                            });
                        },
                    );
                },
            );
        },
    )?;
    space.fence()?;
    say!("Time: {:.6} \n\n", timer.elapsed().as_secs_f64());

    let histogram = histogram.to_host()?;
    for row in histogram.rows() {
        for count in row {
            say!("{count} ");
        }
        say!("\n");
    }
    let sum: u64 = histogram.iter().map(|&count| u64::from(count)).sum();
    say!("Result: {sum} {pairs}\n");
    if sum != pairs as u64 {
        return Err(Error::new(ErrorKind::Extents, format!("{sum} pairs were counted, not {pairs}")));
    }
    Ok(())
}
