//! Checks of the physics.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::{Blast, State};
use crate::program::vector::{add, dot, scale};

/// The time at which the shock has gone a distance of 1. Source: Sedov's solution for this energy.
const TIME_AT_1: f64 = 1e-2;

/// The distance of the shock from the origin at this time, by Sedov's solution.
pub(crate) fn exact_front(time: f64) -> f64 {
    (time / TIME_AT_1).powf(0.4)
}

/// The differences between the energies of elements that are images of one another, in the plane z = 0 across x = y.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Symmetry {
    pub(crate) max_abs_diff: f64,
    pub(crate) total_abs_diff: f64,
    pub(crate) max_rel_diff: f64,
}

impl Symmetry {
    /// Compares the elements of the lowest plane, which has `size` of them along each side.
    pub(super) fn of(states: &[State], size: usize) -> Self {
        let mut symmetry = Self::default();
        let energy = |x: usize, y: usize| states[y * size + x].energy;
        for (x, y) in (0..size).flat_map(|y| (y + 1..size).map(move |x| (x, y))) {
            let difference = (energy(x, y) - energy(y, x)).abs();
            symmetry.total_abs_diff += difference;
            symmetry.max_abs_diff = symmetry.max_abs_diff.max(difference);
            if difference > 0.0 {
                symmetry.max_rel_diff = symmetry.max_rel_diff.max(difference / energy(y, x));
            }
        }
        symmetry
    }
}

/// The energy of the gas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Energy {
    /// Heat.
    pub(crate) internal: f64,
    /// Motion.
    pub(crate) kinetic: f64,
    /// The energy that the forces against the hourglass modes have taken from the motion: LULESH does not return it as heat.
    pub(crate) dissipated: f64,
}

impl Energy {
    /// The sum, which the blast keeps up to the error of the time steps. Most of that arises in the second step, in which the
    /// gas starts to move: its velocities belong to the middle of a step, but this one begins at rest.
    pub(crate) fn total(&self) -> f64 {
        self.internal + self.kinetic + self.dissipated
    }
}

impl<M: MemorySpace> Blast<M> {
    /// The energy of all elements and nodes.
    pub(crate) fn energy<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<Energy> {
        let mesh = &self.mesh;
        let internal = parallel_map_reduce(
            "internal energy",
            space.range(0..mesh.elements()),
            (&mesh.volume, &self.state),
            move |i, (mass, state)| mass[i] * state[i].energy,
            Sum::<f64>::new(),
        )?;
        let kinetic = parallel_map_reduce(
            "kinetic energy",
            space.range(0..mesh.node_count()),
            (&mesh.node_mass, &self.velocity),
            move |i, (mass, velocity)| 0.5 * mass[i] * dot(velocity[i], velocity[i]),
            Sum::<f64>::new(),
        )?;
        let dissipated = parallel_map_reduce(
            "dissipated energy",
            space.range(0..mesh.elements()),
            &self.dissipated,
            move |i, dissipated| dissipated[i],
            Sum::<f64>::new(),
        )?;
        Ok(Energy { internal, kinetic, dissipated })
    }

    /// The differences in the plane z = 0.
    pub(crate) fn symmetry(&self) -> Result<Symmetry> {
        Ok(Symmetry::of(&self.state.to_host()?.to_vec(), self.size))
    }

    /// The distance from the origin of the element with the highest pressure.
    pub(crate) fn front<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<f64> {
        let highest = parallel_map_reduce(
            "front",
            space.range(0..self.mesh.elements()),
            &self.state,
            move |i, state| state[i].pressure,
            MaxLoc::at_index(),
        )?;
        let nodes = self.mesh.nodes.to_host()?[highest.loc];
        let position = self.position.to_host()?;
        let sum = nodes.iter().fold([0.0; 3], |sum, &node| add(sum, position[node as usize]));
        let centre = scale(0.125, sum);
        Ok(dot(centre, centre).sqrt())
    }
}
