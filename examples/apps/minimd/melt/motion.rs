//! The motion of the atoms: the velocity Verlet method. Atoms have the mass 1.

use spelt::prelude::*;
use spelt::tools::region;
use spelt::{MemorySpace, Result};

use super::Melt;
use crate::program::vector::{add, scale};

/// The length of a time step.
pub(crate) const STEP: f64 = 0.005;

impl<M: MemorySpace> Melt<M> {
    /// Accelerates the atoms for half a step, and moves them for a step.
    pub(super) fn kick_and_drift<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let _region = region("move");
        parallel_for(
            "kick and drift",
            space.range(0..self.force.len()),
            (&self.force, &mut self.velocity, &mut self.position),
            move |i, (force, mut velocity, mut position)| {
                velocity[i] = add(velocity[i], scale(0.5 * STEP, force[i]));
                position[i] = add(position[i], scale(STEP, velocity[i]));
            },
        )
    }

    /// Accelerates the atoms for half a step.
    pub(super) fn kick<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let _region = region("move");
        parallel_for(
            "kick",
            space.range(0..self.force.len()),
            (&self.force, &mut self.velocity),
            move |i, (force, mut velocity)| velocity[i] = add(velocity[i], scale(0.5 * STEP, force[i])),
        )
    }
}
