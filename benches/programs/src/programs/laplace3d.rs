//! laplace3d: Jacobi's iteration for Laplace's equation in a cube whose faces are kept.

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::{at_least, told};
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "laplace3d",
    hypothesis: "A halo is checked once a launch, so that each row is a loop of vector code, as in C++: level.",
    size: "n of n * n * n",
    variants: &[Variant::new("f32", &[64, 256], race)],
};

/// One iteration: each inner cell of `next` becomes the mean of its neighbours in `now`.
///
/// # Errors
/// If the extents differ.
pub fn step<S: ExecutionSpace>(
    space: &S,
    now: &View<f32, 3, S::Memory>,
    next: &mut View<f32, 3, S::Memory>,
) -> spelt::Result<()> {
    let inner = space.md_range(now.extents().map(|n| 1..n - 1));
    parallel_for("laplace3d", inner, (now.halo::<1>(), next), move |i, (now, mut next)| {
        let neighbours = now.at(i, [0, 0, -1])
            + now.at(i, [0, 0, 1])
            + now.at(i, [0, -1, 0])
            + now.at(i, [0, 1, 0])
            + now.at(i, [-1, 0, 0])
            + now.at(i, [1, 0, 0]);
        next[i] = neighbours * (1.0 / 6.0);
    })
}

/// The same by loops over all places of a cube.
fn plain(now: &[f32], n: usize) -> Vec<f32> {
    let mut next = now.to_vec();
    for place in 0..n * n * n {
        let index = [place / (n * n), place / n % n, place % n];
        if index.iter().all(|&i| i > 0 && i + 1 < n) {
            let pairs = [1, n, n * n].map(|far| now[place - far] + now[place + far]);
            next[place] = pairs.iter().sum::<f32>() / 6.0;
        }
    }
    next
}

/// The temperature at the start.
fn start([i, j, k]: [usize; 3]) -> f32 {
    spread(i * 31 + j * 17 + k * 7) as f32
}

/// Compares a small cube with the plain loops.
///
/// # Errors
/// Names the first cell that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let n = 9;
    let now = space.view_from_fn("now", [n; 3], start).map_err(told)?;
    let mut next = space.view_from_fn("next", [n; 3], start).map_err(told)?;
    step(space, &now, &mut next).map_err(told)?;
    let [now, next] = [now, next].map(|view| view.to_host().map_err(told));
    near("next", slice(&next?), &plain(slice(&now?), n), 1e-6)
}

fn race(setup: &Setup, n: usize) -> Made {
    at_least(n, 3)?;
    let views = [setup.view("now", [n; 3], start)?, setup.view("next", [n; 3], start)?];
    let inner = (n - 2).pow(3);
    let work = Work { bytes: 8 * n.pow(3), elements: inner };
    let lineup = setup.race(
        views,
        work,
        |space, [now, next]| step(space, now, next),
        source!("laplace3d"),
        move |peer, [now, next]| {
            // SAFETY: the source reads and writes n * n * n floats; n is 3 or more as checked above.
            unsafe { peer.call(&[read(slice(now)), out(slice_mut(next))], &[n]) };
        },
        move |[now, next]| near("next", slice(next), &plain(slice(now), n), 1e-6),
    )?;
    Ok(Box::new(lineup.reset(|[now, next]| slice_mut(next).copy_from_slice(slice(now)))))
}
