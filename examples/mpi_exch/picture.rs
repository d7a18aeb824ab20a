//! The picture: the areas of the nodes at their places.

use std::path::Path;

use plotters::prelude::*;
use spelt::View;

use crate::program::canvas::{Drawing, TITLES, canvas, finish};
use crate::program::tint::ramp;
use crate::program::{Axis, chart};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (900, 960);

/// From the smallest area to the largest.
const COLOURS: [[f64; 3]; 4] =
    [[20.0, 52.0, 110.0], [36.0, 140.0, 150.0], [150.0, 205.0, 120.0], [250.0, 240.0, 170.0]];

/// The largest number of quadrilaterals in each dimension that are drawn: others are merged.
const DRAWN: usize = 100;

/// Draws the quadrilaterals, each in the colour of a node that is not at the border.
pub(crate) fn draw(
    file: &Path,
    extents: [usize; 2],
    areas: &View<f64, 1>,
    places: &View<[f64; 2], 1>,
) -> Drawing {
    let [width, height] = extents;
    let subtitle = format!(
        "{width} x {height} quadrilaterals: dark nodes have small ones around them, light nodes large ones"
    );
    let canvas = canvas(file, SIZE, "Contributions to nodes", &subtitle)?;
    let label = |number: &f64| format!("{number:.1}");
    let mut chart = chart(
        &canvas.margin(TITLES, 16, 16, 40),
        &Axis { title: "x", range: 0.0..1.0, ticks: 6, label: &label },
        &Axis { title: "y", range: 0.0..1.0, ticks: 6, label: &label },
    )?;
    // Nodes at the border have fewer quadrilaterals than the others: their areas are no measure of these.
    let is_inside = |node: usize| {
        let [x, y] = [node % (width + 1), node / (width + 1)];
        x > 0 && x < width && y > 0 && y < height
    };
    let inside = areas.indexed_iter().filter(|([node], _)| is_inside(*node)).map(|(_, area)| *area);
    let (least, most) =
        inside.fold((f64::MAX, 0.0), |(least, most), area| (f64::min(least, area), f64::max(most, area)));
    let steps = extents.map(|extent| extent.div_ceil(DRAWN));
    for y in (0..height).step_by(steps[1]) {
        for x in (0..width).step_by(steps[0]) {
            let [right, top] = [(x + steps[0]).min(width), (y + steps[1]).min(height)];
            let node = |x: usize, y: usize| y * (width + 1) + x;
            let corners = [node(x, y), node(right, y), node(right, top), node(x, top)];
            let shown = corners.into_iter().find(|node| is_inside(*node));
            let part = shown.map_or(0.5, |node| (areas[node] - least) / (most - least).max(1e-300));
            let [red, green, blue] = ramp(&COLOURS, part.clamp(0.0, 1.0)).map(|colour| colour as u8);
            let outline: Vec<_> = corners.iter().map(|node| (places[*node][0], places[*node][1])).collect();
            chart.draw_series([Polygon::new(outline, RGBColor(red, green, blue).filled())])?;
        }
    }
    finish(&canvas)
}
