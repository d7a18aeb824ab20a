//! The picture: the profiles of rows and columns, and the hypsometric curve.

use std::path::Path;

use plotters::prelude::*;

use crate::profile::Profile;
use crate::program::canvas::{BLUE, Canvas, Drawing, INK, RED, TITLES, canvas, finish};
use crate::program::{Axis, chart};
use crate::terrain::{latitude, longitude};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1500, 1000);

/// Draws the profiles on the left, one above the other, and the curve on the right; `curve` has the height of each percent.
pub(crate) fn draw(file: &Path, rows: &Profile, columns: &Profile, curve: &[i16]) -> Drawing {
    let subtitle =
        "lowest, mean and highest ground of each column and row; how much of the ground is how high";
    let canvas = canvas(file, SIZE, "Heights around the Jacksboro fault, Tennessee", subtitle)?;
    let heights = curve.first().map_or(0.0, |&height| f64::from(height) - 20.0)
        ..curve.last().map_or(1.0, |&height| f64::from(height) + 20.0);
    let (left, right) = canvas.margin(TITLES, 16, 16, 40).split_horizontally(840);
    let (above, below) = left.split_vertically(430);
    let height =
        Axis { title: "height (m)", range: heights, ticks: 8, label: &|height| format!("{height:.0}") };

    let east = Axis {
        title: "longitude of the column",
        range: longitude(0.0)..longitude(columns.mean.len() as f64),
        ticks: 8,
        label: &|longitude| format!("{:.2}° W", -longitude),
    };
    profile(&above, &east, &height, columns, longitude)?;
    let south = Axis {
        title: "latitude of the row",
        range: latitude(rows.mean.len() as f64)..latitude(0.0),
        ticks: 8,
        label: &|latitude| format!("{latitude:.2}° N"),
    };
    profile(&below, &south, &height, rows, latitude)?;
    hypsometric(&right.margin(0, 0, 24, 0), &height, curve)?;
    finish(&canvas)
}

/// Draws a band from the lowest to the highest ground, with a line through the means.
fn profile(
    area: &Canvas<'_>,
    along: &Axis<'_>,
    height: &Axis<'_>,
    profile: &Profile,
    place: impl Fn(f64) -> f64,
) -> Drawing {
    let mut chart = chart(area, along, height)?;
    let at = |line: usize| place(line as f64 + 0.5);
    let lows = profile.min.iter().enumerate().map(|(line, &min)| (at(line), f64::from(min)));
    let highs = profile.max.iter().enumerate().map(|(line, &max)| (at(line), f64::from(max)));
    let band: Vec<_> = lows.chain(highs.rev()).collect();
    chart.draw_series([Polygon::new(band, BLUE.mix(0.25).filled())])?;
    let means = profile.mean.iter().enumerate().map(|(line, &mean)| (at(line), mean));
    chart.draw_series([PathElement::new(means.collect::<Vec<_>>(), RED.stroke_width(2))])?;
    Ok(())
}

/// Draws the height above which each percent of the ground lies.
fn hypsometric(area: &Canvas<'_>, height: &Axis<'_>, curve: &[i16]) -> Drawing {
    let above = Axis {
        title: "share of the ground above (%)",
        range: 0.0..100.0,
        ticks: 10,
        label: &|percent| format!("{percent:.0}"),
    };
    let mut chart = chart(area, &above, height)?;
    let points = curve.iter().enumerate();
    let points = points.map(|(percent, &height)| (100.0 - percent as f64, f64::from(height)));
    let curve: Vec<_> = points.collect();
    let floor = height.range.start;
    let under = curve.iter().copied().chain([(0.0, floor), (100.0, floor)]).collect::<Vec<_>>();
    chart.draw_series([Polygon::new(under, BLUE.mix(0.25).filled())])?;
    chart.draw_series([PathElement::new(curve, INK.stroke_width(2))])?;
    Ok(())
}
