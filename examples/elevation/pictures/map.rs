//! The map: the shaded relief with the results.

use std::iter;
use std::path::Path;

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use spelt::MemorySpace;
use spelt::prelude::*;

use crate::program::canvas::{Canvas, Drawing, GREY, INK, MARGIN, TITLES, anchored, canvas, finish, font};
use crate::program::tint::tint;
use crate::shading::Rgb;
use crate::survey::{Cell, Survey};
use crate::terrain::{Terrain, latitude, longitude, place};

/// The margins of the map: labels on the left and below, the scale of heights on the right. Unit: pixels.
const LEFT: u32 = 112;
const BELOW: u32 = 52;
const RIGHT: u32 = 168;
const BOTTOM: u32 = 16;

/// Width, height and distance to the marker of a label. Unit: pixels.
const LABEL: (i32, i32) = (196, 56);
const GAP: i32 = 16;

type Point = (i32, i32);

/// A rectangle on the canvas: upper left and lower right corner.
type Frame = [Point; 2];

/// Something found on the map.
struct Finding {
    cell: Cell,
    /// The corners of the symbol around the marker.
    symbol: &'static [Point],
    colour: RGBColor,
    what: String,
}

/// Draws the map.
pub(crate) fn relief<M: MemorySpace>(
    file: &Path,
    terrain: &Terrain<M>,
    survey: &Survey,
    pixels: &View<Rgb, 2>,
) -> Drawing {
    let [height, width] = pixels.extents().map(|side| side as u32);
    let [rows, columns] = terrain.heights.extents();
    let size = (LEFT + width + RIGHT, TITLES + height + BELOW + BOTTOM);
    let subtitle = format!("{rows} x {columns} heights of {}, light from the north-west", terrain.name());
    let canvas = canvas(file, size, "The ground around the Jacksboro fault, Tennessee", &subtitle)?;

    let (west, east) = (longitude(-0.5), longitude(columns as f64 - 0.5));
    let (north, south) = (latitude(-0.5), latitude(rows as f64 - 0.5));
    let mut chart = ChartBuilder::on(&canvas)
        .margin_top(TITLES)
        .margin_right(RIGHT)
        .margin_bottom(BOTTOM)
        .x_label_area_size(BELOW)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(west..east, south..north)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(INK)
        .label_style(font(17).color(&INK))
        .x_labels(7)
        .y_labels(7)
        .x_label_formatter(&|longitude| format!("{:.2}° W", -longitude))
        .y_label_formatter(&|latitude| format!("{latitude:.2}° N"))
        .draw()?;
    let bytes = pixels.as_slice().ok_or("the pixels do not lie row by row")?.as_flattened();
    let picture = BitMapElement::with_ref((west, north), (width, height), bytes);
    chart.plotting_area().draw(&picture.ok_or("the picture has too few pixels")?)?;

    let (left, top) = (LEFT as i32, TITLES as i32);
    let map = [(left, top), (left + width as i32, top + height as i32)];
    canvas.draw(&Rectangle::new(map, INK.stroke_width(1)))?;
    let bar = scale_bar(&canvas, map, terrain)?;
    findings(&canvas, map, bar, &survey_findings(survey), |cell| on_canvas(&chart, cell))?;
    height_scale(&canvas, map, survey)?;
    finish(&canvas)
}

/// The middle of a cell on the canvas.
fn on_canvas(
    chart: &ChartContext<'_, BitMapBackend<'_>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    [row, column]: Cell,
) -> Point {
    chart.backend_coord(&(longitude(column as f64), latitude(row as f64)))
}

/// The highest, the lowest and the steepest place.
fn survey_findings(survey: &Survey) -> [Finding; 3] {
    let extremes = &survey.extremes;
    [
        Finding {
            cell: extremes.max_loc,
            symbol: &[(0, -8), (8, 6), (-8, 6)],
            colour: RGBColor(196, 30, 58),
            what: format!("highest, {} m", extremes.max_val),
        },
        Finding {
            cell: extremes.min_loc,
            symbol: &[(0, 8), (8, -6), (-8, -6)],
            colour: RGBColor(0, 84, 166),
            what: format!("lowest, {} m", extremes.min_val),
        },
        Finding {
            cell: survey.steepest.loc,
            symbol: &[(0, -8), (8, 0), (0, 8), (-8, 0)],
            colour: RGBColor(120, 40, 140),
            what: format!("steepest, {:.1}°", survey.steepest_degrees()),
        },
    ]
}

/// Marks and labels the results; labels overlap neither each other nor `bar`.
fn findings(
    canvas: &Canvas<'_>,
    map: Frame,
    bar: Frame,
    findings: &[Finding],
    on_canvas: impl Fn(Cell) -> Point,
) -> Drawing {
    let mut taken = vec![bar];
    taken.extend(findings.iter().map(|finding| {
        let (x, y) = on_canvas(finding.cell);
        [(x - 10, y - 10), (x + 10, y + 10)]
    }));
    for finding in findings {
        let at = on_canvas(finding.cell);
        let [(left, top), corner] = label_frame(at, map, &taken);
        taken.push([(left, top), corner]);
        canvas.draw(&Rectangle::new([(left, top), corner], WHITE.mix(0.85).filled()))?;
        canvas.draw(&Rectangle::new([(left, top), corner], finding.colour.stroke_width(1)))?;
        let title = anchored(18, &INK, HPos::Left, VPos::Top);
        canvas.draw(&Text::new(finding.what.clone(), (left + 12, top + 9), title))?;
        let text = anchored(15, &GREY, HPos::Left, VPos::Top);
        canvas.draw(&Text::new(place(finding.cell), (left + 12, top + 32), text))?;

        let symbol: Vec<Point> = finding.symbol.iter().map(|&(x, y)| (at.0 + x, at.1 + y)).collect();
        let outline = symbol.iter().chain(&symbol[..2]).copied().collect::<Vec<_>>();
        canvas.draw(&Polygon::new(symbol, finding.colour.filled()))?;
        canvas.draw(&PathElement::new(outline, WHITE.stroke_width(2)))?;
    }
    Ok(())
}

/// A place for the label of a marker: the first of four around it that is on the map and free.
fn label_frame((x, y): Point, map: Frame, taken: &[Frame]) -> Frame {
    let (width, height) = LABEL;
    let beside = [
        (x + GAP, y - height / 2),
        (x - GAP - width, y - height / 2),
        (x - width / 2, y - GAP - height),
        (x - width / 2, y + GAP),
    ];
    let frames = beside.map(|(left, top)| [(left, top), (left + width, top + height)]);
    let within = |frame: &Frame| {
        frame[0].0 > map[0].0 && frame[0].1 > map[0].1 && frame[1].0 < map[1].0 && frame[1].1 < map[1].1
    };
    let apart =
        |a: &Frame, b: &Frame| a[1].0 < b[0].0 || b[1].0 < a[0].0 || a[1].1 < b[0].1 || b[1].1 < a[0].1;
    let free = |frame: &&Frame| within(frame) && taken.iter().all(|other| apart(frame, other));
    frames.iter().find(free).copied().unwrap_or(frames[0])
}

/// A bar of a round length, in the lower left corner of the map; returns its place.
fn scale_bar<M: MemorySpace>(canvas: &Canvas<'_>, map: Frame, terrain: &Terrain<M>) -> Drawing<Frame> {
    let metres = terrain.heights.extent(1) as f64 * terrain.cell_metres()[1];
    let metres_per_pixel = metres / f64::from(map[1].0 - map[0].0);
    let most = metres / 5.0;
    let power = 10_f64.powf(most.log10().floor());
    let length = [5.0, 2.0, 1.0].map(|digit| digit * power).into_iter().find(|&length| length <= most);
    let length = length.unwrap_or(power);
    let pixels = (length / metres_per_pixel).round() as i32;

    let (left, bottom) = (map[0].0 + 20, map[1].1 - 20);
    let frame = [(left, bottom - 48), (left + pixels + 28, bottom)];
    canvas.draw(&Rectangle::new(frame, WHITE.mix(0.8).filled()))?;
    let (from, to, y) = (left + 14, left + 14 + pixels, bottom - 14);
    canvas.draw(&PathElement::new([(from, y - 6), (from, y), (to, y), (to, y - 6)], INK.stroke_width(2)))?;
    let text = if length < 1000.0 { format!("{length} m") } else { format!("{} km", length / 1000.0) };
    let style = anchored(17, &INK, HPos::Center, VPos::Bottom);
    canvas.draw(&Text::new(text, ((from + to) / 2, y - 6), style))?;
    Ok(frame)
}

/// The colours of the heights, to the right of the map.
fn height_scale(canvas: &Canvas<'_>, map: Frame, survey: &Survey) -> Drawing {
    let (min, max) = (f64::from(survey.extremes.min_val), f64::from(survey.extremes.max_val));
    let (left, right) = (map[1].0 + MARGIN, map[1].0 + MARGIN + 24);
    let (top, bottom) = (map[0].1 + 36, map[0].1 + 36 + (map[1].1 - map[0].1) / 2);
    let style = anchored(17, &INK, HPos::Left, VPos::Top);
    canvas.draw(&Text::new("height (m)", (left, map[0].1), style))?;
    for y in top..bottom {
        let part = f64::from(bottom - y) / f64::from(bottom - top);
        let [red, green, blue] = tint(min + part * (max - min), min, max).map(|colour| colour as u8);
        canvas.draw(&PathElement::new([(left, y), (right, y)], RGBColor(red, green, blue)))?;
    }
    canvas.draw(&Rectangle::new([(left, top), (right, bottom)], INK.stroke_width(1)))?;
    let style = anchored(16, &INK, HPos::Left, VPos::Center);
    let hundreds = (1..).map(|step| 200.0 * f64::from(step)).skip_while(|&height| height < min + 50.0);
    let ticks = hundreds.take_while(|&height| height < max - 50.0);
    for height in iter::once(min).chain(ticks).chain([max]) {
        let part = (height - min) / (max - min).max(1.0);
        let y = bottom - (part * f64::from(bottom - top)) as i32;
        canvas.draw(&PathElement::new([(right, y), (right + 6, y)], INK))?;
        canvas.draw(&Text::new(format!("{height}"), (right + 12, y), style.clone()))?;
    }
    Ok(())
}
