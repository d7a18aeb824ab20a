//! The terrain, and its coordinates on Earth.

use std::path::Path;

use spelt::prelude::*;
use spelt::{Error, ErrorKind, HostSpace, MemorySpace, Result};

/// Latitude of row 0, the north edge. Unit: degrees. Source: `examples/data/README.md`, like the next two.
const NORTH: f64 = 36.732_916_67;

/// Longitude of column 0, the west edge. Unit: degrees, negative to the west of Greenwich.
const WEST: f64 = -84.413_75;

/// Rows and columns in a degree.
const CELLS_PER_DEGREE: f64 = 1200.0;

/// The mean radius of the Earth, taken as a sphere. Unit: metres. Source: IUGG, rounded.
const EARTH_RADIUS: f64 = 6_371_000.0;

/// The distance between rows. Unit: metres.
pub(crate) const CELL_HEIGHT: f64 = EARTH_RADIUS * std::f64::consts::PI / 180.0 / CELLS_PER_DEGREE;

/// Heights on a grid, where kernels run.
pub(crate) struct Terrain<M: MemorySpace = HostSpace> {
    /// Metres above the sea; row 0 is the north edge, column 0 the west edge.
    pub(crate) heights: View<i16, 2, M>,
    /// The distance between columns in each row, in metres: meridians draw together towards the pole.
    pub(crate) cell_widths: View<f64, 1, M>,
}

impl<M: MemorySpace> Terrain<M> {
    /// The terrain in a `.npy` file.
    pub(crate) fn read<S: ExecutionSpace<Memory = M>>(space: &S, file: &Path) -> Result<Self> {
        Self::new(space, View::read_npy(file)?)
    }

    /// The terrain with these heights.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(space: &S, heights: View<i16, 2>) -> Result<Self> {
        let [rows, columns] = heights.extents();
        if rows < 3 || columns < 3 {
            let message = format!("a terrain of {rows} x {columns} cells has no slopes: give 3 x 3 or more");
            return Err(Error::new(ErrorKind::Format, message));
        }
        let cell_widths = space.view_from_fn("cell widths", [rows], |[row]| cell_width(row))?;
        Ok(Self { heights: heights.to_space(space)?, cell_widths })
    }

    /// The name of the file.
    pub(crate) fn name(&self) -> &str {
        self.heights.label()
    }

    /// Height and width of a cell in the middle, in metres.
    pub(crate) fn cell_metres(&self) -> [f64; 2] {
        [CELL_HEIGHT, cell_width(self.cell_widths.len() / 2)]
    }
}

/// The distance between columns in `row`, in metres.
fn cell_width(row: usize) -> f64 {
    CELL_HEIGHT * spelt::math::cos(latitude(row as f64).to_radians())
}

/// The latitude of `row`, in degrees to the north.
pub(crate) fn latitude(row: f64) -> f64 {
    NORTH - row / CELLS_PER_DEGREE
}

/// The longitude of `column`, in degrees to the east.
pub(crate) fn longitude(column: f64) -> f64 {
    WEST + column / CELLS_PER_DEGREE
}

/// Latitude and longitude of a cell, as people write them.
pub(crate) fn place([row, column]: [usize; 2]) -> String {
    format!("{:.5} N {:.5} W", latitude(row as f64), -longitude(column as f64))
}
