//! A picture of values over time that stay until the next one: a line for each name.

use plotters::prelude::*;

use super::canvas::{
    self, Anchor, Area, COLOURS, Drawing, GREY, INK, MARGIN, PALE, Picture, TITLES, WIDTH, fitting, width,
    write,
};
use super::trace::Series;
use super::units::{MEMORY, TIME, mark_text, marks, unit_for};

/// The height of the picture, and of the axis and legend below the lines. Unit: pixels.
const HEIGHT: i32 = 520;
const BELOW: i32 = 96;

/// The width of the axis on the left. Unit: pixels.
const LEFT: i32 = 84;

/// The most lines: as many as there are colours.
const MAX_LINES: usize = COLOURS.len();

/// The memory of each space over time.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    pub(super) title: String,
    pub(super) subtitle: String,
    /// Seconds and bytes.
    pub(super) series: Vec<Series>,
    /// Unit: s.
    pub(super) length: f64,
}

impl Picture for Steps {
    fn height(&self) -> u32 {
        HEIGHT.unsigned_abs()
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawing<B> {
        canvas::titles(area, &self.title, &self.subtitle)?;
        let series = &self.series[..self.series.len().min(MAX_LINES)];
        let most = series.iter().flat_map(|series| &series.points).map(|point| point.1).fold(0.0, f64::max);
        let (unit, time) = (unit_for(most, MEMORY), unit_for(self.length * 1e9, TIME));
        let length = self.length * 1e9 / time.size;
        let (heights, times) = (marks(most / unit.size, 6), marks(length, 10));
        let (left, right) = (MARGIN + LEFT, WIDTH as i32 - MARGIN - 20);
        let (top, bottom) = (TITLES + 8, HEIGHT - BELOW);
        let x = |value: f64| left + (value / times[times.len() - 1] * f64::from(right - left)).round() as i32;
        let y = |value: f64| {
            bottom - (value / heights[heights.len() - 1] * f64::from(bottom - top)).round() as i32
        };
        for mark in &heights {
            area.draw(&PathElement::new([(left, y(*mark)), (right, y(*mark))], PALE))?;
            write(area, &mark_text(*mark, heights[1]), (left - 8, y(*mark)), 14, GREY, Anchor::Right)?;
        }
        for mark in &times {
            area.draw(&PathElement::new([(x(*mark), bottom), (x(*mark), bottom + 4)], GREY))?;
            write(area, &mark_text(*mark, times[1]), (x(*mark), bottom + 16), 14, GREY, Anchor::Centre)?;
        }
        write(area, &format!("[{}]", unit.name), (MARGIN, top), 15, INK, Anchor::Left)?;
        write(
            area,
            &format!("time [{}]", time.name),
            (left.midpoint(right), bottom + 42),
            15,
            INK,
            Anchor::Centre,
        )?;
        let mut place = left;
        for (series, colour) in series.iter().zip(COLOURS) {
            let mut line = Vec::new();
            let mut level = bottom;
            for (seconds, bytes) in &series.points {
                let (x, y) = (x(seconds * 1e9 / time.size), y(bytes / unit.size));
                line.extend([(x, level), (x, y)]);
                level = y;
            }
            line.push((x(length), level));
            area.draw(&PathElement::new(line, colour.stroke_width(2)))?;
            let name = fitting(&series.name, 15, 220);
            area.draw(&Rectangle::new([(place, bottom + 66), (place + 14, bottom + 78)], colour.filled()))?;
            write(area, &name, (place + 22, bottom + 72), 15, INK, Anchor::Left)?;
            place += 22 + width(&name, 15) + 28;
        }
        if self.series.len() > MAX_LINES {
            let text = format!("and {} more", self.series.len() - MAX_LINES);
            write(area, &text, (place, bottom + 72), 15, GREY, Anchor::Left)?;
        }
        area.draw(&PathElement::new([(left, top), (left, bottom), (right, bottom)], INK))
    }
}

#[cfg(test)]
mod tests {
    use super::Steps;
    use crate::report::canvas::svg;
    use crate::report::trace::Series;

    #[test]
    fn lines_go_up_and_down_in_steps() {
        let points = vec![(0.0, 1000.0), (1.0, 4000.0), (3.0, 0.0)];
        let series = vec![Series { name: "HostSpace".into(), points }];
        let picture = Steps { title: "Memory".into(), subtitle: String::new(), series, length: 4.0 };
        let svg = svg(&picture).unwrap();
        assert!(svg.contains("HostSpace") && svg.contains("[kB]") && svg.contains("time [s]"), "{svg}");
        let line = svg
            .split('<')
            .find(|text| text.starts_with("polyline") && text.contains("#0072B2"))
            .expect("a line");
        let points: Vec<(i32, i32)> = line
            .split("points=\"")
            .nth(1)
            .and_then(|text| text.split('"').next())
            .expect("points")
            .split_whitespace()
            .filter_map(|point| {
                let (x, y) = point.split_once(',')?;
                Some((x.parse().ok()?, y.parse().ok()?))
            })
            .collect();
        let [bottom, one, before, four, high, low, end] = points[..] else {
            panic!("seven points: {points:?}")
        };
        assert_eq!((one.1, four.1, low.1), (before.1, high.1, end.1));
        assert_eq!((bottom.1, bottom.0), (low.1, one.0), "it begins and ends at the bottom");
        assert!(((bottom.1 - four.1) - 4 * (bottom.1 - one.1)).abs() <= 4, "{points:?}");
        assert!(((low.0 - one.0) - 3 * (four.0 - one.0)).abs() <= 3 && end.0 > low.0, "{points:?}");
    }
}
