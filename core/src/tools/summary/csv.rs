//! The launches of a summary as CSV.

use core::fmt::Write;

use super::report::Report;

/// A header, and a row for each label, pattern and space (RFC 4180).
pub(super) fn rows(report: &Report) -> String {
    let mut text =
        String::from("label,pattern,space,calls,total_ns,min_ns,max_ns,read_bytes,written_bytes\r\n");
    for row in &report.launches {
        let (times, launches) = (&row.launches.times, &row.launches);
        let (label, pattern, space) = (quoted(&row.label), row.pattern.name(), row.space);
        _ = write!(text, "{label},{pattern},{space},{},{},", times.calls, times.total_ns);
        _ = write!(
            text,
            "{},{},{},{}\r\n",
            times.min_ns, times.max_ns, launches.read_bytes, launches.written_bytes
        );
    }
    text
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
