//! histogram: the counts of 256 values of pixels, by the algorithm and by contributions to any index.

use spelt::algorithms;
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
    name: "histogram",
    hypothesis: "One addition in the first cache for each pixel. The algorithm has copies for each thread, as C++ does, and knows that a byte \
        needs no check: level. `scatter` checks each index and its copy: twice as long.",
    size: "pixels",
    variants: &[Variant::new("u8", &[100_000, 20_000_000], race)],
};

/// The counts of values, by `spelt::algorithms`.
///
/// # Errors
/// If there is no memory for copies of the counts.
pub fn count<S: ExecutionSpace>(
    space: &S,
    pixels: &View<u8, 1, S::Memory>,
    counts: &mut View<u32, 1, S::Memory>,
) -> spelt::Result<()> {
    algorithms::histogram(space, pixels, counts)
}

/// The counts of values, by contributions.
///
/// # Errors
/// If there is no memory for copies of the counts.
pub fn scatter<S: ExecutionSpace>(
    space: &S,
    pixels: &View<u8, 1, S::Memory>,
    counts: &mut View<u32, 1, S::Memory>,
) -> spelt::Result<()> {
    space.fill(&mut *counts, 0)?;
    let args = (pixels, counts.scatter());
    parallel_for("histogram", space.range(0..pixels.len()), args, move |i, (pixels, counts)| {
        counts.add(pixels[i], 1)
    })
}

/// The same by a loop.
fn plain(pixels: &[u8]) -> Vec<u32> {
    let mut counts = vec![0; 256];
    pixels.iter().for_each(|&pixel| counts[usize::from(pixel)] += 1);
    counts
}

/// Values near the middle are more frequent.
fn pixel([i]: [usize; 1]) -> u8 {
    (128.0 * (spread(i) + spread(7 * i + 3))) as u8
}

/// Compares counts of a few pixels with the plain loop.
///
/// # Errors
/// Names the first count that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let pixels = space.view_from_fn("pixels", [3001], pixel).map_err(told)?;
    let expected = plain(slice(&pixels.to_host().map_err(told)?));
    let mut counts = space.zeros("counts", [256]).map_err(told)?;
    count(space, &pixels, &mut counts).map_err(told)?;
    same("counts", slice(&counts.to_host().map_err(told)?), &expected)?;
    scatter(space, &pixels, &mut counts).map_err(told)?;
    same("scattered counts", slice(&counts.to_host().map_err(told)?), &expected)
}

fn race(setup: &Setup, n: usize) -> Made {
    let data = (setup.view("pixels", [n], pixel)?, setup.view("counts", [256], |_| 0_u32)?);
    let expected = plain(slice(&data.0));
    let lineup = setup.race(
        data,
        Work { bytes: n, elements: n },
        |space, (pixels, counts)| count(space, pixels, counts),
        source!("histogram"),
        move |peer, (pixels, counts)| {
            // SAFETY: the source reads n bytes, and writes 256 numbers.
            unsafe { peer.call(&[read(slice(pixels)), out(slice_mut(counts))], &[n]) };
        },
        move |(_, counts)| same("counts", slice(counts), &expected),
    )?;
    let space = setup.space.clone();
    let lineup = lineup.with("Spelt scatter", move |(pixels, counts)| {
        scatter(&space, pixels, counts).expect("the launch fits the Views");
    });
    Ok(Box::new(lineup.reset(|(_, counts)| slice_mut(counts).fill(1))))
}
