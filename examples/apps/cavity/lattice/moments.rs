//! Density and velocity of the fluid, and its mass, which tells whether a step is right.

use spelt::prelude::*;
use spelt::{HostSpace, MemorySpace, Result};

use super::{Cavity, PACES, POPULATIONS};

/// Density and momentum of the populations of a cell.
#[inline(always)]
pub(crate) fn moments(populations: &[f64; POPULATIONS]) -> (f64, [f64; 3]) {
    let (mut density, mut momentum) = (0.0, [0.0; 3]);
    unrolled::<POPULATIONS>(|q| {
        density += populations[q];
        for axis in 0..3 {
            momentum[axis] += PACES[q][axis] * populations[q];
        }
    });
    (density, momentum)
}

impl<M: MemorySpace> Cavity<M> {
    /// The mass of all fluid. Unit: that of a cell at the start.
    pub(crate) fn mass<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<f64> {
        let size = self.size;
        let fluid = space.md_range([1..size + 1, 1..size + 1, 1..size + 1]);
        parallel_map_reduce(
            "mass",
            fluid,
            self.now.each_ref(),
            move |i, now| {
                let mut density = 0.0;
                for population in &now {
                    density += population[i];
                }
                density
            },
            Sum::<f64>::new(),
        )
    }

    /// The velocity in each cell, over that of the lid; the layer of walls around the fluid is at rest.
    pub(crate) fn velocities<S>(&self, space: &S) -> Result<View<[f64; 3], 3, HostSpace>>
    where
        S: ExecutionSpace<Memory = M>,
    {
        let (size, lid) = (self.size, self.lid);
        let mut velocities = space.zeros::<[f64; 3], 3>("velocities", [size + 2; 3])?;
        let fluid = space.md_range([1..size + 1, 1..size + 1, 1..size + 1]);
        let args = (self.now.each_ref(), &mut velocities);
        parallel_for("velocities", fluid, args, move |i, (now, mut velocities)| {
            let mut populations = [0.0; POPULATIONS];
            for q in 0..POPULATIONS {
                populations[q] = now[q][i];
            }
            let (density, [x, y, z]) = moments(&populations);
            velocities[i] = [x / (density * lid), y / (density * lid), z / (density * lid)];
        })?;
        velocities.to_host()
    }
}
