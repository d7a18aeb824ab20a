//! Sums over the whole slice, which tell whether the results are right.

use spelt::math::pow;
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::Weather;
use super::background::{AT_PRESSURE, AT_VOLUME, GAS, GROUND};
use super::fluxes::{air, pressure};

/// Mass and energy of all cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Totals {
    /// Unit: kg/m.
    pub(crate) mass: f64,
    /// As miniWeather defines it, with twice the energy of motion: its documented limits are for this sum. Unit: J/m.
    pub(crate) energy: f64,
}

impl<M: MemorySpace> Weather<M> {
    /// The totals now.
    pub(crate) fn totals<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<Totals> {
        let [nx, nz] = self.grid.cells;
        let args =
            (self.state.each_ref(), self.background.density.along::<0>(), self.background.heat.along::<0>());
        let [mass, energy] = parallel_map_reduce(
            "totals",
            space.md_range([0..nz, 0..nx]),
            args,
            move |i, (state, density, heat)| {
                let [r, u, w, t] =
                    air([state[0][i], state[1][i], state[2][i], state[3][i]], density[i], heat[i]);
                let temperature = t * pow(pressure(r, t) / GROUND, GAS / AT_PRESSURE);
                [r, r * (u * u + w * w) + r * AT_VOLUME * temperature]
            },
            Sum::<[f64; 2]>::new(),
        )?;
        let area = self.grid.widths[0] * self.grid.widths[1];
        Ok(Totals { mass: mass * area, energy: energy * area })
    }
}
