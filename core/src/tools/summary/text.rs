//! A summary as a table.

use core::fmt::Write;

use super::report::Report;
use super::style::{Colour, Style};
use super::table::{self, Column, Row, Section, numbers, words};
use super::times::Times;
use super::totals::{Launches, Moves};
use crate::tools::peak::Rates;
use crate::tools::rank::Rank;

/// The most labels of Views in the table: those with the most memory.
const MAX_LABELS: usize = 10;

/// The table: the run, and a line for each label, pattern and space, each kind of copy, fill and wait, each region, and the largest Views.
pub(super) fn table(report: &Report, rank: Option<Rank>, style: Style) -> String {
    let mut text = run(report, rank);
    let kinds = [("copy", &report.copies), ("fill", &report.fills), ("wait", &report.waits)];
    let [copies, fills, waits] = kinds.map(|(head, rows)| moves(report, head, rows));
    let sections = [launches(report), copies, fills, waits, regions(report), memory(report)];
    text.push_str(&table::text(&sections, style));
    notes(&mut text, report);
    text
}

/// Where the time of the run went.
fn run(report: &Report, rank: Option<Rank>) -> String {
    let outermost = &report.outermost;
    let mut text = String::from("spelt");
    if let Some(Rank { rank, ranks }) = rank {
        _ = write!(text, ", rank {rank}");
        _ = ranks.map_or(Ok(()), |ranks| write!(text, " of {ranks}"));
    }
    let [run, launches] = [report.run_ns, outermost.launches_ns].map(|ns| time(ns as f64));
    let percent = share(report, outermost.launches_ns);
    _ = write!(text, ": {run} since the first event, {launches} of it in launches ({percent:.1} %)");
    let others = [
        (outermost.copies_ns, "in copies"),
        (outermost.fills_ns, "in fills"),
        (outermost.waits_ns, "in waits"),
        (report.outside_ns(), "outside"),
    ];
    for (ns, place) in others.into_iter().filter(|(ns, _)| *ns > 0) {
        _ = write!(text, ", {} {place}", time(ns as f64));
    }
    text.push('\n');
    text
}

/// The part of the run. Unit: percent.
fn share(report: &Report, ns: u64) -> f64 {
    if report.run_ns == 0 { 0.0 } else { 100.0 * ns as f64 / report.run_ns as f64 }
}

fn columns_of_times() -> Vec<Column> {
    let times = ["total", "mean", "min", "max"].map(|head| numbers(head, 9));
    [numbers("calls", 9)].into_iter().chain(times).chain([numbers("% run", 6)]).collect()
}

fn cells_of_times(report: &Report, times: &Times) -> Vec<String> {
    let Times { calls, total_ns, min_ns, max_ns } = *times;
    let texts = [total_ns as f64, times.mean_ns(), min_ns as f64, max_ns as f64].map(time);
    [calls.to_string()].into_iter().chain(texts).chain([format!("{:.1}", share(report, total_ns))]).collect()
}

fn columns_of_bytes() -> [Column; 2] {
    [numbers("bytes", 10), numbers("GB/s", 7)]
}

fn cells_of_bytes(times: &Times, bytes: u64) -> [String; 2] {
    let total = if bytes == 0 { "-".to_owned() } else { size(bytes as f64) };
    let rate = times.gigabytes_per_second(bytes);
    [total, shown(rate, if rate.is_some_and(|rate| rate < 0.95) { 2 } else { 1 })]
}

fn launches(report: &Report) -> Section {
    let mut columns = columns_of_times();
    columns.extend(columns_of_bytes());
    if report.rates.peak.is_some() {
        columns.push(numbers("% peak", 6));
    }
    let is_any_shared = report.launches.iter().any(|row| row.imbalance().is_some());
    if is_any_shared {
        columns.push(numbers("imbal", 5));
    }
    columns.extend([words("pattern", 7), words("space", 7)]);
    let row = |row: &Launches| {
        let mut cells = cells_of_times(report, &row.times);
        cells.extend(cells_of_bytes(&row.times, row.bytes()));
        if report.rates.peak.is_some() {
            cells.push(shown(report.percent_of_peak(row), 1));
        }
        if is_any_shared {
            cells.push(shown(row.imbalance(), 2));
        }
        cells.extend([row.pattern.name(), row.space].map(str::to_owned));
        let colour = match share(report, row.times.total_ns) {
            share if share >= 33.3 => Colour::Hot,
            share if share >= 10.0 => Colour::Warm,
            _ => Colour::Plain,
        };
        Row { name: row.label.clone(), cells, colour }
    };
    Section { head: "launch", columns, rows: report.launches.iter().map(row).collect() }
}

fn moves(report: &Report, head: &'static str, rows: &[Moves]) -> Section {
    let mut columns = columns_of_times();
    let moves_bytes = rows.iter().any(|row| row.bytes > 0);
    if moves_bytes {
        columns.extend(columns_of_bytes());
    }
    let row = |Moves { name, times, bytes }: &Moves| {
        let mut cells = cells_of_times(report, times);
        if moves_bytes {
            cells.extend(cells_of_bytes(times, *bytes));
        }
        Row { name: name.clone(), cells, colour: Colour::Plain }
    };
    Section { head, columns, rows: rows.iter().map(row).collect() }
}

fn regions(report: &Report) -> Section {
    let row = |region: &super::report::RegionRow| {
        let name = format!("{}{}", "  ".repeat(region.depth), region.name);
        Row { name, cells: cells_of_times(report, &region.times), colour: Colour::Plain }
    };
    Section { head: "region", columns: columns_of_times(), rows: report.regions.iter().map(row).collect() }
}

fn memory(report: &Report) -> Section {
    let columns = vec![numbers("views", 9), numbers("high water", 10), words("memory", 10)];
    let row = |name: &str, level: &super::memory::Level, memory: &str| {
        let cells =
            vec![level.allocations.to_string(), size(level.high_water_bytes as f64), memory.to_owned()];
        Row { name: name.to_owned(), cells, colour: Colour::Plain }
    };
    let all = report.memory_spaces.iter().map(|(memory, level)| row("all Views", level, memory));
    let labels = report.memory.iter().map(|view| row(&view.label, &view.level, view.memory));
    Section { head: "memory", columns, rows: all.chain(labels.take(MAX_LABELS)).collect() }
}

/// The meaning of the columns, of those that are there.
fn notes(text: &mut String, report: &Report) {
    if report.launches.iter().all(|row| row.gigabytes_per_second().is_none()) {
        return;
    }
    text.push_str("\nbytes: the Views that a launch names, each counted once, summed over its calls; GB/s: bytes over total time.\n");
    let is_cached = |row: &Launches| {
        !row.is_device && row.gigabytes_per_second().is_some() && report.percent_of_peak(row).is_none()
    };
    peak_notes(text, &report.rates, report.launches.iter().any(is_cached));
    if report.launches.iter().any(|row| row.imbalance().is_some()) {
        text.push_str("imbal: the time of the busiest thread over the mean of all threads of the space.\n");
    }
    if report.memory.len() > MAX_LABELS {
        let left_out = report.memory.len() - MAX_LABELS;
        _ = writeln!(text, "memory: the largest {MAX_LABELS} labels; {left_out} more are in the JSON.");
    }
}

/// The meaning of `% peak`, or the reason why there is none.
fn peak_notes(text: &mut String, rates: &Rates, is_any_cached: bool) {
    let Some(peak) = rates.peak else {
        if rates.is_disturbed {
            text.push_str(
                "% peak: none: the machine was busy when the rate of its memory was measured; run on an idle one, or set SPELT_TOOLS_PEAK.\n",
            );
        }
        return;
    };
    let Some(threads) = peak.threads else {
        _ = writeln!(text, "% peak: of {:.1} GB/s, which SPELT_TOOLS_PEAK gives.", peak.rate);
        return;
    };
    let rate = peak.rate;
    let reached = match threads {
        1 => "1 thread of this machine reaches".to_owned(),
        threads => format!("{threads} threads of this machine reach"),
    };
    _ = writeln!(text, "% peak: of {rate:.1} GB/s, the rate of memory that {reached}.");
    let size = |bytes: usize| size(bytes as f64);
    if is_any_cached {
        _ = writeln!(
            text,
            "  -: the Views of a launch fit in {} of caches, which may be faster than the memory.",
            size(rates.caches.exceeded)
        );
    }
    if let Some([last, array]) = rates.caches.holding {
        let [last, array] = [last, array].map(size);
        _ = writeln!(
            text,
            "  It was measured over arrays of {array}, which the last cache holds ({last}): in part it is the rate of that cache."
        );
    }
}

pub(super) fn shown(number: Option<f64>, digits: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.digits$}"))
}

/// A time with its unit, in at most nine characters.
pub(super) fn time(ns: f64) -> String {
    match ns {
        ns if ns < 999.5 => format!("{ns:.0} ns"),
        ns if ns < 999_995.0 => format!("{:.2} us", ns / 1e3),
        ns if ns < 999_995_000.0 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

/// A size with its unit, in at most ten characters.
pub(super) fn size(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e3 => format!("{bytes:.0} B"),
        bytes if bytes < 1e6 => format!("{:.2} kB", bytes / 1e3),
        bytes if bytes < 1e9 => format!("{:.2} MB", bytes / 1e6),
        bytes => format!("{:.2} GB", bytes / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::{peak_notes, size, table, time};
    use crate::tools::Pattern;
    use crate::tools::peak::{Caches, Peak, Rates};
    use crate::tools::summary::report::Report;
    use crate::tools::summary::style::Style;
    use crate::tools::summary::totals::Totals;
    use crate::tools::summary::totals::tests::launch;

    #[test]
    fn a_third_of_the_run_is_red_and_a_tenth_is_yellow() {
        let mut totals = Totals::default();
        let times = [("half", 500), ("third", 333), ("less", 332), ("tenth", 100), ("few", 99)];
        for (label, ns) in times {
            totals.add_launch(&launch(label, Pattern::For), ns);
        }
        let style = Style { width: None, is_coloured: true };
        let colours = |run_ns| {
            let text = table(&Report::new(&totals, run_ns, Rates::default()), None, style);
            times.map(|(label, _)| {
                let row = text.lines().find(|line| line.contains(label)).expect("a row").to_owned();
                assert_eq!(row.starts_with('\u{1b}'), row.ends_with("\u{1b}[0m"), "{row:?}");
                row.strip_prefix("\u{1b}[").map_or_else(String::new, |row| row[..3].to_owned())
            })
        };
        assert_eq!(colours(1000), ["31m", "31m", "33m", "33m", ""]);
        assert_eq!(colours(100_000), [""; 5]);
        assert_eq!(colours(0), [""; 5], "a run without time has no shares");
    }

    #[test]
    fn the_meaning_of_the_peak_is_that_of_the_machine() {
        let notes = |rates: Rates, is_any_cached| {
            let mut text = String::new();
            peak_notes(&mut text, &rates, is_any_cached);
            text
        };
        assert_eq!(notes(Rates::default(), true), "");
        let busy = notes(Rates { is_disturbed: true, ..Rates::default() }, false);
        assert!(busy.contains("the machine was busy") && busy.contains("SPELT_TOOLS_PEAK"), "{busy}");
        let caches = |holding| Caches { exceeded: 4_000_000, holding, ..Caches::default() };
        let of = |threads, holding| {
            let peak = Some(Peak { rate: 30.0, threads });
            Rates { peak, caches: caches(holding), ..Rates::default() }
        };
        assert_eq!(notes(of(None, None), true), "% peak: of 30.0 GB/s, which SPELT_TOOLS_PEAK gives.\n");
        let plain = notes(of(Some(2), None), false);
        assert_eq!(plain.lines().count(), 1, "{plain}");
        let cached = notes(of(Some(2), None), true);
        assert!(cached.ends_with("\n  -: the Views of a launch fit in 4.00 MB of caches, which may be faster than the memory.\n"), "{cached}");
        let held = notes(of(Some(2), Some([480_000_000, 256_000_000])), false);
        assert!(held.contains("arrays of 256.00 MB, which the last cache holds (480.00 MB)"), "{held}");
    }

    #[test]
    fn times_and_sizes_have_units() {
        let texts = [0.0, 999.0, 1e3, 999_999.0, 1.5e6, 2.25e9].map(time);
        assert_eq!(texts, ["0 ns", "999 ns", "1.00 us", "1.00 ms", "1.50 ms", "2.25 s"]);
        let texts = [0.0, 1e3, 1.5e6, 2.25e9].map(size);
        assert_eq!(texts, ["0 B", "1.00 kB", "1.50 MB", "2.25 GB"]);
    }
}
