//! The picture: both halves after the exchanges.

use std::path::Path;

use plotters::prelude::*;
use spelt::View;

use crate::program::canvas::{BLUE, Drawing, GREY, RED, TITLES, canvas, finish};
use crate::program::{Axis, chart};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1280, 800);

/// The largest number of elements that are drawn along each half, and of those that were exchanged.
const DRAWN: [usize; 2] = [1500, 60];

/// Draws elements of both halves in grey, and those at listed indices in the colour of their half.
pub(crate) fn draw(file: &Path, data: &View<f64, 1>, list: &[usize]) -> Drawing {
    let size = data.extent(0) / 2;
    let subtitle = format!(
        "{size} elements of each half (grey); some that were exchanged: blue in the first half, red in the second"
    );
    let canvas = canvas(file, SIZE, "Elements between ranks", &subtitle)?;
    let mut chart = chart(
        &canvas.margin(TITLES, 16, 16, 40),
        &Axis {
            title: "index in the half",
            range: 0.0..size as f64,
            ticks: 8,
            label: &|x| format!("{x:.0}"),
        },
        &Axis {
            title: "element",
            range: -0.6..1.1,
            ticks: 8,
            label: &|y| format!("{:.1}", (10.0 * y).round() / 10.0 + 0.0),
        },
    )?;
    let along = (0..size).step_by(size.div_ceil(DRAWN[0]));
    let listed = list.iter().copied().step_by(list.len().div_ceil(DRAWN[1]));
    let halves = [(0, BLUE), (size, RED)];
    let dot = |index, row: usize, radius, style| Circle::new((index as f64, data[row]), radius, style);
    for (first, _) in halves {
        chart.draw_series(along.clone().map(|index| dot(index, first + index, 1, GREY.filled())))?;
    }
    for (first, colour) in halves {
        chart.draw_series(listed.clone().map(|index| dot(index, first + index, 4, colour.filled())))?;
    }
    finish(&canvas)
}
