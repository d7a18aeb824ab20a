//! The results, and whether they are right.

use std::io::{self, Write};

use spelt::View;

use super::options::Options;
use crate::program::Outcome;

/// The largest relative change of the mass in one step: rounding errors. Source: measured, 5e-13 in 3000 steps, that is 2e-16.
const MAX_MASS_CHANGE: f64 = 2e-15;

/// Steps whose rounding errors few steps may have too: those of the sum over all cells.
const MIN_STEPS: usize = 100;

/// The largest difference between the velocity in a cell and in its mirror image, over the lid's: rounding errors. Source: measured,
/// 1e-14.
const MAX_ASYMMETRY: f64 = 1e-10;

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) size: usize,
    pub(crate) steps: usize,
    pub(crate) reynolds: f64,
    /// At the start and at the end.
    pub(crate) mass: [f64; 2],
    /// The largest difference between a cell and its mirror image, over the lid's velocity.
    pub(crate) asymmetry: f64,
    /// The strongest flow against the lid, on the line from the middle of the ground to that of the lid, and its height, from 0 to 1.
    pub(crate) backwards: (f64, f64),
}

impl Report {
    /// Of these velocities, which a layer at rest surrounds.
    pub(crate) fn new(options: &Options, mass: [f64; 2], velocities: &View<[f64; 3], 3>) -> Self {
        let size = options.size;
        // The lid moves along x, so y and -y are alike.
        let difference = |([x, y, z], velocity): ([usize; 3], &[f64; 3])| {
            let [u, v, w] = velocities[[x, size + 1 - y, z]];
            [velocity[0] - u, velocity[1] + v, velocity[2] - w].map(f64::abs).into_iter().fold(0.0, worse)
        };
        let asymmetry = velocities.indexed_iter().map(difference).fold(0.0, worse);
        // Between four cells if the number of cells along a side is even.
        let middle = [size.div_ceil(2), size / 2 + 1];
        let mean = |z: usize| {
            let four = middle.into_iter().flat_map(|x| middle.map(|y| velocities[[x, y, z]][0]));
            0.25 * four.sum::<f64>()
        };
        let heights = (1..=size).map(|z| (mean(z), (z as f64 - 0.5) / size as f64));
        let backwards = heights.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0.0));
        Self { size, steps: options.steps, reynolds: options.reynolds, mass, asymmetry, backwards }
    }

    /// Writes the results.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { size, steps, reynolds, mass: [start, end], backwards: (velocity, height), .. } = self;
        writeln!(out, "cavity: {size} x {size} x {size} cells, Reynolds number {reynolds}, {steps} steps")?;
        writeln!(out, "  mass {end:.6e}, change {:+.1e}", end / start - 1.0)?;
        writeln!(out, "  strongest flow against the lid {velocity:.6} of its velocity, at height {height:.4}")
    }

    /// Whether the results are right.
    pub(crate) fn verify(&self) -> Outcome {
        let [start, end] = self.mass;
        let change = (end / start - 1.0).abs();
        if !change.is_finite() {
            return Err(format!(
                "the flow is unstable at Reynolds number {} on {} cells along a side: use more cells",
                self.reynolds, self.size
            )
            .into());
        }
        let bound = MAX_MASS_CHANGE * self.steps.max(MIN_STEPS) as f64;
        if change > bound {
            return Err(format!(
                "the mass was {start} and is {end}: rounding errors explain a part of {bound:e}, so a kernel is wrong; compare --space serial"
            )
            .into());
        }
        if self.asymmetry > MAX_ASYMMETRY || self.asymmetry.is_nan() {
            return Err(format!(
                "mirror images differ by {:e} of the lid's velocity, not by at most {MAX_ASYMMETRY:e}: use more cells, which keep the flow \
                 symmetric, or a smaller Reynolds number",
                self.asymmetry
            )
            .into());
        }
        Ok(())
    }
}

/// The larger number; NaN is worse than any.
fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}
