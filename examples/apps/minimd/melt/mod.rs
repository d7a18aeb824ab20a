//! A Lennard-Jones crystal that melts, in the reduced units of the potential.
//!
//! As in miniMD, atoms start on a lattice with random velocities. The forces have a cutoff; the lists of neighbours reach a little
//! further, so that they serve several steps. Source: A. Rahman, Correlations in the motion of atoms in liquid argon, 1964; L. Verlet,
//! Computer "experiments" on classical fluids, 1967.
//!
//! | file | concept |
//! |---|---|
//! | `lattice` | places and velocities at the start |
//! | `cube` | the periodic cube |
//! | `cells` | atoms sorted by place |
//! | `neighbours` | lists of neighbours |
//! | `forces` | the potential |
//! | `motion` | time steps |
//! | `thermo` | temperature, energies, pressure |
//!
//! The lists are full: each atom gathers the forces on itself, so no kernel writes to another atom. Atoms are sorted stably, and sums have
//! an order of their own: the bits are the same on every space.
//!
//! The phases are regions for [tools](../../../../docs/kokkos-tools.md): `move`, `update neighbours`, `update forces`, `state`.

mod cells;
pub(crate) mod cube;
pub(crate) mod forces;
pub(crate) mod lattice;
pub(crate) mod motion;
pub(crate) mod neighbours;
mod thermo;

use spelt::prelude::*;
use spelt::tools::region;
use spelt::{MemorySpace, Offsets, Result};

use crate::program::vector::{Vector, scale, subtract};
use cells::Cells;
use cube::Cube;
use lattice::Lattice;
use neighbours::{EVERY, Neighbours};
pub(crate) use thermo::Thermo;

/// The temperature at the start.
pub(crate) const TEMPERATURE: f64 = 1.44;

/// The room in the first lists of neighbours. Longer ones follow where they are needed.
const ROOM: usize = 96;

/// The state of the simulation, in the kernels' memory.
pub(crate) struct Melt<M: MemorySpace = HostSpace> {
    pub(crate) cube: Cube,
    cells: Cells,
    /// The number of steps so far.
    pub(crate) step: usize,

    // Of each atom, in the order of the cells.
    pub(crate) position: View<Vector, 1, M>,
    pub(crate) velocity: View<Vector, 1, M>,
    pub(crate) force: View<Vector, 1, M>,
    pub(crate) neighbours: Neighbours<M>,

    /// The first atom of each cell, and their number.
    first: Offsets<M>,
}

impl<M: MemorySpace> Melt<M> {
    /// The crystal, with `size` unit cells along each side.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(space: &S, size: usize) -> Result<Self> {
        let lattice = Lattice { size };
        let (atoms, cube) = (lattice.atoms(), lattice.cube());
        let range = space.range(0..atoms);
        let (position, velocity) = (space.uninit("position", [atoms])?, space.uninit("velocity", [atoms])?);
        let mut melt = Self {
            cube,
            cells: Cells::new(cube),
            step: 0,
            position: parallel_fill("lattice", range, position, (), move |i, ()| lattice.place(i.get()))?,
            velocity: parallel_fill("velocities", range, velocity, (), move |i, ()| {
                lattice.velocity(i.get())
            })?,
            force: space.zeros("force", [atoms])?,
            neighbours: Neighbours::new(space, atoms, ROOM)?,
            first: Offsets::new(space.zeros("first atoms", [0])?)?,
        };
        melt.set_temperature(space)?;
        {
            let _region = region("update neighbours");
            melt.sort(space)?;
            melt.list_neighbours(space)?;
        }
        melt.compute_forces(space)?;
        Ok(melt)
    }

    /// Shifts the velocities to the momentum 0, then scales them to the [`TEMPERATURE`] at the start.
    fn set_temperature<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let atoms = self.atoms();
        let range = space.range(0..atoms);
        let mean = scale(1.0 / atoms as f64, self.motion(space)?.0);
        parallel_for("shift", range, &mut self.velocity, move |i, mut velocity| {
            velocity[i] = subtract(velocity[i], mean);
        })?;
        let factor = (TEMPERATURE / self.temperature(self.motion(space)?.1)).sqrt();
        parallel_for("scale", range, &mut self.velocity, move |i, mut velocity| {
            velocity[i] = scale(factor, velocity[i]);
        })
    }

    /// The number of atoms.
    pub(crate) fn atoms(&self) -> usize {
        self.force.len()
    }

    /// Advances by one time step.
    pub(crate) fn advance<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        self.kick_and_drift(space)?;
        self.step += 1;
        if self.step.is_multiple_of(EVERY) {
            let _region = region("update neighbours");
            self.sort(space)?;
            self.list_neighbours(space)?;
        }
        self.compute_forces(space)?;
        self.kick(space)
    }
}
