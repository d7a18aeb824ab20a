//! The picture: the potential temperature of all cells, as a difference from the air at rest.

use std::path::Path;

use plotters::prelude::*;
use spelt::prelude::*;

use crate::program::canvas::{Drawing, TITLES, canvas, finish};
use crate::program::tint::ramp;
use crate::program::{Axis, chart};
use crate::weather::background::{LENGTH, WARMTH};
use crate::weather::{DENSITY, HEAT, Weather};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1320, 800);

/// From cold to warm; the middle is air at rest.
const COLOURS: [[f64; 3]; 5] = [
    [20.0, 40.0, 120.0],
    [90.0, 160.0, 220.0],
    [244.0, 244.0, 240.0],
    [240.0, 160.0, 80.0],
    [160.0, 20.0, 40.0],
];

/// Draws a rectangle for each cell.
pub(crate) fn draw<S: ExecutionSpace>(
    file: &Path,
    space: &S,
    weather: &Weather<S::Memory>,
    seconds: f64,
) -> Drawing {
    let [nx, nz] = weather.grid.cells;
    let fields = (&weather.state[DENSITY], &weather.state[HEAT]);
    let rest = (weather.background.density.along::<0>(), weather.background.heat.along::<0>());
    let warmth = space.uninit("warmth", [nz, nx])?;
    let warmth = parallel_fill(
        "warmth",
        space.md_range([0..nz, 0..nx]),
        warmth,
        (fields, rest),
        move |i, (fields, rest)| (fields.1[i] + rest.1[i]) / (fields.0[i] + rest.0[i]) - WARMTH,
    )?
    .to_host()?;
    let coldest = warmth.iter().copied().fold(f64::INFINITY, f64::min);
    let warmest = warmth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let extreme = coldest.abs().max(warmest.abs()).max(1e-9);
    let subtitle = format!(
        "potential temperature after {seconds} s, {nx} x {nz} cells: {coldest:+.1} K to {warmest:+.1} K from that of the air at rest"
    );
    let canvas = canvas(file, SIZE, "Bubbles of warm and cold air", &subtitle)?;
    let kilometres = |metres: &f64| format!("{:.0}", metres / 1e3);
    let mut chart = chart(
        &canvas.margin(TITLES, 16, 16, 40),
        &Axis { title: "place (km)", range: 0.0..LENGTH[0], ticks: 10, label: &kilometres },
        &Axis { title: "height (km)", range: 0.0..LENGTH[1], ticks: 5, label: &kilometres },
    )?;
    let [dx, dz] = weather.grid.widths;
    chart.draw_series(warmth.indexed_iter().map(|([k, i], warmth)| {
        let [red, green, blue] = ramp(&COLOURS, 0.5 + 0.5 * warmth / extreme).map(|colour| colour as u8);
        let (x, z) = (i as f64 * dx, k as f64 * dz);
        Rectangle::new([(x, z), (x + dx, z + dz)], RGBColor(red, green, blue).filled())
    }))?;
    finish(&canvas)
}
