//! Random numbers of 64 bits.

use spelt::prelude::*;
use spelt::random::{Random, fill_uniform};

use super::SIZES;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "random",
    hypothesis: "The 20 multiplications of Philox4x32-10 for two numbers run in vectors, and need neither a lock nor a state in memory: two thirds of the time of \
        Kokkos's XorShift64, whose shifts wait for one another, to fill a View, and a third where each index takes a state from the pool. Normal numbers are \
        vector code too, without the rejections of the polar method.",
    size: "n",
    variants: &[
        Variant { name: "fill", width: 1, sizes: SIZES, race: fill },
        Variant { name: "each", width: 1, sizes: SIZES, race: each },
        Variant { name: "normal", width: 1, sizes: SIZES, race: normal },
    ],
};

/// A race in which `call` fills a View with numbers whose mean is 0.
fn race(
    setup: &Setup,
    n: usize,
    peer: &str,
    call: impl Fn(&Threads, &mut View<f64, 1>) -> spelt::Result<()> + 'static,
) -> Made {
    let y = setup.view("y", [n], |_| 0.0)?;
    let space = setup.space.clone();
    let work = Work { bytes: n * size_of::<f64>(), elements: n };
    let check = move |y: &View<f64, 1>, (): &()| {
        let (sum, bound) = (slice(y).iter().sum::<f64>(), 6.0 * (n as f64).sqrt());
        if sum.abs() <= bound && (n < 2 || y[0] != y[1]) {
            Ok(())
        } else {
            Err(format!("the sum of {n} numbers is {sum}, where {bound} is six deviations"))
        }
    };
    let lineup = Lineup::new(y, work, check)
        .with("Spelt", move |y| call(&space, y).expect("the View covers the range"))
        .with_remote("Kokkos", setup.peer(peer, "f64", n));
    Ok(Box::new(lineup))
}

fn fill(setup: &Setup, n: usize) -> Made {
    race(setup, n, "random_fill", |space, y| fill_uniform(space, y, Random::new(2026), -1.0..1.0))
}

fn each(setup: &Setup, n: usize) -> Made {
    let random = Random::new(2026);
    race(setup, n, "random_each", move |space, y| {
        parallel_for("random", space.range(0..y.len()), y, move |i, mut y| {
            y[i] = random.at(i).range(-1.0..1.0)
        })
    })
}

fn normal(setup: &Setup, n: usize) -> Made {
    let random = Random::new(2026);
    race(setup, n, "random_normal", move |space, y| {
        parallel_for("random", space.range(0..y.len()), y, move |i, mut y| y[i] = random.at(i).normal())
    })
}
