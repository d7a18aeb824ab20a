//! atomicReduction: the sums of blocks, added to one number by atomic additions.

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
    name: "atomic-reduction",
    hypothesis: "Integers, so both compilers add lanes within a block, and one atomic addition for 1024 numbers counts for little: level.",
    size: "numbers",
    variants: &[Variant::new("i32", &[102_400, 20_480_000], race)],
};

/// Numbers of a block.
const BLOCK: usize = 1024;

/// Adds all elements of whole blocks to `total`.
///
/// # Errors
/// If `x` is not divided by blocks.
pub fn add<S: ExecutionSpace>(
    space: &S,
    x: &View<i32, 1, S::Memory>,
    total: &mut View<i32, 1, S::Memory>,
) -> spelt::Result<()> {
    space.fill(&mut *total, 0)?;
    let args = (x.by_blocks(BLOCK), total.atomic());
    parallel_for("add", space.range(0..x.len() / BLOCK), args, move |block, (x, total)| {
        total.add(0, x[block].iter().sum());
    })
}

fn number([i]: [usize; 1]) -> i32 {
    (100.0 * spread(i)) as i32 - 50
}

/// Compares a small sum with a plain one.
///
/// # Errors
/// If they differ.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let x = space.view_from_fn("x", [3 * BLOCK], number).map_err(told)?;
    let mut total = space.zeros("total", [1]).map_err(told)?;
    add(space, &x, &mut total).map_err(told)?;
    let expected: i32 = (0..3 * BLOCK).map(|i| number([i])).sum();
    same("total", slice(&total.to_host().map_err(told)?), &[expected])
}

fn race(setup: &Setup, n: usize) -> Made {
    if !n.is_multiple_of(BLOCK) {
        return Err(format!("the size is {n}: choose a multiple of {BLOCK}"));
    }
    let data = (setup.view("x", [n], number)?, setup.view("total", [1], |_| 0)?);
    let expected: i32 = slice(&data.0).iter().sum();
    let lineup = setup.race(
        data,
        Work { bytes: 4 * n, elements: n },
        |space, (x, total)| add(space, x, total),
        source!("atomic_reduction"),
        move |peer, (x, total)| {
            // SAFETY: the source reads n numbers in whole blocks, which divide n as checked above, and writes one.
            unsafe { peer.call(&[read(slice(x)), out(slice_mut(total))], &[n]) };
        },
        move |(_, total)| same("total", slice(total), &[expected]),
    )?;
    Ok(Box::new(lineup.reset(|(_, total)| slice_mut(total).fill(1))))
}
