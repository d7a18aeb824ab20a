//! heat2d: explicit steps of the heat equation on a square whose edges are kept.

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
    name: "heat2d",
    hypothesis: "Five neighbours by a halo, a loop of vector code in each row, as in C++: level.",
    size: "n of n * n",
    variants: &[Variant::new("f64", &[256, 3000], race)],
};

/// Time step times diffusivity over the square of the cells' width.
const RATE: f64 = 0.2;

/// One step: `next` is the temperature after `now`.
///
/// # Errors
/// If the extents differ.
pub fn step<S: ExecutionSpace>(
    space: &S,
    now: &View<f64, 2, S::Memory>,
    next: &mut View<f64, 2, S::Memory>,
) -> spelt::Result<()> {
    let inner = space.md_range(now.extents().map(|n| 1..n - 1));
    parallel_for("heat2d", inner, (now.halo::<1>(), next), move |i, (now, mut next)| {
        let neighbours = now.at(i, [0, -1]) + now.at(i, [0, 1]) + now.at(i, [-1, 0]) + now.at(i, [1, 0]);
        next[i] = now[i] + RATE * (neighbours - 4.0 * now[i]);
    })
}

/// The same by loops over all places of a square.
fn plain(now: &[f64], n: usize) -> Vec<f64> {
    let mut next = now.to_vec();
    for i in 1..n - 1 {
        for at in i * n + 1..i * n + n - 1 {
            let neighbours = now[at - 1] + now[at + 1] + now[at - n] + now[at + n];
            next[at] = now[at] + RATE * (neighbours - 4.0 * now[at]);
        }
    }
    next
}

/// The temperature at the start.
fn start([i, j]: [usize; 2]) -> f64 {
    spread(i * 31 + j * 17)
}

/// Compares a small square with the plain loops.
///
/// # Errors
/// Names the first cell that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let n = 37;
    let now = space.view_from_fn("now", [n; 2], start).map_err(told)?;
    let mut next = space.view_from_fn("next", [n; 2], start).map_err(told)?;
    step(space, &now, &mut next).map_err(told)?;
    let [now, next] = [now, next].map(|view| view.to_host().map_err(told));
    near("next", slice(&next?), &plain(slice(&now?), n), 1e-14)
}

fn race(setup: &Setup, n: usize) -> Made {
    at_least(n, 3)?;
    let views = [setup.view("now", [n; 2], start)?, setup.view("next", [n; 2], start)?];
    let work = Work { bytes: 16 * n * n, elements: (n - 2) * (n - 2) };
    let lineup = setup.race(
        views,
        work,
        |space, [now, next]| step(space, now, next),
        source!("heat2d"),
        move |peer, [now, next]| {
            // SAFETY: the source reads and writes n * n doubles; n is 3 or more as checked above.
            unsafe { peer.call(&[read(slice(now)), out(slice_mut(next))], &[n]) };
        },
        move |[now, next]| near("next", slice(next), &plain(slice(now), n), 1e-14),
    )?;
    Ok(Box::new(lineup.reset(|[now, next]| slice_mut(next).copy_from_slice(slice(now)))))
}
