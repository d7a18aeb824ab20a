//! The picture: the speed in the plane in the middle, with the direction of the flow.

use std::path::Path;

use plotters::prelude::*;
use spelt::View;

use crate::options::Options;
use crate::program::canvas::{Drawing, INK, TITLES, canvas, finish};
use crate::program::tint::ramp;
use crate::program::{Axis, chart};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (900, 960);

/// From fluid at rest to half of the lid's velocity.
const COLOURS: [[f64; 3]; 4] =
    [[246.0, 246.0, 242.0], [150.0, 200.0, 220.0], [40.0, 110.0, 180.0], [14.0, 36.0, 90.0]];

/// Lines of direction along each side.
const LINES: usize = 20;

/// Draws a square for each cell of the plane, and lines.
pub(crate) fn draw(file: &Path, options: &Options, velocities: &View<[f64; 3], 3>) -> Drawing {
    let size = options.size;
    let subtitle = format!(
        "speed in the plane in the middle, {size} x {size} x {size} cells, Reynolds number {}, after {} steps",
        options.reynolds, options.steps
    );
    let canvas = canvas(file, SIZE, "A cube of fluid, driven by its lid", &subtitle)?;
    let cells = |number: &f64| format!("{number:.0}");
    let side = 0.0..size as f64;
    let mut chart = chart(
        &canvas.margin(TITLES, 16, 16, 40),
        &Axis { title: "cells along the lid's motion", range: side.clone(), ticks: 8, label: &cells },
        &Axis { title: "cells above the ground", range: side, ticks: 8, label: &cells },
    )?;
    let middle = size / 2 + 1;
    let at = |x: usize, z: usize| velocities[[x, middle, z]];
    let places = (1..=size).flat_map(|x| (1..=size).map(move |z| (x, z)));
    chart.draw_series(places.map(|(x, z)| {
        let speed = at(x, z).iter().map(|part| part * part).sum::<f64>().sqrt();
        let [red, green, blue] = ramp(&COLOURS, 2.0 * speed).map(|colour| colour as u8);
        let (x, z) = (x as f64, z as f64);
        Rectangle::new([(x - 1.0, z - 1.0), (x, z)], RGBColor(red, green, blue).filled())
    }))?;
    let step = size.div_ceil(LINES);
    let places = (1..=size).step_by(step).flat_map(|x| (1..=size).step_by(step).map(move |z| (x, z)));
    chart.draw_series(places.map(|(x, z)| {
        let [u, _, w] = at(x, z);
        // Long enough to be seen, and of one length: the colour has the speed.
        let scale = 0.7 * step as f64 / u.hypot(w).max(1e-12);
        let (x, z) = (x as f64 - 0.5, z as f64 - 0.5);
        PathElement::new(vec![(x, z), (x + scale * u, z + scale * w)], INK.mix(0.6))
    }))?;
    finish(&canvas)
}
