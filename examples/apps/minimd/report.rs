//! The results, and whether they are right.

use std::io::{self, Write};

use super::melt::Thermo;
use crate::program::Outcome;

/// The largest relative change of the energy, and its growth in a step. Source: measured. The change is up to 0.00047 in 400 steps (for
/// the smallest size, 0.00033 for the next). In 10,000 steps it grows to 0.00033, because some atoms come within the cutoff before the
/// next lists: with lists every 5 steps it does not grow.
const MAX_ENERGY_CHANGE: [f64; 2] = [1e-3, 1e-7];

/// The largest momentum of an atom in the mean: rounding errors. Source: measured, 2e-16.
const MAX_MOMENTUM: f64 = 1e-14;

/// The largest relative difference from published numbers: one in the last of their digits.
const MAX_DIFFERENCE: f64 = 1e-6;

/// Temperature, potential energy and pressure, by size and step. Source: the reference output of miniMD.
const PUBLISHED: [(usize, usize, [f64; 3]); 15] = [
    (10, 0, [1.440000, -6.773368, -5.019973]),
    (10, 100, [0.7208599, -5.701261, 0.5236926]),
    (10, 1000, [0.6980069, -5.668184, 0.7374521]),
    (16, 0, [1.440000, -6.773368, -5.019743]),
    (16, 100, [0.7664122, -5.772278, 0.09799079]),
    (16, 1000, [0.7099636, -5.686254, 0.6419046]),
    (20, 0, [1.440000, -6.773368, -5.019707]),
    (20, 100, [0.7522746, -5.750134, 0.2187181]),
    (20, 1000, [0.7016939, -5.673190, 0.7132916]),
    (30, 0, [1.440000, -6.773368, -5.019681]),
    (30, 100, [0.7295161, -5.716058, 0.4437285]),
    (30, 1000, [0.6980593, -5.667330, 0.7413875]),
    (40, 0, [1.440000, -6.773368, -5.019674]),
    (40, 100, [0.7017854, -5.671670, 0.7172867]),
    (40, 1000, [0.6982877, -5.667457, 0.7431029]),
];

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) size: usize,
    /// The state at the start, some on the way, and that at the end.
    pub(crate) states: Vec<Thermo>,
}

impl Report {
    /// The state at the end.
    pub(crate) fn last(&self) -> &Thermo {
        self.states.last().expect("the start is a state")
    }

    /// Writes the results.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "Lennard-Jones melt: {0} x {0} x {0} unit cells, {1} atoms",
            self.size,
            4 * self.size.pow(3)
        )?;
        writeln!(
            out,
            "  {:>6} {:>13} {:>13} {:>13} {:>13}",
            "step", "temperature", "potential", "pressure", "energy"
        )?;
        for Thermo { step, temperature, potential, pressure, energy, .. } in &self.states {
            writeln!(
                out,
                "  {step:>6} {temperature:>13.6e} {potential:>13.6e} {pressure:>13.6e} {energy:>13.6e}"
            )?;
        }
        Ok(())
    }

    /// Whether the results are right.
    pub(crate) fn verify(&self) -> Outcome {
        let start = self.states[0].energy;
        for state in &self.states {
            let Thermo { step, energy, momentum, .. } = *state;
            let [most, growth] = MAX_ENERGY_CHANGE;
            let change = (energy / start - 1.0).abs();
            if change > most + growth * step as f64 || change.is_nan() {
                return Err(format!("step {step}: the energy was {start:.6} and is {energy:.6}").into());
            }
            if momentum.iter().any(|part| part.abs() > MAX_MOMENTUM || part.is_nan()) {
                return Err(format!("step {step}: the momentum is {momentum:?}").into());
            }
            self.compare_with_published(state)?;
        }
        Ok(())
    }

    /// Compares a state with the published one, if there is one for its size and step.
    fn compare_with_published(&self, state: &Thermo) -> Outcome {
        let found = [state.temperature, state.potential, state.pressure];
        for (size, step, published) in PUBLISHED {
            let close = |(a, b): (&f64, f64)| (a - b).abs() <= MAX_DIFFERENCE * b.abs();
            if (size, step) == (self.size, state.step) && !found.iter().zip(published).all(close) {
                let message = format!("size {size}, step {step}: {found:?}; published: {published:?}");
                return Err(message.into());
            }
        }
        Ok(())
    }
}
