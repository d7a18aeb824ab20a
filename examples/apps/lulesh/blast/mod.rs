//! The Sedov blast: energy in one corner of a cube of cold gas drives a shock through it.
//!
//! The equations of motion are discretised as in LULESH 2.0: the mesh moves with the gas, forces act on its nodes, and each
//! element has its energy, pressure and volume. Sources: "Hydrodynamics Challenge Problem", LLNL-TR-490254, and "LULESH 2.0
//! Updates and Changes", LLNL-TR-641973.
//!
//! | file | concept |
//! |---|---|
//! | `mesh` | nodes, elements, and the lists that connect them |
//! | `regions` | elements that are computed together |
//! | `forces` | forces on the corners of each element |
//! | `motion` | the nodes: force, acceleration, velocity, place |
//! | `strain` | the change of each element's shape |
//! | `viscosity` | the artificial viscosity, which spreads the shock over a few elements |
//! | `material` | the gas: energy, pressure, speed of sound |
//! | `clock` | time steps |
//! | `checks` | symmetry, total energy, the place of the shock |
//! | `hexahedron` | geometry |
//!
//! No kernel writes what another iteration reads. Where a loop over elements would add to nodes, a loop over nodes gathers
//! instead, in the order of the list: the bits are the same on every space.

mod checks;
mod clock;
mod forces;
pub(crate) mod hexahedron;
mod material;
mod mesh;
mod motion;
mod regions;
mod strain;
mod viscosity;

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use crate::program::Outcome;
pub(crate) use crate::program::vector::Vector;
pub(crate) use checks::{Energy, Symmetry, exact_front};
pub(crate) use clock::{Clock, END};
pub(crate) use material::State;
pub(crate) use mesh::Mesh;
pub(crate) use regions::Costs;

use hexahedron::Corners;
use material::Gas;
use regions::Regions;
use strain::Strain;
use viscosity::Coefficients;

/// The energy of the corner element with 45 elements along each side: the shock then has gone a distance of 1 at the end.
const ENERGY_AT_45: f64 = 3.948746e7;

/// The state of the simulation, in the kernels' memory.
pub(crate) struct Blast<M: MemorySpace = HostSpace> {
    /// The number of elements along each side.
    pub(crate) size: usize,
    pub(crate) mesh: Mesh<M>,
    regions: Regions<M>,
    pub(crate) clock: Clock,

    // Of each node.
    pub(crate) position: View<Vector, 1, M>,
    velocity: View<Vector, 1, M>,

    // Of each element.
    pub(crate) state: View<State, 1, M>,
    /// The volume, relative to that at the start.
    pub(crate) volume: View<f64, 1, M>,
    strain: View<Strain, 1, M>,
    /// The change of the velocity across the element along each axis, per length.
    velocity_gradient: View<Vector, 1, M>,
    /// The width of the element along each axis.
    width: View<Vector, 1, M>,
    coefficients: View<Coefficients, 1, M>,
    corner_forces: View<Corners, 1, M>,
    /// The energy that the forces against the hourglass modes have taken from the motion.
    dissipated: View<f64, 1, M>,
    gas: Gas<M>,
}

impl<M: MemorySpace> Blast<M> {
    /// The blast at its start, with `size` elements along each side.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(space: &S, size: usize, costs: Costs) -> Result<Self> {
        let (mesh, position) = Mesh::cube(space, size)?;
        let (elements, nodes) = ([mesh.elements()], [mesh.node_count()]);
        let energy = ENERGY_AT_45 * (size as f64 / 45.0).powi(3);
        let state = |[element]: [usize; 1]| State {
            energy: if element == 0 { energy } else { 0.0 },
            ..State::default()
        };
        Ok(Self {
            size,
            regions: Regions::new(space, elements[0], costs)?,
            clock: Clock::new(size, energy),
            mesh,
            position,
            velocity: space.zeros("velocity", nodes)?,
            state: space.view_from_fn("state", elements, state)?,
            volume: space.view_from_fn("relative volume", elements, |_| 1.0)?,
            strain: space.zeros("strain", elements)?,
            velocity_gradient: space.zeros("velocity gradient", elements)?,
            width: space.zeros("width", elements)?,
            coefficients: space.zeros("coefficients", elements)?,
            dissipated: space.zeros("dissipated energy", elements)?,
            corner_forces: space.zeros("corner forces", elements)?,
            gas: Gas::new(space, elements[0])?,
        })
    }

    /// Advances by one time step.
    pub(crate) fn advance<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Outcome {
        self.clock.tick();
        self.compute_forces(space)?;
        self.move_nodes(space)?;
        self.compute_strain(space)?;
        self.compute_viscosity(space)?;
        self.compute_state(space)?;
        self.limit_time_step(space)
    }
}
