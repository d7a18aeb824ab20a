//! miniWeather: dry air in a vertical slice, by the two-dimensional Euler equations around a background at rest.
//!
//! A time step has a part for each axis, in turns, and each part three stages. A stage fills the ghost cells, computes the fluxes through the
//! faces, from these the tendencies, and adds them.
//!
//! | file | kernels |
//! |---|---|
//! | `background.rs` | the air at rest, by height |
//! | `ghosts.rs` | the cells beyond the edges: periodic at the sides, walls below and above |
//! | `fluxes.rs` | interpolation to the faces, fluxes, tendencies |
//! | `totals.rs` | mass and energy |

pub(crate) mod background;
pub(crate) mod fluxes;
pub(crate) mod ghosts;
pub(crate) mod totals;

use spelt::prelude::*;
use spelt::{MemorySpace, OffsetView, Result};

use background::{Background, LENGTH};

/// The variables of the air, as differences from the background: density, momentum along x and z, density times potential temperature.
pub(crate) const VARIABLES: usize = 4;
pub(crate) const DENSITY: usize = 0;
pub(crate) const ALONG_X: usize = 1;
pub(crate) const ALONG_Z: usize = 2;
pub(crate) const HEAT: usize = 3;

/// Ghost cells on each side.
pub(crate) const GHOSTS: usize = 2;

/// A variable in each cell, `[k, i]` at height `k` and place `i`, with ghost cells at negative indices and beyond the last.
pub(crate) type Field<M> = OffsetView<f64, 2, M>;

/// All variables.
pub(crate) type Fields<M> = [Field<M>; VARIABLES];

/// Numbers of each variable at faces, or in cells without ghosts.
pub(crate) type Numbers<M> = [View<f64, 2, M>; VARIABLES];

/// The axis of a part of a time step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    X,
    Z,
}

/// A bubble of warmer or colder air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bubble {
    /// Its middle. Unit: metres.
    pub(crate) middle: [f64; 2],
    /// Its radii. Unit: metres.
    pub(crate) radii: [f64; 2],
    /// The potential temperature in its middle, as a difference. Unit: kelvins.
    pub(crate) warmth: f64,
}

impl Bubble {
    /// The potential temperature at a place.
    fn at(&self, place: [f64; 2]) -> f64 {
        let [x, z] = [0, 1].map(|axis| (place[axis] - self.middle[axis]) / self.radii[axis]);
        let far = x.hypot(z);
        if far <= 1.0 { self.warmth * (0.5 * core::f64::consts::PI * far).cos().powi(2) } else { 0.0 }
    }
}

/// Cells and time steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// Cells along x and z.
    pub(crate) cells: [usize; 2],
    /// Their widths. Unit: metres.
    pub(crate) widths: [f64; 2],
    /// The longest time step. Unit: seconds.
    pub(crate) longest: f64,
}

impl Grid {
    /// A slice of 20 km x 10 km, with this number of cells along x and half of it along z.
    pub(crate) fn new(size: usize) -> Self {
        let cells = [size, size / 2];
        let widths = [0, 1].map(|axis| LENGTH[axis] / cells[axis] as f64);
        // Sound and wind are not faster than 450 m/s, and the steps are stable up to 1.5 cells.
        Self { cells, widths, longest: 1.5 * widths[0].min(widths[1]) / 450.0 }
    }
}

/// The air.
#[derive(Debug)]
pub(crate) struct Weather<M: MemorySpace> {
    pub(crate) grid: Grid,
    pub(crate) background: Background<M>,
    pub(crate) state: Fields<M>,
    /// The state after a stage.
    pub(crate) stage: Fields<M>,
    pub(crate) fluxes: Numbers<M>,
    pub(crate) tendencies: Numbers<M>,
    /// The axis that the next step begins with.
    pub(crate) first: Axis,
}

/// Points and weights of Gauss and Legendre in an interval from 0 to 1: means over a cell at the start.
const POINTS: [(f64, f64); 3] = [
    (0.112_701_665_379_258_3, 0.277_777_777_777_777_8),
    (0.5, 0.444_444_444_444_444_4),
    (0.887_298_334_620_741_7, 0.277_777_777_777_777_8),
];

impl<M: MemorySpace> Weather<M> {
    /// Air at rest with bubbles.
    pub(crate) fn new<S>(space: &S, size: usize, bubbles: &[Bubble]) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
    {
        let grid = Grid::new(size);
        let ([nx, nz], [dx, dz]) = (grid.cells, grid.widths);
        // The mean over the cell of density times the potential temperature of the bubbles.
        let heat = |[k, i]: [usize; 2]| {
            let place = |index: usize, point: f64, width: f64| (index as f64 - GHOSTS as f64 + point) * width;
            let mut mean = 0.0;
            for (z, of_z) in POINTS {
                for (x, of_x) in POINTS {
                    let place = [place(i, x, dx), place(k, z, dz)];
                    let warmth: f64 = bubbles.iter().map(|bubble| bubble.at(place)).sum();
                    mean += of_z * of_x * warmth * background::at_rest(place[1]).0;
                }
            }
            mean
        };
        let field = |variable: usize| {
            let start = |index| if variable == HEAT { heat(index) } else { 0.0 };
            space
                .view_from_fn("state", [nz + 2 * GHOSTS, nx + 2 * GHOSTS], start)?
                .with_origin([-(GHOSTS as isize); 2])
        };
        let numbers = |label: &str, extents: [usize; 2]| -> Result<Numbers<M>> {
            let view = || space.zeros(label, extents);
            Ok([view()?, view()?, view()?, view()?])
        };
        Ok(Self {
            grid,
            background: Background::new(space, grid)?,
            state: [field(0)?, field(1)?, field(2)?, field(3)?],
            stage: [field(0)?, field(1)?, field(2)?, field(3)?],
            fluxes: numbers("flux", [nz + 1, nx + 1])?,
            tendencies: numbers("tendency", [nz, nx])?,
            first: Axis::X,
        })
    }

    /// One time step of this length, in seconds.
    pub(crate) fn advance<S: ExecutionSpace<Memory = M>>(&mut self, space: &S, step: f64) -> Result<()> {
        let (first, second) = if self.first == Axis::X { (Axis::X, Axis::Z) } else { (Axis::Z, Axis::X) };
        for axis in [first, second] {
            // A Runge-Kutta method of three stages, each of which begins at the state.
            for (stage, part) in [3.0, 2.0, 1.0].into_iter().enumerate() {
                self.advance_stage(space, axis, stage, step / part)?;
            }
        }
        self.first = second;
        Ok(())
    }

    fn advance_stage<S>(&mut self, space: &S, axis: Axis, stage: usize, step: f64) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
    {
        let Self { grid, background, state, stage: between, fluxes, tendencies, .. } = self;
        let from = if stage == 0 { &mut *state } else { &mut *between };
        ghosts::fill(space, axis, *grid, background, from)?;
        fluxes::fluxes(space, axis, *grid, background, from, fluxes, step)?;
        fluxes::tendencies(space, axis, *grid, from, fluxes, tendencies)?;
        let [nx, nz] = grid.cells;
        let cells = space.md_range([0..nz, 0..nx]);
        let tendencies = tendencies.each_ref();
        if stage == 2 {
            let args = (state.each_mut(), tendencies);
            parallel_for("add", cells, args, move |i, (mut state, tendencies)| {
                for variable in 0..VARIABLES {
                    state[variable][i] += step * tendencies[variable][i];
                }
            })
        } else {
            let args = (state.each_ref(), tendencies, between.each_mut());
            parallel_for("add", cells, args, move |i, (state, tendencies, mut between)| {
                for variable in 0..VARIABLES {
                    between[variable][i] = state[variable][i] + step * tendencies[variable][i];
                }
            })
        }
    }
}
