//! Forces on the corners of each element: of its pressure, and against the hourglass modes.

use spelt::prelude::*;
use spelt::{Lookup, MemorySpace, Result, math};

use super::hexahedron::{self, Corners, gather};
use super::{Blast, State};
use crate::program::vector::{Vector, dot, scale, subtract};

/// The viscosity of the hourglass modes, relative to mass times speed of sound over length.
const HOURGLASS_VISCOSITY: f64 = 0.03;

/// The arguments of the kernel.
#[derive(KernelArgs)]
struct Elements<'a, M: MemorySpace> {
    nodes: &'a View<[u32; 8], 1, M>,
    position: Lookup<'a, Vector, 1, M>,
    velocity: Lookup<'a, Vector, 1, M>,
    mass: &'a View<f64, 1, M>,
    volume: &'a View<f64, 1, M>,
    state: &'a View<State, 1, M>,
    forces: &'a mut View<Corners, 1, M>,
    dissipated: &'a mut View<f64, 1, M>,
}

impl<M: MemorySpace> Blast<M> {
    /// Computes the forces that each element exerts on its corners.
    pub(super) fn compute_forces<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let (mesh, step) = (&self.mesh, self.clock.step);
        let elements = Elements {
            nodes: &mesh.nodes,
            position: self.position.lookup(),
            velocity: self.velocity.lookup(),
            mass: &mesh.volume,
            volume: &self.volume,
            state: &self.state,
            forces: &mut self.corner_forces,
            dissipated: &mut self.dissipated,
        };
        parallel_for("corner forces", space.range(0..mesh.elements()), elements, move |i, mut e| {
            let (places, velocities) = (gather(e.nodes[i], e.position), gather(e.nodes[i], e.velocity));
            let (mass, state) = (e.mass[i], e.state[i]);
            let volume = mass * e.volume[i];
            let outwards = state.pressure + state.viscosity;
            let damping = HOURGLASS_VISCOSITY * state.sound_speed * mass / math::cbrt(volume);
            let areas = hexahedron::corner_areas(&places);
            let hourglass = hexahedron::hourglass(&places, &velocities, volume);
            let mut power = 0.0;
            for corner in 0..8 {
                power += damping * dot(hourglass[corner], velocities[corner]);
                e.forces[i][corner] =
                    subtract(scale(outwards, areas[corner]), scale(damping, hourglass[corner]));
            }
            e.dissipated[i] += power * step;
        })
    }
}
