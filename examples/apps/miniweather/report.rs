//! The results, and whether they are right.

use std::io::{self, Write};

use super::options::Scenario;
use super::weather::totals::Totals;
use crate::program::Outcome;

/// The largest relative change of the mass: rounding errors. Source: miniWeather's documentation, for `DOCUMENTED_STEPS`.
const MAX_MASS_CHANGE: f64 = 1e-13;

/// The steps to the documented time on the smallest grid that is documented; the rounding errors of more steps may add up to more.
const DOCUMENTED_STEPS: usize = 600;

/// The energy of a thermal shrinks in `DOCUMENTED_TIME`, and by at most this part, on 100 cells or more. Source: miniWeather's documentation.
const MAX_ENERGY_CHANGE: f64 = 4.5e-5;

/// Unit: seconds.
const DOCUMENTED_TIME: f64 = 400.0;

/// Unit: cells along x.
const DOCUMENTED_SIZE: usize = 100;

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) scenario: Scenario,
    /// Along x and z.
    pub(crate) cells: [usize; 2],
    /// Unit: seconds.
    pub(crate) time: f64,
    pub(crate) steps: usize,
    pub(crate) start: Totals,
    pub(crate) end: Totals,
}

impl Report {
    /// The relative change of the mass.
    pub(crate) fn mass_change(&self) -> f64 {
        (self.end.mass - self.start.mass) / self.start.mass
    }

    /// The relative change of the energy.
    pub(crate) fn energy_change(&self) -> f64 {
        (self.end.energy - self.start.energy) / self.start.energy
    }

    /// Writes the results.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let ([nx, nz], Totals { mass, energy }) = (self.cells, self.end);
        writeln!(
            out,
            "miniWeather, {}: {nx} x {nz} cells, {} steps to {} s",
            self.scenario, self.steps, self.time
        )?;
        writeln!(out, "  mass   {mass:.9e} kg/m, change {:+.2e}", self.mass_change())?;
        writeln!(out, "  energy {energy:.9e} J/m, change {:+.6e}", self.energy_change())
    }

    /// Whether the results are right.
    pub(crate) fn verify(&self) -> Outcome {
        let (change, [nx, _]) = (self.mass_change().abs(), self.cells);
        if !change.is_finite() || !self.end.energy.is_finite() {
            return Err(format!(
                "the air is not finite after {} s on {nx} cells along x: choose a shorter --time, and another --size",
                self.time
            )
            .into());
        }
        let bound = MAX_MASS_CHANGE * self.steps.div_ceil(DOCUMENTED_STEPS).max(1) as f64;
        if change > bound {
            return Err(format!(
                "the mass was {} and is {} kg/m: rounding errors explain a part of {bound:e}, so a kernel is wrong; compare --space serial",
                self.start.mass, self.end.mass
            )
            .into());
        }
        let is_documented = self.scenario == Scenario::Thermal
            && self.time == DOCUMENTED_TIME
            && self.cells[0] >= DOCUMENTED_SIZE;
        let change = self.energy_change();
        if is_documented && !(-MAX_ENERGY_CHANGE..0.0).contains(&change) {
            return Err(format!(
                "the energy changed by {change:e} of it, not from -{MAX_ENERGY_CHANGE:e} to 0 as documented, so a kernel is wrong; \
                 compare --space serial"
            )
            .into());
        }
        Ok(())
    }
}
