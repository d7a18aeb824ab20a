//! Vectors of lanes in teams: the vector lanes of a team hold numbers, or each of them a `Simd<f64, 4>`.
//!
//! On a device, the lanes of a team are threads of a warp, and the lanes of a `Simd` registers of one thread. On a host, both are
//! numbers in vector registers.
//!
//! The same program as Kokkos's exercise simd_warp; N is a multiple of 32:
//! ```text
//! cargo run --release --example simd_warp -- 320000 3 10 1.5 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;
use spelt::simd::Simd;

use common::Combination;

/// Numbers of a team.
const WIDTH: usize = 32;

/// Numbers that a lane of a team computes together, in the second form.
const LANES: usize = 4;

fn main() -> ExitCode {
    let problem = Combination::from_command_line("sums of M numbers in teams, by numbers and by vectors");
    common::exit_code(with_space!(problem.space, |space| run(&space, &problem)))
}

fn run<S: ExecutionSpace>(space: &S, problem: &Combination) -> spelt::Result<()> {
    team_vector(space, problem)?;
    simd(space, problem)
}

/// Adds to the results, so that the total grows with the repetitions.
fn team_vector<S: ExecutionSpace>(
    space: &S,
    &Combination { n, m, r, a, .. }: &Combination,
) -> spelt::Result<()> {
    let teams = n / WIDTH;
    let data =
        space.view_from_fn("D", [m, teams, WIDTH], |[_, team, i]| Combination::number(WIDTH * team + i))?;
    let mut results = space.zeros::<f64, 2>("R", [teams, WIDTH])?;

    let timer = Instant::now();
    for _ in 0..r {
        let policy = space.team(teams, 1).vector(WIDTH);
        parallel_for(
            "Combine",
            policy,
            (data.lookup(), results.flat()),
            move |team, (data, mut results)| {
                let mut b = a;
                for j in 0..m {
                    let rank = team.league_rank();
                    let lanes = team.team_vector_range(0..WIDTH);
                    team.parallel_for(lanes, |i| results[i] += b * data[[j, rank, i.inner()]]);
                    b += a + (j + 1) as f64;
                }
            },
        )?;
        space.fence()?;
    }
    let seconds = timer.elapsed().as_secs_f64();

    let sums = space.md_range([0..teams, 0..WIDTH]);
    let total =
        parallel_map_reduce("Reduce", sums, &results, move |i, results| results[i], Sum::<f64>::new())?;
    Combination::report("ThreadVector", seconds, total / r.max(1) as f64);
    Ok(())
}

fn simd<S: ExecutionSpace>(space: &S, &Combination { n, m, r, a, .. }: &Combination) -> spelt::Result<()> {
    const VECTORS: usize = WIDTH / LANES;
    let teams = n / WIDTH;
    let data = space.view_from_fn("D", [m, teams, VECTORS], |[_, team, i]| {
        Simd::<f64, LANES>::from_fn(|lane| Combination::number(WIDTH * team + LANES * i + lane))
    })?;
    let mut results = space.zeros::<Simd<f64, LANES>, 2>("R", [teams, VECTORS])?;

    let timer = Instant::now();
    for _ in 0..r {
        let policy = space.team(teams, 1).vector(VECTORS);
        parallel_for(
            "Combine",
            policy,
            (data.lookup(), results.flat()),
            move |team, (data, mut results)| {
                let rank = team.league_rank();
                let lanes = team.team_vector_range(0..VECTORS);
                team.parallel_for(lanes, |i| {
                    let mut tmp = Simd::splat(0.0);
                    let mut b = a;
                    for j in 0..m {
                        tmp += b * data[[j, rank, i.inner()]];
                        b += a + (j + 1) as f64;
                    }
                    results[i] = tmp;
                });
            },
        )?;
        space.fence()?;
    }
    let seconds = timer.elapsed().as_secs_f64();

    let sums = space.md_range([0..teams, 0..VECTORS]);
    let sum = Sum::<Simd<f64, LANES>>::new();
    let lanes = parallel_map_reduce("Reduce", sums, &results, move |i, results| results[i], sum)?;
    Combination::report("SIMD", seconds, lanes.reduce_sum());
    Ok(())
}
