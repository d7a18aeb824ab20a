//! The shaded relief, computed pixel by pixel.

use spelt::prelude::*;
use spelt::{HostSpace, Result};

use crate::survey::{Cell, gradient, inner_cells};
use crate::terrain::Terrain;

/// The longer side of the map. Unit: pixels.
const MAP_SIDE: f64 = 1060.0;

/// The shorter side at least, whatever the terrain. Unit: pixels.
const LEAST_SIDE: f64 = 300.0;

/// Slopes are drawn as if they were steeper by this factor: hills are flatter than people think.
const EXAGGERATION: f64 = 2.5;

/// How bright ground is that the light does not reach, beside 1 for flat ground.
const AMBIENT: f64 = 0.35;

/// Where the light comes from: east, north and up. From the north-west, as on most maps, half-way up the sky.
const LIGHT: [f64; 3] = [-0.5, 0.5, std::f64::consts::FRAC_1_SQRT_2];

/// Colours from the lowest to the highest ground, at equal distances.
const TINTS: [[f64; 3]; 6] = [
    [74.0, 128.0, 92.0],
    [139.0, 175.0, 112.0],
    [219.0, 212.0, 152.0],
    [205.0, 164.0, 108.0],
    [158.0, 112.0, 82.0],
    [244.0, 240.0, 236.0],
];

/// A pixel: red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// The relief as a picture, coloured by height and lit from the north-west, as far along as down in metres.
pub(crate) fn relief<S: ExecutionSpace<Memory = HostSpace>>(
    space: &S,
    terrain: &Terrain,
    extremes: &MinMaxLocValue<i16, Cell>,
) -> Result<View<Rgb, 2>> {
    let [rows, columns] = terrain.heights.extents();
    let mut slopes = space.zeros::<[f64; 2], 2>("slopes", [rows, columns])?;
    parallel_for(
        "slopes",
        inner_cells(space, terrain),
        (terrain.heights.halo::<1>(), terrain.cell_widths.along::<0>(), &mut slopes),
        |cell, (heights, widths, mut slopes)| slopes[cell] = gradient(cell, heights, widths[cell]),
    )?;

    let [height, width] = picture_size(terrain);
    let mut pixels = space.zeros::<Rgb, 2>("pixels", [height, width])?;
    let cells_per_pixel = [rows as f64 / height as f64, columns as f64 / width as f64];
    let (min, max) = (f64::from(extremes.min_val), f64::from(extremes.max_val));
    parallel_for(
        "shading",
        space.md_range([0..height, 0..width]),
        (terrain.heights.lookup(), slopes.lookup(), &mut pixels),
        |pixel, (heights, slopes, mut pixels)| {
            let [y, x] = pixel.get();
            let row = (y as f64 + 0.5) * cells_per_pixel[0] - 0.5;
            let column = (x as f64 + 0.5) * cells_per_pixel[1] - 0.5;
            // The edge has heights but no slopes: those next to it stand in.
            let here = Blend::new(row, column, [[0, rows - 1], [0, columns - 1]]);
            let inside = Blend::new(row, column, [[1, rows - 2], [1, columns - 2]]);
            let height = here.of(|cell| f64::from(heights[cell]));
            let slope = [0, 1].map(|direction| inside.of(|cell| slopes[cell][direction]));
            pixels[pixel] = shade(tint(height, min, max), slope);
        },
    )?;
    Ok(pixels)
}

/// Height and width of the picture in pixels.
fn picture_size(terrain: &Terrain) -> [usize; 2] {
    let [rows, columns] = terrain.heights.extents();
    let [cell_height, cell_width] = terrain.cell_metres();
    let metres = [rows as f64 * cell_height, columns as f64 * cell_width];
    let scale = MAP_SIDE / metres[0].max(metres[1]);
    metres.map(|side| (side * scale).round().max(LEAST_SIDE) as usize)
}

/// A place between four cells, to interpolate linearly.
struct Blend {
    cell: [usize; 2],
    next: [usize; 2],
    part: [f64; 2],
}

impl Blend {
    /// The place, moved into `bounds` (first and last row, first and last column) where it lies outside.
    #[inline]
    fn new(row: f64, column: f64, bounds: [[usize; 2]; 2]) -> Self {
        let place = [
            row.clamp(bounds[0][0] as f64, bounds[0][1] as f64),
            column.clamp(bounds[1][0] as f64, bounds[1][1] as f64),
        ];
        let cell = place.map(|place| place as usize);
        Self {
            cell,
            next: [(cell[0] + 1).min(bounds[0][1]), (cell[1] + 1).min(bounds[1][1])],
            part: [place[0] - cell[0] as f64, place[1] - cell[1] as f64],
        }
    }

    /// The value at this place.
    #[inline]
    fn of(&self, value: impl Fn(Cell) -> f64) -> f64 {
        let [[row, column], [next_row, next_column]] = [self.cell, self.next];
        let [down, right] = self.part;
        let upper = mix(value([row, column]), value([row, next_column]), right);
        let lower = mix(value([next_row, column]), value([next_row, next_column]), right);
        mix(upper, lower, down)
    }
}

/// From `a` to `b`, as `part` goes from 0 to 1.
#[inline]
fn mix(a: f64, b: f64, part: f64) -> f64 {
    a + (b - a) * part
}

/// The colour of ground at this height.
#[inline]
pub(crate) fn tint(height: f64, min: f64, max: f64) -> [f64; 3] {
    let last = TINTS.len() - 1;
    let place = ((height - min) / (max - min).max(1.0)).clamp(0.0, 1.0) * last as f64;
    let below = (place as usize).min(last - 1);
    let part = place - below as f64;
    [0, 1, 2].map(|colour| mix(TINTS[below][colour], TINTS[below + 1][colour], part))
}

/// A colour under the light, on ground that slopes like this.
#[inline]
fn shade(colour: [f64; 3], slope: [f64; 2]) -> Rgb {
    let normal = [-EXAGGERATION * slope[0], -EXAGGERATION * slope[1], 1.0];
    let length = (normal[0] * normal[0] + normal[1] * normal[1] + 1.0).sqrt();
    let lit = (normal[0] * LIGHT[0] + normal[1] * LIGHT[1] + normal[2] * LIGHT[2]) / length;
    let brightness = mix(AMBIENT, 1.0, lit.max(0.0) / LIGHT[2]);
    colour.map(|colour| (colour * brightness).round().clamp(0.0, 255.0) as u8)
}
