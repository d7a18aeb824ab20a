//! A time step: populations arrive from the neighbours, and collide.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::moments::moments;
use super::{Cavity, FLUID, LID, OPPOSITE, PACES, POPULATIONS, VELOCITIES, WEIGHTS};

/// The neighbours that the populations come from.
pub(crate) const ORIGINS: [[isize; 3]; POPULATIONS] = {
    let mut origins = VELOCITIES;
    let mut q = 0;
    while q < POPULATIONS {
        origins[q] = VELOCITIES[OPPOSITE[q]];
        q += 1;
    }
    origins
};

impl<M: MemorySpace> Cavity<M> {
    /// One time step.
    pub(crate) fn advance<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let Self { size, lid, relaxation, kinds, now, next } = self;
        let (lid, relaxation) = (*lid, *relaxation);
        let arriving = now.each_ref().map(|population| population.halo::<1>());
        let fluid = space.md_range([1..*size + 1, 1..*size + 1, 1..*size + 1]);
        let args = (kinds.halo::<1>(), arriving, next.each_mut());
        parallel_for("lattice Boltzmann", fluid, args, move |i, (kinds, now, mut next)| {
            let mut populations = [0.0; POPULATIONS];
            unrolled::<POPULATIONS>(|q| {
                let kind = kinds.at(i, ORIGINS[q]);
                let pushed = if kind == LID { 6.0 * WEIGHTS[q] * PACES[q][0] * lid } else { 0.0 };
                let reflected = now[OPPOSITE[q]].at(i, [0, 0, 0]) + pushed;
                let arrived = now[q].at(i, ORIGINS[q]);
                populations[q] = if kind == FLUID { arrived } else { reflected };
            });
            let (density, [x, y, z]) = moments(&populations);
            let [x, y, z] = [x / density, y / density, z / density];
            let square = x * x + y * y + z * z;
            unrolled::<POPULATIONS>(|q| {
                let [a, b, c] = PACES[q];
                let forward = a * x + b * y + c * z;
                let equilibrium =
                    WEIGHTS[q] * density * (1.0 + 3.0 * forward + 4.5 * forward * forward - 1.5 * square);
                next[q][i] = populations[q] + relaxation * (equilibrium - populations[q]);
            });
        })?;
        core::mem::swap(now, next);
        Ok(())
    }
}
