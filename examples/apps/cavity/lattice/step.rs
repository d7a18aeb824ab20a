//! A time step: populations arrive from the neighbours, and collide.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::{Cavity, FLUID, LID, OPPOSITE, POPULATIONS, VELOCITIES, WEIGHTS};

/// The velocity of a population along an axis, as a float.
#[inline(always)]
fn along(q: usize, axis: usize) -> f64 {
    VELOCITIES[q][axis] as f64
}

/// Density and momentum of the populations of a cell.
#[inline(always)]
pub(crate) fn moments(populations: &[f64; POPULATIONS]) -> (f64, [f64; 3]) {
    let density = populations.iter().sum();
    let momentum =
        core::array::from_fn(|axis| (1..POPULATIONS).map(|q| populations[q] * along(q, axis)).sum());
    (density, momentum)
}

impl<M: MemorySpace> Cavity<M> {
    /// One time step.
    pub(crate) fn advance<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let Self { size, lid, relaxation, kinds, now, next, steps } = self;
        let (lid, relaxation) = (*lid, *relaxation);
        let arriving = now.each_ref().map(|population| population.halo::<1>());
        let fluid = space.md_range([1..*size + 1, 1..*size + 1, 1..*size + 1]);
        let args = (kinds.halo::<1>(), arriving, next.each_mut());
        parallel_for("lattice Boltzmann", fluid, args, move |i, (kinds, now, mut next)| {
            let mut populations = [0.0; POPULATIONS];
            for q in 0..POPULATIONS {
                let from = VELOCITIES[q].map(|part| -part);
                let kind = kinds.at(i, from);
                let pushed = if kind == LID { 6.0 * WEIGHTS[q] * along(q, 0) * lid } else { 0.0 };
                let reflected = now[OPPOSITE[q]].at(i, [0, 0, 0]) + pushed;
                populations[q] = if kind == FLUID { now[q].at(i, from) } else { reflected };
            }
            let (density, momentum) = moments(&populations);
            let velocity = momentum.map(|part| part / density);
            let square: f64 = velocity.iter().map(|part| part * part).sum();
            for q in 0..POPULATIONS {
                let forward: f64 = (0..3).map(|axis| along(q, axis) * velocity[axis]).sum();
                let equilibrium =
                    WEIGHTS[q] * density * (1.0 + 3.0 * forward + 4.5 * forward * forward - 1.5 * square);
                next[q][i] = populations[q] + relaxation * (equilibrium - populations[q]);
            }
        })?;
        core::mem::swap(now, next);
        *steps += 1;
        Ok(())
    }
}
