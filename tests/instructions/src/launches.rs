//! The time of a launch, from which the cost of tools follows: `launches ELEMENTS [ROUNDS [LAUNCHES]]`.
//!
//! It prints the least and the median time of a launch over rounds of launches of one axpy, on as many threads as `SPELT_NUM_THREADS` says.
//! Programs without and with a tool take turns: docs/tools.md has the results.

use std::time::Instant;

use spelt::prelude::*;

fn main() -> spelt::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let mut number = |otherwise: usize| numbers.next().unwrap_or(otherwise);
    let (n, rounds, launches) = (number(64_000), number(60), number(200));
    let space = Threads::new()?;
    let x = View::from_fn("x", [n], |[i]| (i * 7919 % 1024) as f64)?;
    let mut y = View::from_fn("y", [n], |[i]| i as f64)?;
    let mut times = Vec::new();
    // The first round is not counted: its Views are new to the caches.
    for round in 0..=rounds {
        let start = Instant::now();
        for _ in 0..launches {
            parallel_for("axpy", space.range(0..n), (1e-9, &x, &mut y), |i, (a, x, mut y)| y[i] += a * x[i])?;
        }
        if round > 0 {
            times.push(start.elapsed().as_nanos() as f64 / launches as f64);
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    println!("{:.1} {:.1}", times[0], times[times.len() / 2]);
    Ok(())
}
