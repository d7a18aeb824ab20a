//! The motion of the nodes.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::Blast;
use crate::program::vector::add;

/// Speeds below this are zero.
const SPEED_CUT: f64 = 1e-7;

impl<M: MemorySpace> Blast<M> {
    /// Adds the forces on each node, accelerates it and moves it.
    pub(super) fn move_nodes<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let (mesh, step) = (&self.mesh, self.clock.step);
        parallel_for(
            "motion",
            space.range(0..mesh.node_count()),
            (
                mesh.corners.by_segments(&mesh.corner_offsets),
                self.corner_forces.lookup(),
                &mesh.node_mass,
                &mesh.in_plane,
                &mut self.velocity,
                &mut self.position,
            ),
            move |i, (corners, forces, mass, in_plane, mut velocity, mut position)| {
                let mut force = [0.0; 3];
                for &corner in &corners[i] {
                    let corner = corner as usize;
                    force = add(force, forces[corner / 8][corner % 8]);
                }
                for axis in 0..3 {
                    let acceleration = if in_plane[i][axis] { 0.0 } else { force[axis] / mass[i] };
                    let speed = velocity[i][axis] + acceleration * step;
                    let speed = if speed.abs() < SPEED_CUT { 0.0 } else { speed };
                    velocity[i][axis] = speed;
                    position[i][axis] += speed * step;
                }
            },
        )
    }
}
