//! A lattice Boltzmann method: nineteen populations in each cell of a cube, which move to the neighbours and collide there.
//!
//! The cube is full of fluid. Five of its walls are at rest, and the sixth, the lid, moves along x. A layer of cells around the fluid has
//! the kinds of the walls: a population that comes from there is the one that went there, reflected.
//!
//! | file | |
//! |---|---|
//! | `step.rs` | the kernel of a time step |
//! | `moments.rs` | density and momentum of a cell; the mass; the velocities |

pub(crate) mod moments;
pub(crate) mod step;

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

/// Populations of a cell.
pub(crate) const POPULATIONS: usize = 19;

/// The neighbour that each population moves to. A population and that of the opposite direction follow one another.
pub(crate) const VELOCITIES: [[isize; 3]; POPULATIONS] = [
    [0, 0, 0],
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
    [-1, -1, 0],
    [1, -1, 0],
    [-1, 1, 0],
    [1, 0, 1],
    [-1, 0, -1],
    [1, 0, -1],
    [-1, 0, 1],
    [0, 1, 1],
    [0, -1, -1],
    [0, 1, -1],
    [0, -1, 1],
];

/// The velocities as floats.
pub(crate) const PACES: [[f64; 3]; POPULATIONS] = {
    let mut paces = [[0.0; 3]; POPULATIONS];
    let mut q = 0;
    while q < POPULATIONS {
        paces[q] = [VELOCITIES[q][0] as f64, VELOCITIES[q][1] as f64, VELOCITIES[q][2] as f64];
        q += 1;
    }
    paces
};

/// The part of a fluid at rest in each population.
pub(crate) const WEIGHTS: [f64; POPULATIONS] = {
    let mut weights = [1.0 / 36.0; POPULATIONS];
    weights[0] = 1.0 / 3.0;
    let mut q = 1;
    while q < 7 {
        weights[q] = 1.0 / 18.0;
        q += 1;
    }
    weights
};

/// The population of the opposite direction.
pub(crate) const OPPOSITE: [usize; POPULATIONS] = {
    let mut opposite = [0; POPULATIONS];
    let mut q = 1;
    while q < POPULATIONS {
        opposite[q] = if q % 2 == 1 { q + 1 } else { q - 1 };
        q += 1;
    }
    opposite
};

/// The kinds of cells.
pub(crate) const FLUID: u8 = 0;
pub(crate) const WALL: u8 = 1;
pub(crate) const LID: u8 = 2;

/// Populations in all cells, a View for each.
pub(crate) type Populations<M> = [View<f64, 3, M>; POPULATIONS];

/// The cube.
#[derive(Debug)]
pub(crate) struct Cavity<M: MemorySpace> {
    /// Cells of fluid along each side.
    pub(crate) size: usize,
    /// The velocity of the lid. Unit: cells per step.
    pub(crate) lid: f64,
    /// The part of the difference from the equilibrium that a collision removes, from 0 to 2.
    pub(crate) relaxation: f64,
    pub(crate) kinds: View<u8, 3, M>,
    pub(crate) now: Populations<M>,
    pub(crate) next: Populations<M>,
}

impl<M: MemorySpace> Cavity<M> {
    /// Fluid at rest. The Reynolds number is the lid's velocity times the size over the viscosity.
    pub(crate) fn new<S>(space: &S, size: usize, lid: f64, reynolds: f64) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
    {
        let viscosity = lid * size as f64 / reynolds;
        let extents = [size + 2; 3];
        let kind = move |index: [usize; 3]| {
            if index[2] == size + 1 {
                LID
            } else if index.iter().any(|&i| i == 0 || i == size + 1) {
                WALL
            } else {
                FLUID
            }
        };
        let populations = || -> Result<Populations<M>> {
            let mut views = Vec::with_capacity(POPULATIONS);
            for weight in WEIGHTS {
                views.push(space.view_from_fn("population", extents, move |_| weight)?);
            }
            Ok(views.try_into().expect("there is one for each weight"))
        };
        Ok(Self {
            size,
            lid,
            relaxation: 1.0 / (3.0 * viscosity + 0.5),
            kinds: space.view_from_fn("kinds", extents, kind)?,
            now: populations()?,
            next: populations()?,
        })
    }
}
