//! The air at rest: a constant potential temperature, and the pressure that bears the air above.

use spelt::prelude::*;
use spelt::{MemorySpace, OffsetView, Result};

use super::{GHOSTS, Grid};

/// The slice along x and z. Unit: metres.
pub(crate) const LENGTH: [f64; 2] = [2e4, 1e4];

/// Gravity. Unit: m/s^2.
pub(crate) const GRAVITY: f64 = 9.8;

/// Heat capacity of dry air at constant pressure. Unit: J/(kg K).
pub(crate) const AT_PRESSURE: f64 = 1004.0;

/// The same at constant volume.
pub(crate) const AT_VOLUME: f64 = 717.0;

/// The gas constant of dry air. Unit: J/(kg K).
pub(crate) const GAS: f64 = 287.0;

/// The pressure at the ground. Unit: Pa.
pub(crate) const GROUND: f64 = 1e5;

/// The pressure is this times a power of density times potential temperature.
pub(crate) const FACTOR: f64 = 27.562_941_092_972_593;

/// The exponent of that power. Unit: 1. The ratio of the heat capacities.
pub(crate) const EXPONENT: f64 = 1.400_278_940_027_894;

/// The potential temperature. Unit: K.
pub(crate) const WARMTH: f64 = 300.0;

/// Density at a height, and density times potential temperature.
pub(crate) fn at_rest(height: f64) -> (f64, f64) {
    let exner = 1.0 - GRAVITY * height / (AT_PRESSURE * WARMTH);
    let pressure = GROUND * exner.powf(AT_PRESSURE / GAS);
    let heat = (pressure / FACTOR).powf(1.0 / EXPONENT);
    (heat / WARMTH, heat)
}

/// The air at rest, by height.
#[derive(Debug)]
pub(crate) struct Background<M: MemorySpace> {
    /// In the middle of each cell, ghosts included: density.
    pub(crate) density: OffsetView<f64, 1, M>,
    /// There: density times potential temperature.
    pub(crate) heat: OffsetView<f64, 1, M>,
    /// At the face below each cell, and at the top: density.
    pub(crate) density_at_face: View<f64, 1, M>,
    /// There: density times potential temperature.
    pub(crate) heat_at_face: View<f64, 1, M>,
    /// There: the pressure.
    pub(crate) pressure_at_face: View<f64, 1, M>,
}

impl<M: MemorySpace> Background<M> {
    /// That of a grid.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(space: &S, grid: Grid) -> Result<Self> {
        let (nz, dz, origin) = (grid.cells[1], grid.widths[1], [-(GHOSTS as isize)]);
        let middle = move |k: usize| at_rest((k as f64 - GHOSTS as f64 + 0.5) * dz);
        let face = move |k: usize| at_rest(k as f64 * dz);
        let (cells, faces) = ([nz + 2 * GHOSTS], [nz + 1]);
        Ok(Self {
            density: space.view_from_fn("density", cells, |[k]| middle(k).0)?.with_origin(origin)?,
            heat: space.view_from_fn("heat", cells, |[k]| middle(k).1)?.with_origin(origin)?,
            density_at_face: space.view_from_fn("density at faces", faces, |[k]| face(k).0)?,
            heat_at_face: space.view_from_fn("heat at faces", faces, |[k]| face(k).1)?,
            pressure_at_face: space
                .view_from_fn("pressure at faces", faces, |[k]| FACTOR * face(k).1.powf(EXPONENT))?,
        })
    }
}
