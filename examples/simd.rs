//! Vectors of lanes: `Simd<f64, 4>` as the element of Views, beside a kernel over single numbers.
//!
//! Both kernels compute the same sums. That over numbers stays scalar code: its reads are checked, and each iteration has a loop of a length
//! that the compiler does not know. With `Simd` the program says which numbers are computed together, and the loop has vector code.
//!
//! The same program as Kokkos's exercise simd; N is a multiple of 32:
//! ```text
//! cargo run --release --example simd -- 320000 3 10 1.5 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;
use std::time::Instant;

use spelt::prelude::*;
use spelt::simd::Simd;

use common::Combination;

/// Numbers that are computed together.
const LANES: usize = 4;

fn main() -> ExitCode {
    let problem = Combination::from_command_line("sums of M numbers, by numbers and by vectors");
    common::exit_code(with_space!(problem.space, |space| run(&space, &problem)))
}

fn run<S: ExecutionSpace>(space: &S, problem: &Combination) -> spelt::Result<()> {
    scalar(space, problem)?;
    simd(space, problem)
}

fn scalar<S: ExecutionSpace>(space: &S, &Combination { n, m, r, a, .. }: &Combination) -> spelt::Result<()> {
    // The numbers of neighbouring sums are neighbours in memory.
    let data = space.view_from_fn_in(Left, "D", [n, m], |[i, _]| Combination::number(i))?;
    let mut results = space.zeros::<f64, 1>("R", [n])?;

    let timer = Instant::now();
    for _ in 0..r {
        parallel_for("Combine", space.range(0..n), (&data, &mut results), move |i, (data, mut results)| {
            let mut tmp = 0.0;
            let mut b = a;
            for j in 0..m {
                tmp += b * data[[i.get(), j]];
                b += a + (j + 1) as f64;
            }
            results[i] = tmp;
        })?;
        space.fence()?;
    }
    let seconds = timer.elapsed().as_secs_f64();

    let sums = space.range(0..n);
    let total =
        parallel_map_reduce("Reduce", sums, &results, move |i, results| results[i], Sum::<f64>::new())?;
    Combination::report("Scalar", seconds, total);
    Ok(())
}

fn simd<S: ExecutionSpace>(space: &S, &Combination { n, m, r, a, .. }: &Combination) -> spelt::Result<()> {
    let n = n / LANES;
    let data = space.view_from_fn_in(Left, "D", [n, m], |[i, _]| {
        Simd::<f64, LANES>::from_fn(|lane| Combination::number(LANES * i + lane))
    })?;
    let mut results = space.zeros::<Simd<f64, LANES>, 1>("R", [n])?;

    let timer = Instant::now();
    for _ in 0..r {
        parallel_for("Combine", space.range(0..n), (&data, &mut results), move |i, (data, mut results)| {
            let mut tmp = Simd::splat(0.0);
            let mut b = a;
            for j in 0..m {
                tmp += b * data[[i.get(), j]];
                b += a + (j + 1) as f64;
            }
            results[i] = tmp;
        })?;
        space.fence()?;
    }
    let seconds = timer.elapsed().as_secs_f64();

    // A sum for each lane, then the sum of the lanes.
    let sum = Sum::<Simd<f64, LANES>>::new();
    let lanes =
        parallel_map_reduce("Reduce", space.range(0..n), &results, move |i, results| results[i], sum)?;
    Combination::report("SIMD", seconds, lanes.reduce_sum());
    Ok(())
}
