//! The lines of a file of checks: JSON, one object for each launch.

use core::fmt::Write;

use super::digest::Digest;
use crate::tools::contents::Unreadable;
use crate::tools::event::{LaunchEvent, LaunchView};
use crate::tools::quoted::quoted;
use crate::tools::rank::Rank;

/// The first line, by which other programs know the file, and the rank that writes it.
pub(super) fn first(rank: Option<Rank>) -> String {
    let rank = rank.map_or_else(String::new, |rank| format!(",\"rank\":{}", rank.rank));
    format!("{{\"spelt_check\":1{rank}}}\n")
}

/// The line of a launch; `views` are those that it has written.
pub(super) fn launch(number: u64, launch: &LaunchEvent<'_>, has_failed: bool, views: &[String]) -> String {
    let (label, space) = (quoted(launch.label), quoted(launch.space));
    let (pattern, iterations) = (launch.pattern.name(), launch.iterations);
    let failed = if has_failed { "\"failed\":true," } else { "" };
    format!(
        "{{\"launch\":{number},\"label\":{label},\"pattern\":\"{pattern}\",\"space\":{space},\"iterations\":{iterations},\
         {failed}\"views\":[{}]}}\n",
        views.join(",")
    )
}

/// The object of a View; `file` has its contents, if they were asked for.
pub(super) fn view(view: &LaunchView<'_>, digest: &Result<Digest, Unreadable>, file: Option<&str>) -> String {
    let mut text = format!("{{\"label\":{},\"extents\":{:?}", quoted(view.label), view.extents());
    let origin = view.origin();
    if origin.iter().any(|first| *first != 0) {
        _ = write!(text, ",\"origin\":{origin:?}");
    }
    match digest {
        Err(reason) => _ = write!(text, ",\"unread\":{}", quoted(&reason.to_string())),
        Ok(digest) => contents(&mut text, digest, file),
    }
    text.push('}');
    text
}

/// Appends two digits for each byte: by `write!`, these would take most of the time of a check.
fn push_digits(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.reserve(2 * bytes.len());
    for byte in bytes {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
    }
}

fn contents(text: &mut String, digest: &Digest, file: Option<&str>) {
    text.push_str(",\"numbers\":[");
    for (place, number) in digest.numbers.iter().enumerate() {
        _ = write!(text, "{}\"{}\"", if place == 0 { "" } else { "," }, number.name());
    }
    _ = write!(text, "],\"hash\":\"{:016x}\"", digest.hash);
    match &digest.kept {
        Some(bytes) => {
            text.push_str(",\"contents\":\"");
            push_digits(text, bytes);
        }
        None => {
            _ = write!(text, ",\"block_elements\":{},\"blocks\":\"", digest.block_elements);
            digest.blocks.iter().for_each(|block| push_digits(text, &block.to_be_bytes()));
        }
    }
    text.push('"');
    if digest.wrong.first.is_some() {
        _ = write!(text, ",\"nan\":{},\"infinite\":{}", digest.wrong.nans, digest.wrong.infinities);
    }
    if let Some(file) = file {
        _ = write!(text, ",\"file\":{}", quoted(file));
    }
}
