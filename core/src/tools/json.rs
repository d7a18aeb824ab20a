//! Strings of JSON.

use core::fmt::Write;

/// A string of JSON (RFC 8259, section 7).
pub(super) fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for character in name.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            character if character < ' ' => _ = write!(text, "\\u{:04x}", u32::from(character)),
            character => text.push(character),
        }
    }
    text.push('"');
    text
}
