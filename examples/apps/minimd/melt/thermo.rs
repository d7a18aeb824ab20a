//! Temperature, energies, pressure and momentum.

use spelt::prelude::*;
use spelt::tools::region;
use spelt::{MemorySpace, Result};

use super::Melt;
use super::forces::{CUTOFF, LANES, force, potential, sum_pairs};
use crate::program::vector::{Vector, dot};

/// The thermodynamic state after a step. Energies and momentum are those of an atom, in the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Thermo {
    pub(crate) step: usize,
    pub(crate) temperature: f64,
    pub(crate) potential: f64,
    pub(crate) pressure: f64,
    /// The energy that is kept: of the motion, and of the pairs by a potential that is 0 at the cutoff. The one in `potential` jumps there.
    pub(crate) energy: f64,
    pub(crate) momentum: Vector,
}

impl<M: MemorySpace> Melt<M> {
    /// The sums of the velocities and of their squares.
    pub(super) fn motion<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<(Vector, f64)> {
        let [x, y, z, square] = parallel_map_reduce(
            "motion",
            space.range(0..self.atoms()),
            &self.velocity,
            move |i, velocity| {
                let [x, y, z] = velocity[i];
                [x, y, z, dot(velocity[i], velocity[i])]
            },
            Elementwise::<Sum<f64>, 4>::new(Sum::new()),
        )?;
        Ok(([x, y, z], square))
    }

    /// The temperature of motion with this sum of squared velocities; the momentum takes three degrees of freedom.
    pub(super) fn temperature(&self, square: f64) -> f64 {
        square / self.degrees_of_freedom()
    }

    fn degrees_of_freedom(&self) -> f64 {
        (3 * self.atoms() - 3) as f64
    }

    /// The thermodynamic state.
    pub(crate) fn thermo<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<Thermo> {
        let _region = region("state");
        let (cube, neighbours, atoms) = (self.cube, &self.neighbours, self.atoms() as f64);
        let (velocity, square) = self.motion(space)?;
        // Lists name each pair twice.
        let [energy, virial, pairs] = parallel_map_reduce(
            "pairs",
            space.range(0..self.atoms()),
            (&self.position, self.position.lookup(), neighbours.lists.by_rows(), &neighbours.counts),
            move |i, (place, position, lists, counts)| {
                let list = &lists[i][..(counts[i] as usize).next_multiple_of(LANES)];
                sum_pairs(cube, place[i], list, position, |between, square| {
                    let pairs = if square < f64::INFINITY { 0.5 } else { 0.0 };
                    [0.5 * potential(square), 0.5 * force(square) * dot(between, between), pairs]
                })
            },
            Elementwise::<Sum<f64>, 3>::new(Sum::new()),
        )?;
        Ok(Thermo {
            step: self.step,
            temperature: self.temperature(square),
            potential: energy / atoms,
            pressure: (square + virial) / (3.0 * cube.volume()),
            energy: (0.5 * square + energy - pairs * potential(CUTOFF * CUTOFF)) / atoms,
            momentum: velocity.map(|part| part / atoms),
        })
    }
}
