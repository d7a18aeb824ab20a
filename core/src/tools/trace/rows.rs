//! The rows of a trace: threads of the host and streams of devices, by number.

use std::collections::HashMap;
use std::thread::{Thread, ThreadId};

use crate::tools::quoted::quoted;

/// The first row of a stream. Rows of threads come before. Source: more than programs have threads.
const FIRST_STREAM: u32 = 1_000_000;

/// A thread or stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Row {
    Thread(ThreadId),
    Stream { device: usize, stream: u64 },
}

/// The numbers of the rows so far.
#[derive(Debug, Default)]
pub(super) struct Rows {
    numbers: HashMap<Row, u32>,
}

/// The name and place of a row, told once: members of metadata.
#[derive(Debug)]
pub(super) struct NewRow {
    pub(super) name: String,
    pub(super) sort_index: String,
}

impl Rows {
    /// The row of a thread, with its name if it is new.
    pub(super) fn of_thread(&mut self, thread: &Thread) -> (u32, Option<NewRow>) {
        self.number(Row::Thread(thread.id()), |row| match thread.name() {
            Some(name) => name.to_owned(),
            None => format!("thread {row}"),
        })
    }

    /// The row of a stream, with its name if it is new.
    pub(super) fn of_stream(&mut self, device: usize, stream: u64) -> (u32, Option<NewRow>) {
        self.number(Row::Stream { device, stream }, |_| format!("device {device}, stream {stream}"))
    }

    fn number(&mut self, row: Row, name: impl FnOnce(u32) -> String) -> (u32, Option<NewRow>) {
        if let Some(number) = self.numbers.get(&row) {
            return (*number, None);
        }
        // Row 0 is that of the process.
        let place = u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX);
        let number = match row {
            Row::Thread(_) => place,
            Row::Stream { .. } => FIRST_STREAM.saturating_add(place),
        };
        self.numbers.insert(row, number);
        let name = format!("\"name\":{}", quoted(&name(number)));
        (number, Some(NewRow { name, sort_index: format!("\"sort_index\":{number}") }))
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_STREAM, Rows};

    #[test]
    fn a_row_is_named_once() {
        let mut rows = Rows::default();
        let this = std::thread::current();
        let (number, new) = rows.of_thread(&this);
        assert_eq!(
            (number, new.expect("a new row").name),
            (1, format!("\"name\":\"{}\"", this.name().expect("a test's")))
        );
        let (number, new) = rows.of_stream(0, 7);
        assert_eq!(
            (number, new.expect("a new row").name.as_str()),
            (FIRST_STREAM + 2, "\"name\":\"device 0, stream 7\"")
        );
        assert!(rows.of_thread(&this).1.is_none() && rows.of_stream(0, 7).1.is_none());
        let other = std::thread::spawn(std::thread::current).join().expect("a thread");
        let (number, new) = rows.of_thread(&other);
        assert_eq!((number, new.expect("a new row").name.as_str()), (3, "\"name\":\"thread 3\""));
    }
}
