//! Messages of failures on a device, worded like the host's panics.

use core::sync::atomic::Ordering;

use spelt_access::failure::OutOfSlab;
use spelt_kernels_gpu::failure::{COMPLETE, FailureRecord, Kind};

use super::code::Code;
use super::context::Broken;
use super::driver::Fault;
use super::notes::{Note, Notes};

/// The most labels that a message lists if it is unknown which kernel failed.
const MAX_LABELS: usize = 4;

/// The message about a team.
const TOGETHER: &str = "team members must reach the same collectives, with the same lengths";

/// Describes what broke a context.
///
/// `doing` says which call failed.
pub(super) fn diagnose(code: &Code, notes: &Notes, doing: &str, fault: Fault) -> Broken {
    if fault.context_gone() {
        // The record has gone with the context.
        return Broken::call(doing, fault);
    }
    if let Some(broken) = code.record().and_then(|record| {
        // SAFETY: the record lies in pinned memory that lives as long as the code; its kernels have ended.
        unsafe { recorded(record, notes) }
    }) {
        return broken;
    }
    let Some(what) = fault.of_kernel() else {
        return Broken::call(doing, fault);
    };
    match *notes.labels() {
        [] => Broken { kernel: None, what: format!("a kernel failed: {what}: {fault}"), gone: false },
        [label] => Broken { kernel: Some(label.to_owned()), what: format!("{what}: {fault}"), gone: false },
        ref labels => {
            let shown: Vec<_> =
                labels.iter().rev().take(MAX_LABELS).map(|label| format!("`{label}`")).collect();
            let more = if labels.len() > MAX_LABELS { " or an earlier one" } else { "" };
            Broken {
                kernel: None,
                what: format!(
                    "one of the kernels {}{more} failed: {what}: {fault}. A `fence()` after each would tell which",
                    shown.join(", ")
                ),
                gone: false,
            }
        }
    }
}

/// The content of the record, if a kernel has written it.
///
/// # Safety
/// The record is valid, and no kernel can still write it.
unsafe fn recorded(record: *const FailureRecord, notes: &Notes) -> Option<Broken> {
    // SAFETY: by the contract the record is valid and no kernel can still write it, so it may be borrowed.
    let record = unsafe { &*record };
    if record.state.load(Ordering::Acquire) != COMPLETE {
        return None;
    }
    let note = notes.find(record.launch);
    Some(Broken {
        kernel: note.map(|note| note.label.to_string()),
        what: sentence(record, note),
        gone: false,
    })
}

/// The record as a sentence.
fn sentence(record: &FailureRecord, note: Option<&Note>) -> String {
    let text = |bytes: &[u8], len: u32| {
        String::from_utf8_lossy(&bytes[..bytes.len().min(len as usize)])
            .trim_matches(char::REPLACEMENT_CHARACTER)
            .to_owned()
    };
    let values = &record.value[..record.value.len().min(record.values as usize)];
    let view = |address: u64| note.map_or_else(|| "a View".to_owned(), |note| note.view(address));
    let what = match (Kind::from_number(record.kind), values) {
        (Some(Kind::Bounds), [index, len]) => {
            format!("index out of bounds: the len is {len} but the index is {index}")
        }
        (Some(Kind::ViewBounds), [address, index @ ..]) => {
            // A number above `i64::MAX` was computed below zero; hosts show it with its sign too.
            let index: Vec<_> = index.iter().map(|&word| word as i64).collect();
            format!("index {index:?} is out of bounds of {}", view(*address))
        }
        (Some(Kind::Slab), [address, numbers @ ..]) => {
            let numbers: Vec<_> = numbers.iter().map(|&word| word as usize).collect();
            format!("{} {}", OutOfSlab(&numbers), view(*address))
        }
        (Some(Kind::Halo), [address, halo, offset @ ..]) => {
            let offset: Vec<_> = offset.iter().map(|&word| word as i64).collect();
            format!("offset {offset:?} leaves the halo of {halo} of {}", view(*address))
        }
        (Some(Kind::Divergence), []) => {
            format!("{TOGETHER}: one waits here, and another has left the kernel")
        }
        (Some(Kind::Divergence), [line, column]) => {
            let file = text(&record.message, record.message_len);
            let here =
                (text(&record.file, record.file_len), u64::from(record.line), u64::from(record.column));
            if (&here.0, here.1, here.2) == (&file, *line, *column) {
                format!("{TOGETHER}: another came here with another length, or with values of another type")
            } else {
                format!("{TOGETHER}: one is here, and another at {file}:{line}:{column}")
            }
        }
        _ => match text(&record.message, record.message_len) {
            message if message.is_empty() => {
                "a panic whose message a device cannot format: give it as a literal to see it".to_owned()
            }
            message => message,
        },
    };
    format!(
        "panicked at {}:{}:{}: {what} (block {}, thread {})",
        text(&record.file, record.file_len),
        record.line,
        record.column,
        record.block,
        record.thread
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use spelt_access::Description;

    fn record(kind: Kind, values: &[u64], message: &str) -> FailureRecord {
        let mut record = FailureRecord::new();
        (record.kind, record.line, record.column, record.block, record.thread) = (kind as u32, 7, 9, 2, 31);
        record.values = values.len() as u32;
        record.value[..values.len()].copy_from_slice(values);
        record.file_len = 11;
        record.file[..11].copy_from_slice(b"src/main.rs");
        record.message_len = message.len() as u32;
        record.message[..message.len()].copy_from_slice(message.as_bytes());
        record
    }

    #[test]
    fn records_read_like_panics() {
        let mut notes = Notes::default();
        let view = Description {
            label: "x",
            adapter: ".lookup()",
            address: 4096,
            rank: 2,
            extents: [3, 4, 0, 0, 0, 0, 0, 0],
            ..Description::SCALAR
        };
        let rows = Description { adapter: ".by_rows()", part: "a row of ", address: 1024, ..view };
        let number = notes.add("axpy", &[view, rows], 1, 1);
        let say =
            |kind, values: &[u64], message| sentence(&record(kind, values, message), notes.find(number));
        assert_eq!(
            say(Kind::Panic, &[], "attempt to add with overflow"),
            "panicked at src/main.rs:7:9: attempt to add with overflow (block 2, thread 31)"
        );
        assert_eq!(
            say(Kind::Bounds, &[5, 4], ""),
            "panicked at src/main.rs:7:9: index out of bounds: the len is 4 but the index is 5 (block 2, thread 31)"
        );
        assert_eq!(
            say(Kind::ViewBounds, &[4096, 3, 0], ""),
            "panicked at src/main.rs:7:9: index [3, 0] is out of bounds of view `x`.lookup() with extents [3, 4] \
             (block 2, thread 31)"
        );
        assert_eq!(
            say(Kind::ViewBounds, &[1024, 4], ""),
            "panicked at src/main.rs:7:9: index [4] is out of bounds of a row of view `x`.by_rows() with extents [3, 4] \
             (block 2, thread 31)"
        );
        assert_eq!(
            say(Kind::Slab, &[1024, 0, 4, 2, 4, 0, 0], ""),
            "panicked at src/main.rs:7:9: index [0, 4] is out of bounds of a slab with extents [2, 4], in a row of view \
             `x`.by_rows() with extents [3, 4] (block 2, thread 31)"
        );
        let below = (-3_i64) as u64;
        assert_eq!(
            say(Kind::Slab, &[4096, below, 4, below + 1], ""),
            "panicked at src/main.rs:7:9: index [-3] is out of bounds of a slab with extents [4] and origin [-2], in view \
             `x`.lookup() with extents [3, 4] (block 2, thread 31)"
        );
        assert_eq!(
            say(Kind::Halo, &[8192, 1, (-2_i64) as u64], ""),
            "panicked at src/main.rs:7:9: offset [-2] leaves the halo of 1 of a View (block 2, thread 31)"
        );
        assert!(say(Kind::Panic, &[], "").contains("literal"));
        let together = "panicked at src/main.rs:7:9: team members must reach the same collectives, with the same lengths";
        for (values, file, what) in [
            (&[][..], "", "one waits here, and another has left the kernel"),
            (&[8, 9], "src/main.rs", "one is here, and another at src/main.rs:8:9"),
            (&[7, 9], "src/lib.rs", "one is here, and another at src/lib.rs:7:9"),
            (&[7, 9], "src/main.rs", "another came here with another length, or with values of another type"),
        ] {
            assert_eq!(
                say(Kind::Divergence, values, file),
                format!("{together}: {what} (block 2, thread 31)")
            );
        }
    }
}
