//! The chart: how much of the ground is how high.

use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::{Drawing, GREY, INK, TITLES, anchored, canvas, finish, font};
use crate::shading::tint;
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
    let mut chart = ChartBuilder::on(&canvas)
        .margin_top(TITLES)
        .margin_right(40)
        .margin_bottom(16)
        .margin_left(16)
        .x_label_area_size(64)
        .y_label_area_size(84)
        .build_cartesian_2d(first..last, 0.0..most * 1.12)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GREY.mix(0.25))
        .axis_style(INK.mix(0.6))
        .label_style(font(17).color(&INK))
        .axis_desc_style(font(18).color(&INK))
        .x_labels(12)
        .x_label_formatter(&|height| format!("{height:.0}"))
        .y_label_formatter(&|share| format!("{share:.0} %"))
        .x_desc("height above the sea (m)")
        .y_desc(format!("share of the cells per {BIN} m"))
        .draw()?;

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
    finish(&canvas, file)
}
