//! Forces on the corners of each element: of its pressure, and against the hourglass modes.

use spelt::prelude::*;
use spelt::{MemorySpace, Result, math};

use super::Blast;
use super::hexahedron::{self, gather};
use crate::program::vector::{dot, scale, subtract};

/// The viscosity of the hourglass modes, relative to mass times speed of sound over length.
const HOURGLASS_VISCOSITY: f64 = 0.03;

impl<M: MemorySpace> Blast<M> {
    /// Computes the forces that each element exerts on its corners.
    pub(super) fn compute_forces<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let (mesh, step) = (&self.mesh, self.clock.step);
        parallel_for(
            "corner forces",
            space.range(0..mesh.elements()),
            (
                &mesh.nodes,
                self.position.lookup(),
                self.velocity.lookup(),
                &mesh.volume,
                &self.volume,
                &self.state,
                &mut self.corner_forces,
                &mut self.dissipated,
            ),
            move |i, (nodes, position, velocity, mass, volume, state, mut forces, mut dissipated)| {
                let (places, velocities) = (gather(nodes[i], position), gather(nodes[i], velocity));
                let volume = mass[i] * volume[i];
                let outwards = state[i].pressure + state[i].viscosity;
                let damping = HOURGLASS_VISCOSITY * state[i].sound_speed * mass[i] / math::cbrt(volume);
                let areas = hexahedron::corner_areas(&places);
                let hourglass = hexahedron::hourglass(&places, &velocities, volume);
                let mut power = 0.0;
                for corner in 0..8 {
                    power += damping * dot(hourglass[corner], velocities[corner]);
                    forces[i][corner] =
                        subtract(scale(outwards, areas[corner]), scale(damping, hourglass[corner]));
                }
                dissipated[i] += power * step;
            },
        )
    }
}
