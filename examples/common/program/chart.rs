//! A chart of numbers over numbers.

use std::ops::Range;

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::canvas::{Canvas, Drawing, GREY, INK, font};

/// A chart on a picture, to draw data on.
pub(crate) type Chart<'a, 'f> =
    ChartContext<'a, BitMapBackend<'f>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// An axis of a chart.
pub(crate) struct Axis<'a> {
    pub(crate) title: &'a str,
    pub(crate) range: Range<f64>,
    /// The approximate number of labels beside it.
    pub(crate) ticks: usize,
    /// The text of a label.
    pub(crate) label: &'a dyn Fn(&f64) -> String,
}

/// Draws the axes of a chart that fills `area`.
pub(crate) fn chart<'a, 'f>(area: &Canvas<'f>, x: &Axis<'_>, y: &Axis<'_>) -> Drawing<Chart<'a, 'f>> {
    let mut chart = ChartBuilder::on(area)
        .x_label_area_size(64)
        .y_label_area_size(84)
        .build_cartesian_2d(x.range.clone(), y.range.clone())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GREY.mix(0.25))
        .axis_style(INK.mix(0.6))
        .label_style(font(17).color(&INK))
        .axis_desc_style(font(18).color(&INK))
        .x_labels(x.ticks)
        .y_labels(y.ticks)
        .x_label_formatter(x.label)
        .y_label_formatter(y.label)
        .x_desc(x.title)
        .y_desc(y.title)
        .draw()?;
    Ok(chart)
}
