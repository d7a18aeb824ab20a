//! Messages in rustc's form: cargo shows them, counts errors, and shows warnings again while the crate is fresh.

use serde_json::{Value, json};
use spelt_device_link::{Diagnostic, Level};

/// A message as rustc writes it with `--error-format=json`. Source: "JSON Output" in the rustc book.
pub(crate) fn of_kernel(diagnostic: &Diagnostic) -> Value {
    let level = match diagnostic.level {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    let message = format!("kernel `{}` {}", diagnostic.kernel, diagnostic.message);
    let notes = diagnostic.notes.iter().map(|note| child("note", note));
    let help = diagnostic.help.iter().map(|help| child("help", help));
    let spans: Vec<Value> =
        diagnostic.file.iter().map(|file| span(file, diagnostic.line, diagnostic.column)).collect();
    json!({
        "$message_type": "diagnostic",
        "message": message,
        "code": null,
        "level": level,
        "spans": spans,
        "children": notes.chain(help).collect::<Vec<_>>(),
        "rendered": format!("{diagnostic}\n\n"),
    })
}

/// An error without a source line.
pub(crate) fn error(message: &str) -> Value {
    json!({
        "$message_type": "diagnostic",
        "message": message,
        "code": null,
        "level": "error",
        "spans": [],
        "children": [],
        "rendered": format!("error: {message}\n\n"),
    })
}

fn child(level: &str, message: &str) -> Value {
    json!({ "message": message, "code": null, "level": level, "spans": [], "children": [], "rendered": null })
}

fn span(file: &str, line: u32, column: u32) -> Value {
    json!({
        "file_name": file,
        // Offsets in bytes are not known.
        "byte_start": 0,
        "byte_end": 0,
        "line_start": line.max(1),
        "line_end": line.max(1),
        "column_start": column.max(1),
        "column_end": column.max(1),
        "is_primary": true,
        "text": [],
        "label": null,
        "suggested_replacement": null,
        "suggestion_applicability": null,
        "expansion": null,
    })
}

/// Writes messages to standard error, as JSON or as text.
pub(crate) fn emit(messages: &[Value], as_json: bool) {
    for message in messages {
        if as_json {
            eprintln!("{message}");
        } else {
            eprint!("{}", message["rendered"].as_str().unwrap_or_default());
        }
    }
}
