//! A picture of time per element against size, a panel for each case.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Case;
use crate::measure::Row;

type Drawing<T = ()> = Result<T, Box<dyn Error>>;
type Area<'f> = DrawingArea<BitMapBackend<'f>, Shift>;

/// Roboto Slab, which lies beside the examples' data: no font need be installed.
const FONT: &[u8] = include_bytes!("../data/RobotoSlab-Regular.otf");

/// Panels beside each other.
const ACROSS: usize = 4;

/// Of a panel. Unit: pixels.
const PANEL: (u32, u32) = (560, 400);

/// The space on the right of a panel for the names of the lines, so that they cover none. Unit: pixels.
const NAMES: u32 = 150;

/// From one name to the next. Unit: pixels.
const NAME: i32 = 19;

/// The start of the names, at the height of the lines. Unit: pixels.
const FIRST_NAME: i32 = 60;

/// The space above the panels. Unit: pixels.
const TITLE: u32 = 100;

/// Text and axes.
const INK: RGBColor = RGBColor(38, 44, 52);

/// The colour of less important elements.
const GREY: RGBColor = RGBColor(104, 112, 122);

/// One for each variant: Okabe and Ito's colours, which most eyes tell apart, and two that are as dark.
const COLOURS: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(120, 94, 40),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(110, 190, 120),
    RGBColor(150, 60, 120),
    RGBColor(90, 90, 90),
];

/// Draws Spelt's median time per element of all rows, a panel for each case and a line for each variant, both axes in
/// powers of ten.
///
/// # Errors
/// If the picture cannot be written.
pub fn write(file: &Path, subtitle: &str, results: &[(Case, Vec<Row>)]) -> Result<(), String> {
    draw(file, subtitle, results).map_err(|error| format!("{}: {error}", file.display()))
}

fn draw(file: &Path, subtitle: &str, results: &[(Case, Vec<Row>)]) -> Drawing {
    register_font("sans-serif", FontStyle::Normal, FONT).map_err(|_| "the font is damaged")?;
    let down = results.len().div_ceil(ACROSS).max(1);
    let size = (PANEL.0 * ACROSS as u32, TITLE + PANEL.1 * down as u32);
    let canvas = BitMapBackend::new(file, size).into_drawing_area();
    canvas.fill(&WHITE)?;
    let text = |size: u32, colour: &RGBColor| ("sans-serif", size).into_font().color(colour);
    canvas.draw(&Text::new(
        "Time per element against size, Spelt on its own threads",
        (24, 18),
        text(30, &INK),
    ))?;
    canvas.draw(&Text::new(subtitle.to_owned(), (24, 60), text(18, &GREY)))?;
    let (_, below) = canvas.split_vertically(TITLE);
    for (area, (case, rows)) in below.split_evenly((down, ACROSS)).iter().zip(results) {
        panel(area, case, rows)?;
    }
    canvas.present()?;
    Ok(())
}

/// A variant's sizes and nanoseconds per element.
fn lines(rows: &[Row]) -> Vec<(&'static str, Vec<(f64, f64)>)> {
    let mut lines: Vec<(&'static str, Vec<(f64, f64)>)> = Vec::new();
    for row in rows {
        let Some(ours) = row.figures.first() else { continue };
        let point = (row.size as f64, ours.time.median / row.work.elements.max(1) as f64);
        match lines.iter_mut().find(|(name, _)| *name == row.variant) {
            Some((_, points)) => points.push(point),
            None => lines.push((row.variant, vec![point])),
        }
    }
    lines
}

/// The smallest and the largest, moved apart to powers of ten.
fn powers(values: impl Iterator<Item = f64>) -> core::ops::Range<f64> {
    let (low, high) = values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), x| (low.min(x), high.max(x)));
    let low = 10_f64.powf(low.log10().floor());
    low..10_f64.powf(high.log10().ceil()).max(10.0 * low)
}

fn panel(area: &Area<'_>, case: &Case, rows: &[Row]) -> Drawing {
    let lines = lines(rows);
    let points = || lines.iter().flat_map(|(_, points)| points.iter());
    if points().next().is_none() {
        return Ok(());
    }
    let (left, right) = area.split_horizontally(PANEL.0 - NAMES);
    let mut chart = ChartBuilder::on(&left)
        .caption(case.name, ("sans-serif", 22).into_font().color(&INK))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(
            powers(points().map(|point| point.0)).log_scale(),
            powers(points().map(|point| point.1)).log_scale(),
        )?;
    chart
        .configure_mesh()
        .label_style(("sans-serif", 14).into_font().color(&INK))
        .axis_style(GREY)
        .light_line_style(RGBColor(244, 245, 246))
        .bold_line_style(RGBColor(222, 225, 228))
        .x_desc(case.size)
        .y_desc("ns per element")
        .x_label_formatter(&|x| format!("{x:e}"))
        .y_label_formatter(&|y| y.to_string())
        .draw()?;
    for (at, ((name, points), colour)) in (0..).zip(lines.iter().zip(COLOURS.iter().cycle())) {
        chart.draw_series([PathElement::new(points.clone(), colour.stroke_width(2))])?;
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
        let y = FIRST_NAME + at * NAME;
        right.draw(&PathElement::new([(0, y), (16, y)], colour.stroke_width(3)))?;
        let name_style = ("sans-serif", 14).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        right.draw(&Text::new((*name).to_owned(), (24, y), name_style))?;
    }
    Ok(())
}
