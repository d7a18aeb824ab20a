//! The picture: the range of each day through the year, and the histogram.

use std::path::Path;

use plotters::prelude::*;

use crate::MONTHS;
use crate::extremes::Histogram;
use crate::program::canvas::{BLUE, Canvas, Drawing, INK, RED, TITLES, canvas, finish};
use crate::program::{Axis, chart};
use crate::spans::Span;

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1500, 980);

/// Draws the days and the histogram, one above the other.
pub(crate) fn draw(file: &Path, days: &[Span], histogram: &Histogram) -> Drawing {
    let hours: usize = days.iter().map(|day| day.hours).sum();
    let subtitle =
        format!("{hours} hours: the range of each day with its mean, and how often each temperature came up");
    let canvas = canvas(file, SIZE, "A year's temperatures in Seattle", &subtitle)?;
    let (above, below) = canvas.margin(TITLES, 16, 16, 40).split_vertically(500);
    year(&above, days)?;
    bars(&below, histogram)?;
    finish(&canvas)
}

/// Draws a bar from the lowest to the highest temperature of each day, and a line through the means.
fn year(area: &Canvas<'_>, days: &[Span]) -> Drawing {
    let lowest = days.iter().map(|day| day.min).fold(f64::INFINITY, f64::min);
    let highest = days.iter().map(|day| day.max).fold(f64::NEG_INFINITY, f64::max);
    let date = |number: &f64| {
        let Some(day) = days.get(*number as usize) else { return String::new() };
        format!("{} {}", &MONTHS[usize::from(day.key / 100) - 1][..3], day.key % 100)
    };
    let mut chart = chart(
        area,
        &Axis { title: "day", range: 0.0..days.len() as f64, ticks: 12, label: &date },
        &Axis {
            title: "temperature (°F)",
            range: lowest - 2.0..highest + 2.0,
            ticks: 10,
            label: &|degrees| format!("{degrees:.0}"),
        },
    )?;
    chart.draw_series(days.iter().enumerate().map(|(number, day)| {
        let (from, to) = (number as f64, number as f64 + 1.0);
        Rectangle::new([(from, day.min), (to, day.max)], BLUE.mix(0.35).filled())
    }))?;
    let means = days.iter().enumerate().map(|(number, day)| (number as f64 + 0.5, day.mean()));
    chart.draw_series([PathElement::new(means.collect::<Vec<_>>(), RED.stroke_width(2))])?;
    Ok(())
}

/// Draws the histogram.
fn bars(area: &Canvas<'_>, histogram: &Histogram) -> Drawing {
    let most = f64::from(histogram.fullest().1);
    let mut chart = chart(
        area,
        &Axis {
            title: "temperature (°F)",
            range: histogram.first..histogram.first + histogram.counts.len() as f64,
            ticks: 20,
            label: &|degrees| format!("{degrees:.0}"),
        },
        &Axis {
            title: "hours per degree",
            range: 0.0..most * 1.1,
            ticks: 8,
            label: &|hours| format!("{hours:.0}"),
        },
    )?;
    chart.draw_series(histogram.counts.iter().enumerate().map(|(bar, &count)| {
        let from = histogram.first + bar as f64;
        let mut bar = Rectangle::new([(from, 0.0), (from + 1.0, f64::from(count))], INK.mix(0.6).filled());
        bar.set_margin(0, 0, 1, 1);
        bar
    }))?;
    Ok(())
}
