//! Tables of one or more sections, as wide as the terminal.

use core::fmt::Write;

use super::style::{Colour, Style};

/// The longest name in a table; longer ones are cut. Unit: characters.
const MAX_NAME: usize = 40;

/// The length to which names are cut before a column is left out.
const SHORT_NAME: usize = 24;

/// The length to which names are cut where nothing else helps.
const MIN_NAME: usize = 8;

/// The columns that narrow terminals do without, the first one first.
const DISPENSABLE: [&str; 9] = ["min", "max", "pattern", "bytes", "mean", "space", "calls", "imbal", "GB/s"];

/// A column behind the names.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) head: &'static str,
    /// At least this many characters.
    pub(super) width: usize,
    pub(super) is_left: bool,
}

/// A column of numbers.
pub(super) const fn numbers(head: &'static str, width: usize) -> Column {
    Column { head, width, is_left: false }
}

/// A column of words.
pub(super) const fn words(head: &'static str, width: usize) -> Column {
    Column { head, width, is_left: true }
}

pub(super) struct Row {
    pub(super) name: String,
    pub(super) cells: Vec<String>,
    pub(super) colour: Colour,
}

/// Rows under a heading.
pub(super) struct Section {
    pub(super) head: &'static str,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
}

impl Section {
    fn width(&self, name: usize, is_shown: impl Fn(&Column) -> bool) -> usize {
        name + self
            .columns
            .iter()
            .filter(|column| is_shown(column))
            .map(|column| 1 + column.width)
            .sum::<usize>()
    }

    fn longest_name(&self) -> usize {
        let names = self.rows.iter().map(|row| row.name.chars().count());
        names.chain([self.head.len()]).max().unwrap_or(0)
    }
}

/// The sections that have rows, one below the other, with names of one length.
pub(super) fn text(sections: &[Section], style: Style) -> String {
    let sections: Vec<_> = sections.iter().filter(|section| !section.rows.is_empty()).collect();
    let natural = sections.iter().map(|section| section.longest_name()).max().unwrap_or(0).min(MAX_NAME);
    let widest = |name, left_out: &[&str]| {
        let is_shown = |column: &Column| !left_out.contains(&column.head);
        sections.iter().map(|section| section.width(name, is_shown)).max().unwrap_or(0)
    };
    let room = style.width.unwrap_or(usize::MAX);
    let mut left_out = 0;
    while left_out < DISPENSABLE.len() && widest(natural.min(SHORT_NAME), &DISPENSABLE[..left_out]) > room {
        left_out += 1;
    }
    let left_out = &DISPENSABLE[..left_out];
    let others = widest(0, left_out);
    let name = natural.min(room.saturating_sub(others).max(MIN_NAME));
    let mut text = String::new();
    for section in sections {
        let shown = |column: &Column| !left_out.contains(&column.head);
        text.push('\n');
        let heads = section.columns.iter().map(|column| column.head);
        let line = line(section.head, heads, section, name, &shown);
        _ = writeln!(text, "{}", style.painted(&line, Colour::Heading));
        for row in &section.rows {
            let cells = row.cells.iter().map(String::as_str);
            let line = self::line(&row.name, cells, section, name, &shown);
            _ = writeln!(text, "{}", style.painted(&line, row.colour));
        }
    }
    text
}

fn line<'a>(
    name: &str,
    cells: impl Iterator<Item = &'a str>,
    section: &Section,
    width: usize,
    is_shown: &dyn Fn(&Column) -> bool,
) -> String {
    let mut line = format!("{:width$}", cut(name, width));
    for (cell, column) in cells.zip(&section.columns).filter(|(_, column)| is_shown(column)) {
        let width = column.width;
        _ = if column.is_left { write!(line, " {cell:<width$}") } else { write!(line, " {cell:>width$}") };
    }
    line.truncate(line.trim_end().len());
    line
}

/// The name in one line of at most `max` characters.
fn cut(name: &str, max: usize) -> String {
    let one_line = name.chars().map(|character| if character.is_control() { ' ' } else { character });
    if name.chars().count() <= max {
        return one_line.collect();
    }
    one_line.take(max.saturating_sub(2)).chain("..".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Row, Section, cut, numbers, text, words};
    use crate::tools::summary::style::{Colour, Style};

    fn section() -> Section {
        let columns = vec![numbers("calls", 5), numbers("total", 9), numbers("min", 9), words("space", 6)];
        let name = "a rather long name of a launch".to_owned();
        let cells = ["12", "1.00 us", "2 ns", "Serial"].map(str::to_owned).to_vec();
        Section { head: "launch", columns, rows: vec![Row { name, cells, colour: Colour::Plain }] }
    }

    fn with_width(width: Option<usize>) -> String {
        text(&[section()], Style { width, is_coloured: false })
    }

    #[test]
    fn a_table_fits_the_terminal() {
        let whole = "\nlaunch                         calls     total       min space\n\
                     a rather long name of a launch    12   1.00 us      2 ns Serial\n";
        assert_eq!(with_width(None), whole);
        assert_eq!(with_width(Some(63)), whole);
        // Names are cut first, then columns are left out, then names are cut further.
        let cut = "\nlaunch                   calls     total       min space\n\
                   a rather long name of ..    12   1.00 us      2 ns Serial\n";
        assert_eq!(with_width(Some(57)), cut);
        let fewer = "\nlaunch                         calls     total space\n\
                     a rather long name of a launch    12   1.00 us Serial\n";
        assert_eq!(with_width(Some(53)), fewer);
        assert_eq!(with_width(Some(10)), "\nlaunch       total\na rath..   1.00 us\n");
        for width in 18..80 {
            let longest = with_width(Some(width)).lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(width), "{width}: {longest:?}");
        }
    }

    #[test]
    fn sections_without_rows_are_left_out() {
        let empty = Section { rows: Vec::new(), ..section() };
        assert_eq!(text(&[empty], Style { width: None, is_coloured: true }), "");
    }

    #[test]
    fn names_are_one_short_line() {
        assert_eq!(cut("a\nb", 40), "a b");
        let long = "\u{e4}".repeat(41);
        assert_eq!(cut(&long, 40), format!("{}..", "\u{e4}".repeat(38)));
        assert_eq!(cut(&long[2..], 40), long[2..]);
    }
}
