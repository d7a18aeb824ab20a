//! The picture: the heights with noise beside the smoothed ones.

use std::path::Path;

use plotters::prelude::*;

use crate::program::canvas::{Canvas, Drawing, TITLES, canvas, finish};
use crate::program::tint::tint;
use crate::program::{Axis, chart};
use crate::samples::{Place, Samples};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1680, 1000);

/// The radius of a place. Unit: pixels.
const DOT: u32 = 4;

/// Draws the noisy heights on the left, the smoothed ones on the right.
pub(crate) fn draw(file: &Path, samples: &Samples, smooth: &[f32], width: f32) -> Drawing {
    let subtitle = format!(
        "{} heights around the Jacksboro fault with noise, and the same smoothed with a Gaussian of width {width} km",
        smooth.len()
    );
    let canvas = canvas(file, SIZE, "Gaussian smoothing over near pairs", &subtitle)?;
    let low = samples.truth.iter().copied().fold(f32::INFINITY, f32::min);
    let high = samples.truth.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (left, right) = canvas.margin(TITLES, 16, 16, 40).split_horizontally(800);
    map(&left, &samples.places, &samples.noisy, [low, high])?;
    map(&right.margin(0, 0, 24, 0), &samples.places, smooth, [low, high])?;
    finish(&canvas)
}

/// Draws a dot for each place, coloured by its height.
fn map(area: &Canvas<'_>, places: &[Place], heights: &[f32], [low, high]: [f32; 2]) -> Drawing {
    let end = |side: usize| places.iter().map(|place| f64::from(place[side])).fold(0.0, f64::max);
    let kilometres = |label: &f64| format!("{:.0}", label.abs());
    let mut chart = chart(
        area,
        &Axis { title: "east (km)", range: 0.0..end(0), ticks: 8, label: &kilometres },
        &Axis { title: "south (km)", range: -end(1)..0.0, ticks: 8, label: &kilometres },
    )?;
    chart.draw_series(places.iter().zip(heights).map(|(place, &height)| {
        let [red, green, blue] = tint(height.into(), low.into(), high.into()).map(|colour| colour as u8);
        let at = (f64::from(place[0]), -f64::from(place[1]));
        Circle::new(at, DOT, RGBColor(red, green, blue).filled())
    }))?;
    Ok(())
}
