//! jacobi: an iteration of Jacobi for Laplace's equation on a square, and the sum of the squared changes, in one launch.

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::{at_least, told};
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, Side, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "jacobi",
    hypothesis: "A reduction that also writes. Its sum has independent lanes, so the loop is vector code; a sum in C++ is so only \
        with -ffast-math: ahead of the one, level with the other.",
    size: "n of n * n",
    variants: &[Variant::new("f32", &[256, 4000], race)],
};

/// One iteration, which returns the sum of the squared changes.
///
/// # Errors
/// If the extents differ.
pub fn iterate<S: ExecutionSpace>(
    space: &S,
    now: &View<f32, 2, S::Memory>,
    next: &mut View<f32, 2, S::Memory>,
) -> spelt::Result<f32> {
    let inner = space.md_range(now.extents().map(|n| 1..n - 1));
    parallel_reduce(
        "jacobi",
        inner,
        (now.halo::<1>(), next),
        move |i, sum, (now, mut next)| {
            let neighbours = now.at(i, [0, -1]) + now.at(i, [0, 1]) + now.at(i, [-1, 0]) + now.at(i, [1, 0]);
            next[i] = 0.25 * neighbours;
            let change = next[i] - now[i];
            *sum += change * change;
        },
        Sum::<f32>::new(),
    )
}

/// The same by loops, with the sum in `f64`.
fn plain(now: &[f32], n: usize) -> (Vec<f32>, f64) {
    let (mut next, mut sum) = (now.to_vec(), 0.0);
    for i in 1..n - 1 {
        for at in i * n + 1..i * n + n - 1 {
            next[at] = 0.25 * (now[at - 1] + now[at + 1] + now[at - n] + now[at + n]);
            sum += f64::from(next[at] - now[at]).powi(2);
        }
    }
    (next, sum)
}

/// The values at the start.
fn start([i, j]: [usize; 2]) -> f32 {
    spread(i * 31 + j * 17) as f32
}

/// Compares a small square with the plain loops.
///
/// # Errors
/// Names the first number that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let n = 37;
    let now = space.view_from_fn("now", [n; 2], start).map_err(told)?;
    let mut next = space.view_from_fn("next", [n; 2], start).map_err(told)?;
    let sum = iterate(space, &now, &mut next).map_err(told)?;
    let [now, next] = [now, next].map(|view| view.to_host().map_err(told));
    let (expected, expected_sum) = plain(slice(&now?), n);
    near("next", slice(&next?), &expected, 1e-6)?;
    near("the sum", &[f64::from(sum)], &[expected_sum], 1e-5)
}

/// The Views, and the sum of the last call.
struct Data {
    views: [View<f32, 2>; 2],
    sum: [f32; 1],
}

fn race(setup: &Setup, n: usize) -> Made {
    at_least(n, 3)?;
    let data =
        Data { views: [setup.view("now", [n; 2], start)?, setup.view("next", [n; 2], start)?], sum: [0.0] };
    let work = Work { bytes: 8 * n * n, elements: (n - 2) * (n - 2) };
    let (expected, expected_sum) = plain(slice(&data.views[0]), n);
    let lineup = setup.race_with_own_checks(
        data,
        work,
        |space, Data { views: [now, next], sum }| {
            sum[0] = iterate(space, now, next)?;
            Ok(())
        },
        source!("jacobi"),
        move |peer, Data { views: [now, next], sum }| {
            // SAFETY: the source reads and writes n * n floats, and writes one; n is 3 or more as checked above.
            unsafe { peer.call(&[read(slice(now)), out(slice_mut(next)), out(sum)], &[n]) };
        },
        move |data, side| {
            near("next", slice(&data.views[1]), &expected, 1e-6)?;
            // One running sum of C++ loses more than the digits of the terms.
            let bound = if side == Side::Peer { 0.1 } else { 1e-5 };
            near("the sum", &[f64::from(data.sum[0])], &[expected_sum], bound)
        },
    )?;
    Ok(Box::new(lineup.reset(|Data { views: [now, next], sum }| {
        slice_mut(next).copy_from_slice(slice(now));
        sum[0] = -1.0;
    })))
}
