//! The picture: residual and error after each iteration.

use std::path::Path;

use plotters::prelude::*;

use crate::program::canvas::{BLUE, Drawing, RED, TITLES, canvas, finish};
use crate::program::{Axis, chart};
use crate::solver::Step;

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1280, 800);

/// The lowest order of magnitude that is drawn.
const LEAST: f64 = -16.0;

/// Draws both as orders of magnitude over the iterations.
pub(crate) fn draw(file: &Path, size: usize, history: &[Step]) -> Drawing {
    let order = |number: f64| number.log10().max(LEAST);
    let residuals: Vec<f64> = history.iter().map(|step| order(step.residual / history[0].residual)).collect();
    let errors: Vec<f64> = history.iter().map(|step| order(step.error)).collect();
    let lowest = residuals.iter().chain(&errors).copied().fold(-1.0, f64::min).floor();
    let subtitle = format!(
        "{size} cells along each side: the residual over the first one (blue) and the largest error (red) after each iteration"
    );
    let canvas = canvas(file, SIZE, "Conjugate gradients", &subtitle)?;
    let mut chart = chart(
        &canvas.margin(TITLES, 16, 16, 40),
        &Axis {
            title: "iterations",
            range: 0.0..(history.len() as f64 - 1.0).max(1.0),
            ticks: history.len().clamp(2, 10),
            label: &|number| format!("{number:.0}"),
        },
        &Axis {
            title: "power of 10",
            range: lowest..1.0,
            ticks: history.len().clamp(2, 10),
            label: &|number| format!("{number:.0}"),
        },
    )?;
    for (numbers, colour) in [(residuals, BLUE), (errors, RED)] {
        let line: Vec<_> =
            numbers.into_iter().enumerate().map(|(step, number)| (step as f64, number)).collect();
        chart.draw_series([PathElement::new(line, colour.stroke_width(3))])?;
    }
    finish(&canvas)
}
