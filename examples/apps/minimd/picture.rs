//! The picture: a slice of the cube with its atoms coloured by speed, beside the distribution of all speeds.

use core::f64::consts::PI;
use std::path::Path;

use plotters::prelude::*;
use spelt::MemorySpace;

use crate::melt::{Melt, Thermo};
use crate::program::canvas::{BLUE, Canvas, Drawing, RED, TITLES, canvas, finish};
use crate::program::tint::ramp;
use crate::program::{Axis, chart};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1680, 960);

/// The thickness of the slice: about that of a layer of atoms.
const LAYER: f64 = 1.0;

/// The highest speed in the picture, at a temperature of 1.
const FAST: f64 = 4.0;

/// The number of bars of the distribution.
const BARS: usize = 40;

/// Colours from slow to fast atoms.
const SPEEDS: [[f64; 3]; 4] =
    [[22.0, 52.0, 120.0], [52.0, 152.0, 190.0], [250.0, 190.0, 80.0], [200.0, 30.0, 40.0]];

/// Draws the slice on the left, the distribution on the right.
pub(crate) fn draw<M: MemorySpace>(file: &Path, melt: &Melt<M>, state: &Thermo) -> Drawing {
    let speeds: Vec<f64> = melt
        .velocity
        .to_host()?
        .iter()
        .map(|v| v.iter().map(|part| part * part).sum::<f64>().sqrt())
        .collect();
    let fast = FAST * state.temperature.sqrt();
    let subtitle = format!(
        "{} atoms after {} steps: a layer coloured by speed, and the distribution of speeds beside Maxwell's at temperature {:.3}",
        speeds.len(),
        state.step,
        state.temperature
    );
    let canvas = canvas(file, SIZE, "A Lennard-Jones crystal that melts", &subtitle)?;
    let (left, right) = canvas.margin(TITLES, 16, 16, 40).split_horizontally(860);

    let length = |number: &f64| format!("{number:.1}");
    let side = || Axis { title: "", range: 0.0..melt.cube.side, ticks: 8, label: &length };
    let mut slice = chart(&left, &Axis { title: "x", ..side() }, &Axis { title: "y", ..side() })?;
    let radius = (350.0 / melt.cube.side).max(1.0) as i32;
    let positions = melt.position.to_host()?;
    let atoms = positions.iter().map(|&place| melt.cube.wrap(place)).zip(&speeds);
    slice.draw_series(atoms.filter(|([_, _, z], _)| *z < LAYER).map(|([x, y, _], speed)| {
        let [red, green, blue] = ramp(&SPEEDS, speed / fast).map(|colour| colour as u8);
        Circle::new((x, y), radius, RGBColor(red, green, blue).filled())
    }))?;
    distribution(&right.margin(0, 0, 24, 0), &speeds, state.temperature, fast)?;
    finish(&canvas)
}

/// Draws the density of the speeds, and Maxwell's.
fn distribution(area: &Canvas<'_>, speeds: &[f64], temperature: f64, fast: f64) -> Drawing {
    let maxwell = |speed: f64| {
        let square = speed * speed / temperature;
        4.0 * PI * square * (-0.5 * square).exp() / ((2.0 * PI).powf(1.5) * temperature.sqrt())
    };
    let width = fast / BARS as f64;
    let mut densities = [0.0; BARS];
    for speed in speeds {
        if let Some(density) = densities.get_mut((speed / width) as usize) {
            *density += 1.0 / (speeds.len() as f64 * width);
        }
    }
    let highest = densities.into_iter().fold(maxwell((2.0 * temperature).sqrt()), f64::max);
    let number = |number: &f64| format!("{number:.1}");
    let mut chart = chart(
        area,
        &Axis { title: "speed", range: 0.0..fast, ticks: 8, label: &number },
        &Axis { title: "density", range: 0.0..1.1 * highest, ticks: 8, label: &number },
    )?;
    chart.draw_series(densities.iter().enumerate().map(|(bar, density)| {
        let start = bar as f64 * width;
        Rectangle::new([(start, 0.0), (start + width, *density)], BLUE.mix(0.5).filled())
    }))?;
    let line = (0..=200).map(|point| f64::from(point) * fast / 200.0).map(|speed| (speed, maxwell(speed)));
    chart.draw_series([PathElement::new(line.collect::<Vec<_>>(), RED.stroke_width(3))])?;
    Ok(())
}
