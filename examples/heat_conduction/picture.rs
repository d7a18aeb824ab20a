//! The picture: the temperatures of the middle layer.

use std::path::Path;

use plotters::prelude::*;
use spelt::View;

use crate::program::canvas::{Drawing, TITLES, canvas, finish};
use crate::program::tint::ramp;
use crate::program::{Axis, chart};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (900, 960);

/// From cold to hot.
const COLOURS: [[f64; 3]; 5] = [
    [20.0, 24.0, 62.0],
    [96.0, 28.0, 110.0],
    [188.0, 54.0, 84.0],
    [246.0, 140.0, 40.0],
    [252.0, 248.0, 200.0],
];

/// Draws a square for each cell; the heated side is on the left.
pub(crate) fn draw(file: &Path, [width, height, depth]: [usize; 3], slice: &View<f64, 2>) -> Drawing {
    let hottest = slice.iter().copied().fold(0.0, f64::max);
    let subtitle = format!(
        "the middle layer of {width} x {height} x {depth} cells, heated from the left: 0 to {hottest:.4}"
    );
    let canvas = canvas(file, SIZE, "Heat conduction", &subtitle)?;
    let cells = |number: &f64| format!("{number:.0}");
    let mut chart = chart(
        &canvas.margin(TITLES, 16, 16, 40),
        &Axis { title: "cells from the heated side", range: 0.0..width as f64, ticks: 8, label: &cells },
        &Axis { title: "cells along it", range: 0.0..height as f64, ticks: 8, label: &cells },
    )?;
    chart.draw_series(slice.indexed_iter().map(|([x, y], temperature)| {
        let [red, green, blue] = ramp(&COLOURS, temperature / hottest.max(1e-300)).map(|colour| colour as u8);
        let (x, y) = (x as f64, y as f64);
        Rectangle::new([(x, y), (x + 1.0, y + 1.0)], RGBColor(red, green, blue).filled())
    }))?;
    finish(&canvas)
}
