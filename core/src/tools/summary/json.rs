//! A summary as JSON.

use core::fmt::Write;

use super::report::Report;
use super::totals::Times;
use crate::tools::json::quoted;

/// The document: an object with the members `run_ns`, `launches_ns`, `launches`, `copies` and `regions`.
pub(super) fn document(report: &Report) -> String {
    let mut text = String::new();
    _ = write!(text, "{{\"run_ns\":{},\"launches_ns\":{},\"launches\":", report.run_ns, report.launches_ns);
    array(&mut text, &report.launches, |text, row| {
        let (label, space) = (quoted(&row.label), quoted(row.space));
        _ = write!(text, "\"label\":{label},\"pattern\":\"{}\",\"space\":{space},", row.pattern.name());
        let launches = &row.launches;
        let (read, written) = (launches.read_bytes, launches.written_bytes);
        _ = write!(text, "{},\"read_bytes\":{read},\"written_bytes\":{written}", members(&launches.times));
    });
    text.push_str(",\"copies\":");
    array(&mut text, &report.copies, |text, row| {
        let (from, to, copies) = (quoted(row.from), quoted(row.to), &row.copies);
        _ = write!(text, "\"from\":{from},\"to\":{to},{},\"bytes\":{}", members(&copies.times), copies.bytes);
    });
    text.push_str(",\"regions\":");
    array(&mut text, &report.regions, |text, region| {
        _ = write!(
            text,
            "\"name\":{},\"depth\":{},{}",
            quoted(&region.name),
            region.depth,
            members(&region.times)
        );
    });
    text.push_str("}\n");
    text
}

fn array<T>(text: &mut String, rows: &[T], mut object: impl FnMut(&mut String, &T)) {
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
