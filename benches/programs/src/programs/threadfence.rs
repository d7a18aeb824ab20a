//! threadfence: the sum of an array in one launch, for which other models need fences between blocks.

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, Side, slice};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "threadfence",
    hypothesis: "A reduction: lanes of sums here, one sum in C++ unless -ffast-math lets it have lanes: ahead of the one, level with the other.",
    size: "numbers",
    variants: &[Variant::new("f32", &[100_000, 20_000_000], race)],
};

/// The sum.
///
/// # Errors
/// None: the range is that of the View.
pub fn sum<S: ExecutionSpace>(space: &S, x: &View<f32, 1, S::Memory>) -> spelt::Result<f32> {
    parallel_map_reduce("sum", space.range(0..x.len()), x, move |i, x| x[i], Sum::<f32>::new())
}

fn number([i]: [usize; 1]) -> f32 {
    spread(i) as f32
}

fn plain(x: &[f32]) -> f64 {
    x.iter().copied().map(f64::from).sum()
}

/// Compares a small sum with a plain one.
///
/// # Errors
/// If they differ.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let x = space.view_from_fn("x", [5001], number).map_err(told)?;
    let found = sum(space, &x).map_err(told)?;
    near("the sum", &[f64::from(found)], &[plain(slice(&x.to_host().map_err(told)?))], 1e-6)
}

fn race(setup: &Setup, n: usize) -> Made {
    let data = (setup.view("x", [n], number)?, [0.0_f32]);
    let expected = plain(slice(&data.0));
    let lineup = setup.race_with_own_checks(
        data,
        Work { bytes: 4 * n, elements: n },
        |space, (x, found)| {
            found[0] = sum(space, x)?;
            Ok(())
        },
        source!("threadfence"),
        move |peer, (x, found)| {
            // SAFETY: the source reads n floats, and writes one.
            unsafe { peer.call(&[read(slice(x)), out(found)], &[n]) };
        },
        move |(_, found), side| {
            // One sum of as many numbers in C++ loses digits.
            let bound = if side == Side::Peer { 0.1 } else { 1e-5 };
            near("the sum", &[f64::from(found[0])], &[expected], bound)
        },
    )?;
    Ok(Box::new(lineup.reset(|(_, found)| found[0] = -1.0)))
}
