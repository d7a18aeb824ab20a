//! A summary as JSON.

use core::fmt::Write;

use super::report::Report;
use super::times::Times;
use super::totals::Moves;
use crate::tools::quoted::quoted;
use crate::tools::rank::Rank;

/// The document: an object whose members are the times of the run, the rate of the memory, and arrays of rows.
pub(super) fn document(report: &Report, rank: Option<Rank>) -> String {
    let mut text = String::new();
    let outermost = &report.outermost;
    _ = write!(text, "{{\"run_ns\":{},\"launches_ns\":{},", report.run_ns, outermost.launches_ns);
    _ = write!(text, "\"copies_ns\":{},\"fills_ns\":{},", outermost.copies_ns, outermost.fills_ns);
    _ = write!(text, "\"waits_ns\":{},\"outside_ns\":{},", outermost.waits_ns, report.outside_ns());
    _ = write!(text, "\"peak_gb_per_s\":{},", shown(report.rates.peak.map(|peak| peak.rate)));
    let measured = report.rates.peak.and_then(|peak| peak.threads);
    _ = write!(text, "\"peak_threads\":{},", shown(measured));
    _ = write!(text, "\"rank\":{},\"launches\":", shown(rank.map(|rank| rank.rank)));
    array(&mut text, &report.launches, |text, row| {
        let (label, space) = (quoted(&row.label), quoted(row.space));
        _ = write!(text, "\"label\":{label},\"pattern\":\"{}\",\"space\":{space},", row.pattern.name());
        let (read, written, is_device) = (row.read_bytes, row.written_bytes, row.is_device);
        _ = write!(text, "\"is_device\":{is_device},{},\"read_bytes\":{read},", members(&row.times));
        let [percent, imbalance] = [report.percent_of_peak(row), row.imbalance()].map(shown);
        _ = write!(
            text,
            "\"written_bytes\":{written},\"percent_of_peak\":{percent},\"imbalance\":{imbalance}"
        );
    });
    for (name, rows) in [("copies", &report.copies), ("fills", &report.fills), ("waits", &report.waits)] {
        _ = write!(text, ",\"{name}\":");
        array(&mut text, rows, |text, Moves { name, times, bytes }| {
            _ = write!(text, "\"name\":{},{},\"bytes\":{bytes}", quoted(name), members(times));
        });
    }
    text.push_str(",\"regions\":");
    array(&mut text, &report.regions, |text, region| {
        let (name, depth) = (quoted(&region.name), region.depth);
        _ = write!(text, "\"name\":{name},\"depth\":{depth},{}", members(&region.times));
    });
    text.push_str(",\"memory\":");
    array(&mut text, &report.memory, |text, row| {
        let (label, memory, level) = (quoted(&row.label), quoted(row.memory), &row.level);
        let (allocations, in_use) = (level.allocations, level.in_use_bytes);
        _ = write!(text, "\"label\":{label},\"memory\":{memory},\"allocations\":{allocations},");
        _ = write!(text, "\"in_use_bytes\":{in_use},\"high_water_bytes\":{}", level.high_water_bytes);
    });
    text.push_str(",\"memory_spaces\":");
    array(&mut text, &report.memory_spaces, |text, (memory, level)| {
        let (memory, allocations) = (quoted(memory), level.allocations);
        _ = write!(text, "\"memory\":{memory},\"allocations\":{allocations},");
        _ = write!(text, "\"high_water_bytes\":{}", level.high_water_bytes);
    });
    text.push_str("}\n");
    text
}

pub(super) fn array<T>(text: &mut String, rows: &[T], mut object: impl FnMut(&mut String, &T)) {
    text.push('[');
    for (number, row) in rows.iter().enumerate() {
        text.push_str(if number == 0 { "\n{" } else { ",\n{" });
        object(text, row);
        text.push('}');
    }
    text.push(']');
}

fn members(times: &Times) -> String {
    let Times { calls, total_ns, min_ns, max_ns } = times;
    format!("\"calls\":{calls},\"total_ns\":{total_ns},\"min_ns\":{min_ns},\"max_ns\":{max_ns}")
}

/// A number of JSON, or `null`.
pub(super) fn shown(number: Option<impl core::fmt::Display>) -> String {
    number.map_or_else(|| "null".to_owned(), |number| number.to_string())
}
