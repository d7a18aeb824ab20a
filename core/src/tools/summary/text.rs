//! A summary as a table.

use core::fmt::Write;

use super::report::{Report, mean_ns};
use super::totals::Times;

/// The longest label in the table; longer ones are cut. Unit: characters.
const MAX_LABEL: usize = 40;

/// The table, with a line for each label, pattern and space.
pub(super) fn table(report: &Report) -> String {
    let mut text = String::new();
    let run_ns = report.run_ns as f64;
    let share = |ns: u64| if run_ns > 0.0 { 100.0 * ns as f64 / run_ns } else { 0.0 };
    _ = writeln!(
        text,
        "spelt: {} since the first event, {} of it in launches ({:.1} %)",
        time(run_ns),
        time(report.launches_ns as f64),
        share(report.launches_ns)
    );
    let names: Vec<String> = report.launches.iter().map(|row| cut(&row.label)).collect();
    let regions: Vec<String> = report
        .regions
        .iter()
        .map(|region| cut(&format!("{}{}", "  ".repeat(region.depth), region.name)))
        .collect();
    let copies: Vec<String> =
        report.copies.iter().map(|row| cut(&format!("{} to {}", row.from, row.to))).collect();
    let longest = names.iter().chain(&regions).chain(&copies).map(|name| name.chars().count()).max();
    let width = longest.unwrap_or(0).max("launch".len());
    let times = |text: &mut String, times: &Times| {
        let [total, mean, min, max] =
            [times.total_ns as f64, mean_ns(times), times.min_ns as f64, times.max_ns as f64].map(time);
        _ = write!(
            text,
            " {:>9} {total:>9} {mean:>9} {min:>9} {max:>9} {:>6.1}",
            times.calls,
            share(times.total_ns)
        );
    };
    let head = |text: &mut String, first: &str, last: &str| {
        let columns =
            format!("{:>9} {:>9} {:>9} {:>9} {:>9} {:>6}", "calls", "total", "mean", "min", "max", "% run");
        _ = writeln!(text, "\n{first:width$} {columns}{last}");
    };
    if !report.launches.is_empty() {
        let peak = if report.peak.is_some() { " % peak" } else { "" };
        head(&mut text, "launch", &format!("    GB/s{peak}  pattern  space"));
        for (row, name) in report.launches.iter().zip(&names) {
            _ = write!(text, "{name:width$}");
            times(&mut text, &row.launches.times);
            _ = write!(text, " {:>7}", shown(row.gigabytes_per_second()));
            if let Some(peak) = report.peak {
                _ = write!(text, " {:>6}", shown(row.gigabytes_per_second().map(|rate| 100.0 * rate / peak)));
            }
            _ = writeln!(text, "  {:<7}  {}", row.pattern.name(), row.space);
        }
    }
    if !report.copies.is_empty() {
        head(&mut text, "copy", "    GB/s");
        for (row, name) in report.copies.iter().zip(&copies) {
            _ = write!(text, "{name:width$}");
            times(&mut text, &row.copies.times);
            let rate = row.copies.bytes as f64 / row.copies.times.total_ns.max(1) as f64;
            _ = writeln!(text, " {rate:>7.1}");
        }
    }
    if !report.regions.is_empty() {
        head(&mut text, "region", "");
        for (region, name) in report.regions.iter().zip(&regions) {
            _ = write!(text, "{name:width$}");
            times(&mut text, &region.times);
            text.push('\n');
        }
    }
    if report.launches.iter().any(|row| row.gigabytes_per_second().is_some()) {
        text.push_str("\nGB/s: the size of a launch's Views, each counted once, over its time.\n");
    }
    text
}

fn shown(number: Option<f64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.1}"))
}

/// A time with its unit, in at most nine characters.
fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

/// The name in one line of at most [`MAX_LABEL`] characters.
fn cut(name: &str) -> String {
    let one_line = name.chars().map(|character| if character.is_control() { ' ' } else { character });
    if name.chars().count() <= MAX_LABEL {
        return one_line.collect();
    }
    one_line.take(MAX_LABEL - 2).chain("..".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::{cut, time};

    #[test]
    fn times_have_units() {
        let texts = [0.0, 999.0, 1e3, 999_999.0, 1.5e6, 2.25e9].map(time);
        assert_eq!(texts, ["0 ns", "999 ns", "1.00 us", "1000.00 us", "1.50 ms", "2.25 s"]);
    }

    #[test]
    fn names_are_one_short_line() {
        assert_eq!(cut("a\nb"), "a b");
        let long = "\u{e4}".repeat(41);
        assert_eq!(cut(&long), format!("{}..", "\u{e4}".repeat(38)));
        assert_eq!(cut(&long[2..]), long[2..]);
    }
}
