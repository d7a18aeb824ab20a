//! The chart: the share of the ground at each height.

use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use crate::program::canvas::{Drawing, INK, TITLES, anchored, canvas, finish};
use crate::program::tint::tint;
use crate::program::{Axis, chart};
use crate::survey::{BIN, Survey};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1240, 720);

/// Draws the histogram of heights.
pub(crate) fn histogram(file: &Path, survey: &Survey) -> Drawing {
    let (histogram, extremes, moments) = (&survey.histogram, &survey.extremes, &survey.moments);
    let share = |count: u64| 100.0 * count as f64 / moments.cells as f64;
    let most = histogram.counts.iter().copied().max().map_or(1.0, share);
    let first = f64::from(histogram.first);
    let last = first + f64::from(BIN) * histogram.counts.len() as f64;
    let (min, max) = (f64::from(extremes.min_val), f64::from(extremes.max_val));

    let subtitle = format!(
        "{} cells from {min} m to {max} m: mean {:.1} m, standard deviation {:.1} m",
        moments.cells,
        moments.mean(),
        moments.deviation()
    );
    let canvas =
        canvas(file, SIZE, "How high the ground is around the Jacksboro fault, Tennessee", &subtitle)?;
    let mut chart = chart(
        &canvas.margin(TITLES, 16, 16, 40),
        &Axis {
            title: "height above the sea (m)",
            range: first..last,
            ticks: 12,
            label: &|height| format!("{height:.0}"),
        },
        &Axis {
            title: &format!("share of the cells per {BIN} m"),
            range: 0.0..most * 1.12,
            ticks: 11,
            label: &|share| format!("{share:.0} %"),
        },
    )?;

    let bars = histogram.counts.iter().enumerate().map(|(bar, &count)| {
        let from = first + f64::from(BIN) * bar as f64;
        let to = from + f64::from(BIN);
        let [red, green, blue] = tint((from + to) / 2.0, min, max).map(|colour| (colour * 0.9) as u8);
        let mut bar = Rectangle::new([(from, 0.0), (to, share(count))], RGBColor(red, green, blue).filled());
        bar.set_margin(0, 0, 1, 1);
        bar
    });
    chart.draw_series(bars)?;

    let mean = moments.mean();
    let mark = PathElement::new([(mean, 0.0), (mean, most * 1.06)], INK.stroke_width(2));
    chart.plotting_area().draw(&mark)?;
    let text = anchored(18, &INK, HPos::Left, VPos::Center);
    let text = Text::new(format!("  mean {mean:.1} m"), (mean, most * 1.05), text);
    chart.plotting_area().draw(&text)?;
    finish(&canvas)
}
