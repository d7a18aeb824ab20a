//! The shaded relief, computed pixel by pixel.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use crate::program::tint::{mix, tint};
use crate::survey::{Cell, gradient, inner_cells};
use crate::terrain::Terrain;

/// The longer side of the map. Unit: pixels.
const MAP_SIDE: f64 = 1060.0;

/// The shorter side at least, regardless of the terrain. Unit: pixels.
const MIN_SIDE: f64 = 300.0;

/// Slopes are drawn as if they were steeper by this factor: hills are flatter than people think.
const EXAGGERATION: f64 = 2.5;

/// The brightness of ground in shadow, relative to 1 for flat ground.
const AMBIENT: f64 = 0.35;

/// The direction of the light: east, north and up. From the north-west, as on most maps, at 45 degrees.
const LIGHT: [f64; 3] = [-0.5, 0.5, std::f64::consts::FRAC_1_SQRT_2];

/// A pixel: red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// The relief as a picture, coloured by height and lit from the north-west, as far along as down in metres.
pub(crate) fn relief<S: ExecutionSpace>(
    space: &S,
    terrain: &Terrain<S::Memory>,
    extremes: &MinMaxLocValue<i16, Cell>,
) -> Result<View<Rgb, 2>> {
    let [rows, columns] = terrain.heights.extents();
    let mut light = space.zeros::<f64, 2>("light", [rows, columns])?;
    parallel_for(
        "light",
        inner_cells(space, terrain),
        (terrain.heights.halo::<1>(), terrain.cell_widths.along::<0>(), &mut light),
        |cell, (heights, widths, mut light)| light[cell] = brightness(gradient(cell, heights, widths[cell])),
    )?;

    let [height, width] = picture_size(terrain);
    let mut pixels = space.zeros::<Rgb, 2>("pixels", [height, width])?;
    let cells_per_pixel = [rows as f64 / height as f64, columns as f64 / width as f64];
    let (min, max) = (f64::from(extremes.min_val), f64::from(extremes.max_val));
    parallel_for(
        "shading",
        space.md_range([0..height, 0..width]),
        (terrain.heights.lookup(), light.lookup(), &mut pixels),
        move |pixel, (heights, light, mut pixels)| {
            let [y, x] = pixel.get();
            let row = (y as f64 + 0.5) * cells_per_pixel[0] - 0.5;
            let column = (x as f64 + 0.5) * cells_per_pixel[1] - 0.5;
            // Cells at the edge have a height but no slope: those next to them give their light.
            let height =
                Blend::new(row, column, [0, 0], [rows - 1, columns - 1]).of(|cell| heights[cell].into());
            let light = Blend::new(row, column, [1, 1], [rows - 2, columns - 2]).of(|cell| light[cell]);
            pixels[pixel] = tint(height, min, max).map(|colour| (colour * light + 0.5) as u8);
        },
    )?;
    pixels.to_host()
}

/// Height and width of the picture in pixels.
fn picture_size<M: MemorySpace>(terrain: &Terrain<M>) -> [usize; 2] {
    let [rows, columns] = terrain.heights.extents();
    let [cell_height, cell_width] = terrain.cell_metres();
    let metres = [rows as f64 * cell_height, columns as f64 * cell_width];
    let scale = MAP_SIDE / metres[0].max(metres[1]);
    metres.map(|side| (side * scale).round().max(MIN_SIDE) as usize)
}

/// A place between four cells, to interpolate linearly.
struct Blend {
    cell: [usize; 2],
    next: [usize; 2],
    part: [f64; 2],
}

impl Blend {
    /// The place, moved between the cells `first` and `last` where it lies outside.
    #[inline(always)]
    fn new(row: f64, column: f64, first: Cell, last: Cell) -> Self {
        let row = row.clamp(first[0] as f64, last[0] as f64);
        let column = column.clamp(first[1] as f64, last[1] as f64);
        let cell = [row as usize, column as usize];
        Self {
            cell,
            next: [(cell[0] + 1).min(last[0]), (cell[1] + 1).min(last[1])],
            part: [row - cell[0] as f64, column - cell[1] as f64],
        }
    }

    /// The value at this place.
    #[inline(always)]
    fn of(&self, value: impl Fn(Cell) -> f64) -> f64 {
        let [[row, column], [next_row, next_column]] = [self.cell, self.next];
        let [down, right] = self.part;
        let upper = mix(value([row, column]), value([row, next_column]), right);
        let lower = mix(value([next_row, column]), value([next_row, next_column]), right);
        mix(upper, lower, down)
    }
}

/// The brightness of ground with this slope; 1 for flat ground.
#[inline(always)]
fn brightness([east, north]: [f64; 2]) -> f64 {
    let normal = [-EXAGGERATION * east, -EXAGGERATION * north, 1.0];
    let length = (normal[0] * normal[0] + normal[1] * normal[1] + 1.0).sqrt();
    let lit = (normal[0] * LIGHT[0] + normal[1] * LIGHT[1] + normal[2] * LIGHT[2]) / length;
    mix(AMBIENT, 1.0, lit.max(0.0) / LIGHT[2])
}
