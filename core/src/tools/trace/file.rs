//! The file of a trace: an array of JSON objects, written as they come.

use core::fmt::{Display, Write as _};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The size from which buffered events are written. Unit: bytes.
const FULL: usize = 64 << 10;

/// The time after which the next event writes the buffered ones: a process that is killed loses no more.
const OLD: Duration = Duration::from_secs(1);

/// A file to which whole events are appended.
///
/// At every write the file is an array of whole events that may lack its closing bracket, as the format allows.
#[derive(Debug)]
pub(super) struct TraceFile {
    path: PathBuf,
    file: File,
    buffer: String,
    written: Instant,
    /// False before the first event.
    has_events: bool,
    /// False after the end, and after an error.
    is_open: bool,
    /// The process that made it. The child of a fork writes nothing.
    process: u32,
}

impl TraceFile {
    pub(super) fn create(path: PathBuf) -> io::Result<Self> {
        Ok(Self {
            file: File::create(&path)?,
            path,
            buffer: String::with_capacity(FULL + 4096),
            written: Instant::now(),
            has_events: false,
            is_open: true,
            process: std::process::id(),
        })
    }

    /// Appends an event: an object of JSON.
    pub(super) fn add(&mut self, event: impl Display) {
        if !self.is_open {
            return;
        }
        self.buffer.push_str(if self.has_events { ",\n" } else { "[\n" });
        self.has_events = true;
        _ = write!(self.buffer, "{event}");
        if self.buffer.len() >= FULL || self.written.elapsed() >= OLD {
            self.write();
        }
    }

    /// Closes the array. Later events are not written.
    pub(super) fn finish(&mut self) {
        if self.is_open {
            self.buffer.push_str(if self.has_events { "\n]\n" } else { "[]\n" });
            self.write();
            self.is_open = false;
        }
    }

    /// Writes what is buffered.
    pub(super) fn write(&mut self) {
        if std::process::id() != self.process {
            self.is_open = false;
        } else if let Err(error) = self.file.write_all(self.buffer.as_bytes()) {
            self.is_open = false;
            eprintln!(
                "SPELT_TOOLS: the trace ends early, {} cannot be written: {error}",
                self.path.display()
            );
        }
        self.buffer.clear();
        self.written = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::{FULL, TraceFile};

    #[test]
    fn whole_events_are_written_when_the_buffer_is_full() {
        let path = std::env::temp_dir().join(format!("spelt-trace-file-{}", std::process::id()));
        let mut file = TraceFile::create(path.clone()).expect("a file");
        let written = || std::fs::read_to_string(&path).expect("the file");
        let event = format!("{{\"name\":\"{}\"}}", "x".repeat(FULL / 2));
        file.add(&event);
        file.add(&event);
        assert_eq!(written(), format!("[\n{event},\n{event}"));
        file.add("{}");
        assert!(file.buffer.capacity() <= 3 * FULL, "the memory is bounded");
        file.finish();
        file.add("{}");
        file.finish();
        assert_eq!(written(), format!("[\n{event},\n{event},\n{{}}\n]\n"));
        std::fs::remove_file(&path).expect("the file");
    }

    #[test]
    fn a_trace_without_events_is_an_empty_array() {
        let path = std::env::temp_dir().join(format!("spelt-trace-empty-{}", std::process::id()));
        TraceFile::create(path.clone()).expect("a file").finish();
        assert_eq!(std::fs::read_to_string(&path).expect("the file"), "[]\n");
        std::fs::remove_file(&path).expect("the file");
    }
}
