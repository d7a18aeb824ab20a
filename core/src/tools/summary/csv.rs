//! The launches of a summary as CSV.

use core::fmt::Write;

use super::report::Report;

/// A header, and a row for each label, pattern and space (RFC 4180).
pub(super) fn rows(report: &Report) -> String {
    let mut text = String::from(
        "label,pattern,space,calls,total_ns,min_ns,max_ns,read_bytes,written_bytes,percent_of_peak,imbalance\r\n",
    );
    for row in &report.launches {
        let (times, label, pattern, space) = (&row.times, quoted(&row.label), row.pattern.name(), row.space);
        _ = write!(text, "{label},{pattern},{space},{},{},", times.calls, times.total_ns);
        _ = write!(text, "{},{},{},{},", times.min_ns, times.max_ns, row.read_bytes, row.written_bytes);
        let [percent, imbalance] = [report.percent_of_peak(row), row.imbalance()].map(shown);
        _ = write!(text, "{percent},{imbalance}\r\n");
    }
    text
}

/// Empty where there is none.
fn shown(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| format!("{number:.3}"))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
