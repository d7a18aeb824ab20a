//! scan: the sums of all numbers before each.

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::same;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "scan",
    hypothesis: "On one thread a plain loop is bound by one addition for each number, in C++ as here; on two threads both read the numbers \
        twice: level.",
    size: "numbers",
    variants: &[Variant::new("i32", &[100_000, 20_000_000], race)],
};

/// The exclusive scan.
///
/// # Errors
/// If the extents differ.
pub fn scan<S: ExecutionSpace>(
    space: &S,
    x: &View<i32, 1, S::Memory>,
    before: &mut View<i32, 1, S::Memory>,
) -> spelt::Result<i32> {
    parallel_scan(
        "scan",
        space.range(0..x.len()),
        (x, before),
        move |i, sum, last, (x, mut before)| {
            if last {
                before[i] = *sum;
            }
            *sum += x[i];
        },
        Sum::<i32>::new(),
    )
}

fn number([i]: [usize; 1]) -> i32 {
    (100.0 * spread(i)) as i32 - 50
}

/// The same by a loop.
fn plain(x: &[i32]) -> Vec<i32> {
    x.iter()
        .scan(0, |sum, x| {
            let before = *sum;
            *sum += x;
            Some(before)
        })
        .collect()
}

/// Compares a small scan with a plain one.
///
/// # Errors
/// Names the first sum that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let x = space.view_from_fn("x", [5001], number).map_err(told)?;
    let mut before = space.zeros("before", [5001]).map_err(told)?;
    scan(space, &x, &mut before).map_err(told)?;
    same("before", slice(&before.to_host().map_err(told)?), &plain(slice(&x.to_host().map_err(told)?)))
}

fn race(setup: &Setup, n: usize) -> Made {
    let data = [setup.view("x", [n], number)?, setup.view("before", [n], |_| 0)?];
    let expected = plain(slice(&data[0]));
    let lineup = setup.race(
        data,
        Work { bytes: 8 * n, elements: n },
        |space, [x, before]| scan(space, x, before).map(drop),
        source!("scan"),
        move |peer, [x, before]| {
            // SAFETY: the source reads and writes n numbers.
            unsafe { peer.call(&[read(slice(x)), out(slice_mut(before))], &[n]) };
        },
        move |[_, before]| same("before", slice(before), &expected),
    )?;
    Ok(Box::new(lineup.reset(|[_, before]| slice_mut(before).fill(-1))))
}
