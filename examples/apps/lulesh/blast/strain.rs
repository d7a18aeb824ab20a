//! The change of each element's shape in a step.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::Blast;
use super::hexahedron::{self, across, cross_sections, gather};
use crate::program::vector::{dot, scale, subtract};

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

impl<M: MemorySpace> Blast<M> {
    /// Computes volumes, and the gradients of the velocity along the axes of each element.
    pub(super) fn compute_strain<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let (mesh, half_step) = (&self.mesh, 0.5 * self.clock.step);
        parallel_for(
            "strain",
            space.range(0..mesh.elements()),
            (
                &mesh.nodes,
                self.position.lookup(),
                self.velocity.lookup(),
                &mesh.volume,
                &self.volume,
                &mut self.strain,
                &mut self.velocity_gradient,
                &mut self.width,
            ),
            move |i, (nodes, position, velocity, first, before, mut strain, mut gradient, mut width)| {
                let (places, velocities) = (gather(nodes[i], position), gather(nodes[i], velocity));
                let volume = hexahedron::volume(&places);
                let relative = volume / first[i];
                let (edges, [u, v, w]) = (across(&places), across(&velocities));
                let in_middle = |edge, difference| subtract(edge, scale(half_step, difference));
                let middle = [in_middle(edges[0], u), in_middle(edges[1], v), in_middle(edges[2], w)];
                strain[i] = Strain {
                    volume: relative,
                    change: relative - before[i],
                    rate: hexahedron::divergence(middle, [u, v, w]),
                    length: hexahedron::length(&places, volume),
                };

                let [a, b, c] = cross_sections(edges);
                let over = |area| volume / (dot(area, area) + TINY).sqrt();
                width[i] = [over(a), over(b), over(c)];
                gradient[i] = scale(1.0 / (volume + TINY), [dot(a, u), dot(b, v), dot(c, w)]);
            },
        )
    }
}
