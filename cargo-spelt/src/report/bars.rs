//! A picture of bars: a row for each name, the longest first as given.

use plotters::prelude::*;

use super::canvas::{
    self, Anchor, Area, COLOURS, Drawing, GREY, INK, MARGIN, PALE, Picture, RED, TITLES, WIDTH, fitting,
    width, write,
};
use super::units::{Unit, mark_text, marks, unit_for};

/// The most rows; the others are counted in the last line.
const MAX_ROWS: usize = 30;

/// From one row to the next, and the height of a bar. Unit: pixels.
const ROW: (i32, i32) = (30, 20);

/// The greatest widths of names and of the text on the right of a bar, with the space beside them. Unit: pixels.
const NAMES: i32 = 380;
const NOTES: i32 = 300;

/// The space beside names and notes. Unit: pixels.
const GAP: i32 = 12;

/// The height of the axis below. Unit: pixels.
const AXIS: i32 = 64;

/// The height of a limit's text above the bars. Unit: pixels.
const LIMIT: i32 = 26;

#[derive(Clone, Debug)]
pub(super) struct Bars {
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) rows: Vec<Row>,
    pub(super) units: &'static [Unit],
    /// The name of the axis, to which its unit is added.
    pub(super) axis: &'static str,
    /// A line across all bars, with its text.
    pub(super) limit: Option<(f64, String)>,
}

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    /// In the base unit.
    pub(super) value: f64,
    /// The text on the right of the bar.
    pub(super) note: String,
}

impl Bars {
    /// The left and the right edge of the bars: names and notes have the room that they need.
    fn edges(&self) -> [i32; 2] {
        let column =
            |texts: &mut dyn Iterator<Item = i32>, most: i32| texts.max().unwrap_or(0).min(most - GAP) + GAP;
        let rows = self.shown();
        let names = column(&mut rows.iter().map(|row| width(&row.name, 15)), NAMES);
        let notes = column(&mut rows.iter().map(|row| width(&row.note, 14)), NOTES);
        [MARGIN + names.max(110), WIDTH as i32 - MARGIN - notes.max(60)]
    }

    fn shown(&self) -> &[Row] {
        &self.rows[..self.rows.len().min(MAX_ROWS)]
    }

    /// The upper edge of the first row. Unit: pixels.
    fn top(&self) -> i32 {
        TITLES + if self.limit.is_some() { LIMIT } else { 0 }
    }
}

impl Picture for Bars {
    fn height(&self) -> u32 {
        let others = i32::from(self.rows.len() > MAX_ROWS);
        u32::try_from(self.top() + ROW.0 * (self.shown().len() as i32 + others) + AXIS).unwrap_or(WIDTH)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawing<B> {
        canvas::titles(area, &self.title, &self.subtitle)?;
        let rows = self.shown();
        let most = rows
            .iter()
            .map(|row| row.value)
            .chain(self.limit.iter().map(|limit| limit.0))
            .fold(0.0, f64::max);
        let unit = unit_for(most, self.units);
        let marks = marks(most / unit.size, 8);
        let (end, step) = (marks[marks.len() - 1], marks[1]);
        let [left, right] = self.edges();
        let x = |value: f64| left + (value / unit.size / end * f64::from(right - left)).round() as i32;
        let (top, bottom) = (self.top(), self.top() + ROW.0 * rows.len() as i32);
        for mark in marks {
            let x = x(mark * unit.size);
            area.draw(&PathElement::new([(x, top), (x, bottom + 4)], PALE))?;
            write(area, &mark_text(mark, step), (x, bottom + 16), 14, GREY, Anchor::Centre)?;
        }
        let others = self.rows.len() - rows.len();
        let axis = format!("{} [{}]", self.axis, unit.name);
        write(area, &axis, (left.midpoint(right), bottom + 42), 15, INK, Anchor::Centre)?;
        for (number, row) in rows.iter().enumerate() {
            let middle = top + ROW.0 * number as i32 + ROW.0 / 2;
            let name = fitting(&row.name, 15, left - GAP - MARGIN);
            write(area, &name, (left - GAP, middle), 15, INK, Anchor::Right)?;
            let (upper, lower) = (middle - ROW.1 / 2, middle + ROW.1 / 2);
            area.draw(&Rectangle::new(
                [(left, upper), (x(row.value).max(left + 1), lower)],
                COLOURS[0].filled(),
            ))?;
        }
        area.draw(&PathElement::new([(left, top), (left, bottom)], INK))?;
        if let Some((limit, text)) = &self.limit {
            let x = x(*limit);
            area.draw(&PathElement::new([(x, top - 4), (x, bottom)], RED.stroke_width(2)))?;
            let anchor = if x > left.midpoint(right) { Anchor::Right } else { Anchor::Left };
            write(area, text, (x, top - 14), 15, RED, anchor)?;
        }
        // Beyond all bars, where nothing crosses them.
        for (number, row) in rows.iter().enumerate() {
            let middle = top + ROW.0 * number as i32 + ROW.0 / 2;
            write(area, &fitting(&row.note, 14, NOTES - GAP), (right + GAP, middle), 14, GREY, Anchor::Left)?;
        }
        if others > 0 {
            let text = format!("and {others} more");
            write(area, &text, (left - GAP, bottom + 16), 14, GREY, Anchor::Right)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bars, MAX_ROWS, Row};
    use crate::report::canvas::{Picture, svg};
    use crate::report::units::RATE;

    /// The numbers of an attribute of elements with this beginning.
    fn numbers(svg: &str, element: &str, attribute: &str) -> Vec<i32> {
        let elements = svg.split('<').filter(|text| text.starts_with(element));
        let value =
            |text: &str| text.split(&format!(" {attribute}=\"")).nth(1)?.split('"').next()?.parse().ok();
        elements.filter_map(value).collect()
    }

    fn bars(values: &[f64], limit: Option<f64>) -> Bars {
        let rows = values.iter().map(|value| Row {
            name: format!("row {value}"),
            value: *value,
            note: String::new(),
        });
        Bars {
            title: "Title".into(),
            subtitle: String::new(),
            rows: rows.collect(),
            units: RATE,
            axis: "rate",
            limit: limit.map(|limit| (limit, "the limit".to_owned())),
        }
    }

    #[test]
    fn bars_are_as_long_as_their_values() {
        let svg = svg(&bars(&[40.0, 20.0, 10.0], Some(30.0))).unwrap();
        for text in ["Title", "row 40", "row 20", "row 10", "the limit", "rate [GB/s]"] {
            assert!(svg.contains(text), "no `{text}` in {svg}");
        }
        // The first rectangle is the background.
        let widths = &numbers(&svg, "rect", "width")[1..];
        let [a, b, c] = widths else { panic!("three bars: {widths:?}") };
        assert!((a - 2 * b).abs() <= 2 && (b - 2 * c).abs() <= 2 && *c > 100, "{widths:?}");
        let left = numbers(&svg, "rect", "x")[1];
        let heights = &numbers(&svg, "rect", "y")[1..];
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] == 30), "{heights:?}");
        // The limit is at three quarters of the longest bar.
        let limit = svg
            .split('<')
            .find(|text| text.contains("#C41E3A") && text.starts_with("polyline"))
            .expect("a line");
        let x: i32 = limit
            .split("points=\"")
            .nth(1)
            .and_then(|points| points.split(',').next())
            .expect("a point")
            .parse()
            .unwrap();
        assert!(((x - left) * 4 - a * 3).abs() <= 4, "{x} {left} {a}");
    }

    #[test]
    fn rows_beyond_the_limit_are_counted() {
        let many = bars(&vec![1.0; MAX_ROWS + 7], None);
        let svg = svg(&many).unwrap();
        assert!(svg.contains("and 7 more"));
        assert_eq!(numbers(&svg, "rect", "width").len(), MAX_ROWS + 1);
        assert!(many.height() < 1200);
    }

    #[test]
    fn zero_and_nothing_can_be_drawn() {
        svg(&bars(&[0.0], None)).unwrap();
        svg(&bars(&[], None)).unwrap();
    }
}
