//! Strings of JSON.

use core::fmt::Write;

/// The text as a string of JSON (RFC 8259, section 7), with its quotation marks.
pub(super) fn quoted(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    text.push('"');
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
