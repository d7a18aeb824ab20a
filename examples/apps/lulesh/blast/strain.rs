//! The change of each element's shape in a step.

use spelt::prelude::*;
use spelt::{Lookup, MemorySpace, Result};

use super::Blast;
use super::hexahedron::{self, across, cross_sections, gather};
use crate::program::vector::{Vector, dot, scale, subtract};

/// Avoids divisions by zero.
pub(super) const TINY: f64 = 1e-36;

/// An element's volume and its change.
#[derive(Clone, Copy, Debug, Element)]
pub(crate) struct Strain {
    /// The volume at the end of the step, relative to that at the start of the simulation.
    pub(crate) volume: f64,
    /// Its change in this step.
    pub(crate) change: f64,
    /// The rate of change in the middle of the step, relative to the volume.
    pub(crate) rate: f64,
    /// The shortest way through the element.
    pub(crate) length: f64,
}

/// The arguments of the kernel.
#[derive(KernelArgs)]
struct Shapes<'a, M: MemorySpace> {
    nodes: &'a View<[u32; 8], 1, M>,
    position: Lookup<'a, Vector, 1, M>,
    velocity: Lookup<'a, Vector, 1, M>,
    /// The volumes at the start of the simulation.
    first: &'a View<f64, 1, M>,
    /// The relative volumes before the step.
    before: &'a View<f64, 1, M>,
    strain: &'a mut View<Strain, 1, M>,
    gradient: &'a mut View<Vector, 1, M>,
    width: &'a mut View<Vector, 1, M>,
}

impl<M: MemorySpace> Blast<M> {
    /// Computes volumes, and the gradients of the velocity along the axes of each element.
    pub(super) fn compute_strain<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let (mesh, half_step) = (&self.mesh, 0.5 * self.clock.step);
        let shapes = Shapes {
            nodes: &mesh.nodes,
            position: self.position.lookup(),
            velocity: self.velocity.lookup(),
            first: &mesh.volume,
            before: &self.volume,
            strain: &mut self.strain,
            gradient: &mut self.velocity_gradient,
            width: &mut self.width,
        };
        parallel_for("strain", space.range(0..mesh.elements()), shapes, move |i, mut s| {
            let (places, velocities) = (gather(s.nodes[i], s.position), gather(s.nodes[i], s.velocity));
            let volume = hexahedron::volume(&places);
            let relative = volume / s.first[i];
            let (edges, [u, v, w]) = (across(&places), across(&velocities));
            let in_middle = |edge, difference| subtract(edge, scale(half_step, difference));
            let middle = [in_middle(edges[0], u), in_middle(edges[1], v), in_middle(edges[2], w)];
            s.strain[i] = Strain {
                volume: relative,
                change: relative - s.before[i],
                rate: hexahedron::divergence(middle, [u, v, w]),
                length: hexahedron::length(&places, volume),
            };

            let [a, b, c] = cross_sections(edges);
            let over = |area| volume / (dot(area, area) + TINY).sqrt();
            s.width[i] = [over(a), over(b), over(c)];
            s.gradient[i] = scale(1.0 / (volume + TINY), [dot(a, u), dot(b, v), dot(c, w)]);
        })
    }
}
