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

/// Roboto Slab, which is beside the examples' data, so that no font has to be installed.
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

/// One for each line: Okabe and Ito's colours, which most eyes tell apart, and two that are as dark.
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

/// The lines of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Spelt's variants, a panel for each case.
    Variants,
    /// Spelt and its peers, a panel for each variant of a case.
    Contenders,
}

/// Draws the median time per element of all rows, both axes in powers of ten.
///
/// # Errors
/// If the picture cannot be written.
pub fn write(file: &Path, subtitle: &str, results: &[(Case, Vec<Row>)], kind: Lines) -> Result<(), String> {
    draw(file, subtitle, &panels(results, kind), kind).map_err(|error| format!("{}: {error}", file.display()))
}

/// One panel: lines of sizes and nanoseconds per element.
#[derive(Debug, PartialEq)]
struct Panel {
    caption: String,
    size: &'static str,
    lines: Vec<(&'static str, Vec<(f64, f64)>)>,
}

impl Panel {
    fn new(caption: String, case: &Case) -> Self {
        Self { caption, size: case.size, lines: Vec::new() }
    }

    fn add(&mut self, name: &'static str, row: &Row, nanoseconds: f64) {
        let point = (row.size as f64, nanoseconds / row.work.elements.max(1) as f64);
        match self.lines.iter_mut().find(|(other, _)| *other == name) {
            Some((_, points)) => points.push(point),
            None => self.lines.push((name, vec![point])),
        }
    }
}

fn panels(results: &[(Case, Vec<Row>)], kind: Lines) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (case, rows) in results {
        if kind == Lines::Variants {
            let mut panel = Panel::new(case.name.to_owned(), case);
            for row in rows {
                if let Some(ours) = row.figures.first() {
                    panel.add(row.variant, row, ours.time.median);
                }
            }
            panels.push(panel);
            continue;
        }
        for of_variant in rows.chunk_by(|a, b| a.variant == b.variant) {
            let mut panel = Panel::new(format!("{} {}", case.name, of_variant[0].variant), case);
            for row in of_variant {
                row.figures.iter().for_each(|figure| panel.add(figure.name, row, figure.time.median));
            }
            panels.push(panel);
        }
    }
    panels
}

fn draw(file: &Path, subtitle: &str, panels: &[Panel], kind: Lines) -> Drawing {
    register_font("sans-serif", FontStyle::Normal, FONT).map_err(|_| "the font is damaged")?;
    let down = panels.len().div_ceil(ACROSS).max(1);
    let size = (PANEL.0 * ACROSS as u32, TITLE + PANEL.1 * down as u32);
    let canvas = BitMapBackend::new(file, size).into_drawing_area();
    canvas.fill(&WHITE)?;
    let text = |size: u32, colour: &RGBColor| ("sans-serif", size).into_font().color(colour);
    let title = match kind {
        Lines::Variants => "Time per element against size, Spelt on its own threads",
        Lines::Contenders => "Time per element against size, Spelt beside its peers",
    };
    canvas.draw(&Text::new(title, (24, 18), text(30, &INK)))?;
    canvas.draw(&Text::new(subtitle.to_owned(), (24, 60), text(18, &GREY)))?;
    let (_, below) = canvas.split_vertically(TITLE);
    for (area, panel) in below.split_evenly((down, ACROSS)).iter().zip(panels) {
        draw_panel(area, panel)?;
    }
    canvas.present()?;
    Ok(())
}

/// The smallest and the largest, moved apart to powers of ten.
fn powers(values: impl Iterator<Item = f64>) -> core::ops::Range<f64> {
    let (low, high) = values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), x| (low.min(x), high.max(x)));
    let low = 10_f64.powf(low.log10().floor());
    low..10_f64.powf(high.log10().ceil()).max(10.0 * low)
}

fn draw_panel(area: &Area<'_>, Panel { caption, size, lines }: &Panel) -> Drawing {
    let points = || lines.iter().flat_map(|(_, points)| points.iter());
    if points().next().is_none() {
        return Ok(());
    }
    let (left, right) = area.split_horizontally(PANEL.0 - NAMES);
    let mut chart = ChartBuilder::on(&left)
        .caption(caption, ("sans-serif", 22).into_font().color(&INK))
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
        .x_desc(*size)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lineup::Work;
    use crate::measure::Figure;
    use crate::statistics::Spread;

    #[test]
    fn panels_have_a_line_for_each_variant_or_contender() {
        let case = Case { name: "sum", hypothesis: "", size: "n", variants: &[] };
        let figure = |name, time| Figure {
            name,
            time: Spread { low: time, median: time, high: time },
            ratio: Spread { low: 1.0, median: 1.0, high: 1.0 },
        };
        let row = |variant, size| Row {
            variant,
            size,
            work: Work { bytes: 0, elements: 2 * size },
            figures: vec![figure("Spelt", 400.0), figure("rayon", 800.0)],
            skipped: Vec::new(),
        };
        let results = [(case, vec![row("f64", 100), row("f64", 200), row("f32", 100)])];
        let of_variants = panels(&results, Lines::Variants);
        assert_eq!(of_variants.len(), 1);
        assert_eq!(of_variants[0].lines[0], ("f64", vec![(100.0, 2.0), (200.0, 1.0)]));
        assert_eq!(of_variants[0].lines[1], ("f32", vec![(100.0, 2.0)]));
        let of_contenders = panels(&results, Lines::Contenders);
        assert_eq!(of_contenders.len(), 2);
        assert_eq!(of_contenders[0].caption, "sum f64");
        assert_eq!(of_contenders[0].lines[1], ("rayon", vec![(100.0, 4.0), (200.0, 2.0)]));
    }
}
