//! Tables, for people and for Markdown.

use core::fmt::Write;

use crate::case::Case;
use crate::compare::is_disturbed;
use crate::measure::{Figure, Row};

/// Nanoseconds, in the unit that gives three digits before the point at most.
#[must_use]
pub fn duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ..1e3 => (nanoseconds, "ns"),
        1e3..1e6 => (nanoseconds / 1e3, "us"),
        1e6..1e9 => (nanoseconds / 1e6, "ms"),
        _ => (nanoseconds / 1e9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// Three digits.
fn digits(value: f64) -> String {
    let places = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.places$}")
}

/// The rate of a call that takes this long: GB/s, or ns per element where no bytes move.
fn rate(row: &Row, nanoseconds: f64) -> String {
    if row.work.bytes > 0 { digits(row.work.bytes as f64 / nanoseconds) } else { "-".to_owned() }
}

/// A size as 1e5 where it is a power of ten.
fn size(n: usize) -> String {
    let zeros = n.checked_ilog10().unwrap_or(0);
    match n.checked_div(10_usize.pow(zeros)) {
        Some(first) if zeros >= 3 && n == first * 10_usize.pow(zeros) => format!("{first}e{zeros}"),
        _ => n.to_string(),
    }
}

/// Case, variant and size of a row.
#[must_use]
pub fn title<S>(case: &Case<S>, row: &Row) -> String {
    format!("{} {} {}", case.name, row.variant, size(row.size))
}

/// One row as lines for the terminal.
#[must_use]
pub fn lines<S>(case: &Case<S>, row: &Row) -> String {
    let mut text = String::new();
    for figure in &row.figures {
        let Figure { name, time, ratio } = figure;
        let title = title(case, row);
        let per_element = time.median / row.work.elements.max(1) as f64;
        let _ = writeln!(
            text,
            "{title:<28} {name:<14} {:>9} {:>7} GB/s {per_element:>9.3} ns/el   ratio {:>6.3} [{:.3} {:.3}]",
            duration(time.median),
            rate(row, time.median),
            ratio.median,
            ratio.low,
            ratio.high,
        );
    }
    for (name, reason) in &row.skipped {
        let _ = writeln!(text, "{:<28} {name:<14} skipped: {reason}", title(case, row));
    }
    text
}

/// A case's rows as a Markdown table, with its hypothesis above.
#[must_use]
pub fn table<S>(case: &Case<S>, rows: &[Row]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for figure in rows.iter().flat_map(|row| row.figures.iter().skip(1)) {
        if !names.contains(&figure.name) {
            names.push(figure.name);
        }
    }
    let hypothesis = case.hypothesis;
    let mut text =
        format!("### {}\n\nHypothesis: {hypothesis}\n\n|  | {} | Spelt | GB/s |", case.name, case.size);
    names.iter().for_each(|name| text += &format!(" {name} |"));
    text += "\n|---|---:|---:|---:|";
    text += &"---:|".repeat(names.len());
    for row in rows {
        let Some(ours) = row.figures.first() else {
            let reasons =
                row.skipped.iter().map(|(_, reason)| reason.as_str()).collect::<Vec<_>>().join("; ");
            let _ = write!(text, "\n| {} | {} | skipped: {reasons} | |", row.variant, size(row.size));
            text += &" |".repeat(names.len());
            continue;
        };
        let time = ours.time.median;
        let _ = write!(
            text,
            "\n| {} | {} | {} | {} |",
            row.variant,
            size(row.size),
            duration(time),
            rate(row, time)
        );
        for name in &names {
            match row.figures.iter().find(|figure| figure.name == *name) {
                Some(figure @ Figure { time, ratio, .. }) => {
                    let _ = write!(
                        text,
                        " {}{}: **{:.2}** ({:.2} to {:.2}) |",
                        if is_disturbed(figure) { "disturbed, " } else { "" },
                        duration(time.median),
                        ratio.median,
                        ratio.low,
                        ratio.high
                    );
                }
                None => text += " |",
            }
        }
    }
    text + "\n"
}

/// The file's own text down to the line `mark`, then the tables.
#[must_use]
pub fn below_mark(old: &str, mark: &str, tables: &str) -> String {
    let top = old.split_once(mark).map_or(old, |(top, _)| top);
    format!("{}\n\n{mark}\n\n{}\n", top.trim_end(), tables.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        assert_eq!(
            ["880 ns", "1.25 us", "99.9 ms", "100 ms"],
            [880.0, 1250.0, 99.9e6, 99.96e6].map(duration)
        );
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(["0", "125", "1e3", "4e7", "12500"], [0, 125, 1000, 40_000_000, 12_500].map(size));
    }

    #[test]
    fn a_row_without_a_race_says_why() {
        let case = Case::<()> { name: "rows", hypothesis: "", size: "rows", variants: &[] };
        let row = Row::without_race("f64", 100_000, "no memory for 80 GB".into());
        assert!(lines(&case, &row).contains("skipped: no memory for 80 GB"));
        let table = table(&case, &[row]);
        assert!(table.ends_with("| f64 | 1e5 | skipped: no memory for 80 GB | |\n"), "{table}");
    }

    #[test]
    fn the_top_of_the_file_stays() {
        let first = below_mark("# Title\n", "<!-- tables -->", "a");
        assert_eq!(below_mark(&first, "<!-- tables -->", "b"), first.replace("\na\n", "\nb\n"));
    }
}
