//! Names of launches, kept for messages until the launches are known to have ended.

use std::collections::VecDeque;

use spelt_access::{Description, MAX_RANK};

use crate::covered::Bounds;

/// The maximum number of launches that are remembered. Unit: launches. Source: more than a driver queues before it makes the
/// caller wait (1024), for all streams of a program together.
const MAX: usize = 8192;

/// The launches of a context that may still run.
#[derive(Debug, Default)]
pub(super) struct Notes {
    launches: VecDeque<Note>,
    last: u32,
}

/// The names of a launch.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) number: u32,
    pub(super) label: Box<str>,
    stream: u64,
    ticket: u64,
    arguments: Box<[Argument]>,
}

#[derive(Debug)]
struct Argument {
    label: Box<str>,
    adapter: &'static str,
    part: &'static str,
    address: usize,
    rank: usize,
    extents: [usize; MAX_RANK],
    origin: Option<[isize; MAX_RANK]>,
}

impl Notes {
    /// Remembers a launch, and gives it a number, which is never 0.
    pub(super) fn add(&mut self, label: &str, uses: &[Description<'_>], stream: u64, ticket: u64) -> u32 {
        self.last = self.last.wrapping_add(1).max(1);
        if self.launches.len() == MAX {
            self.launches.pop_front();
        }
        let arguments = uses.iter().filter(|argument| argument.rank > 0).map(|argument| Argument {
            label: argument.label.into(),
            adapter: argument.adapter,
            part: argument.part,
            address: argument.address,
            rank: argument.rank,
            extents: argument.extents,
            origin: argument.origin,
        });
        self.launches.push_back(Note {
            number: self.last,
            label: label.into(),
            stream,
            ticket,
            arguments: arguments.collect(),
        });
        self.last
    }

    /// Forgets a launch that was not started.
    pub(super) fn remove(&mut self, number: u32) {
        self.launches.retain(|note| note.number != number);
    }

    /// Forgets the launches of a stream up to a ticket: they have ended.
    pub(super) fn forget(&mut self, stream: u64, ticket: u64) {
        self.launches.retain(|note| note.stream != stream || note.ticket > ticket);
    }

    /// The launch of this number.
    pub(super) fn find(&self, number: u32) -> Option<&Note> {
        self.launches.iter().find(|note| note.number == number)
    }

    /// The labels of all launches, the oldest first, each once.
    pub(super) fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = Vec::new();
        for note in &self.launches {
            if !labels.contains(&&*note.label) {
                labels.push(&note.label);
            }
        }
        labels
    }
}

impl Note {
    /// The View whose first element is at `address`, as messages name it.
    pub(super) fn view(&self, address: u64) -> String {
        match self.arguments.iter().find(|argument| argument.address as u64 == address) {
            Some(Argument { label, adapter, part, rank, extents, origin, .. }) => {
                format!("{part}view `{label}`{adapter} with {}", Bounds::new(*rank, extents, origin.as_ref()))
            }
            None => "a View".to_owned(),
        }
    }
}
