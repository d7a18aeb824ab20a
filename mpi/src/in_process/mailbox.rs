//! Messages that have been sent and not received, by receiver.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use spelt_core::Result;

use super::bell::Bell;
use crate::transport::Channel;

/// The mailboxes of all ranks, and the reason for which the job has ended.
#[derive(Debug)]
pub(super) struct World {
    mailboxes: Vec<Mutex<Mailbox>>,
    bells: Vec<Bell>,
    failure: OnceLock<String>,
    /// Ranks that have ended.
    ended: AtomicUsize,
}

/// The streams to one rank, by sender and channel.
pub(super) type Mailbox = HashMap<(usize, Channel), Stream>;

/// The messages of one stream in their order, and the receives that were started on it.
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub(super) messages: VecDeque<Message>,
    /// Receives that were started.
    pub(super) started: u64,
    /// Receives that are complete: the next message belongs to the receive with this number.
    pub(super) complete: u64,
}

#[derive(Debug)]
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
    /// The length of the longest chain of messages that ends with this one.
    pub(super) steps: u64,
    /// Tests until it arrives.
    pub(super) late: u32,
    /// Tells the sender that it was received.
    pub(super) received: Arc<AtomicBool>,
}

impl World {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            mailboxes: (0..ranks).map(|_| Mutex::default()).collect(),
            bells: (0..ranks).map(|_| Bell::default()).collect(),
            failure: OnceLock::new(),
            ended: AtomicUsize::new(0),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.mailboxes.len()
    }

    /// The messages to a rank.
    pub(super) fn mailbox(&self, rank: usize) -> MutexGuard<'_, Mailbox> {
        self.mailboxes[rank].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a rank that a message has come to it, or that one of its own has been received.
    pub(super) fn bell(&self, rank: usize) -> &Bell {
        &self.bells[rank]
    }

    /// Ends the job. The first reason stays.
    pub(super) fn fail(&self, reason: &str) {
        let _ = self.failure.set(reason.to_owned());
        self.bells.iter().for_each(Bell::ring);
    }

    /// Says that a rank has ended.
    pub(super) fn end_rank(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether all ranks but one have ended, so that no thread waits for it.
    pub(super) fn only_one_is_left(&self) -> bool {
        self.ended.load(Ordering::Relaxed) + 1 >= self.size()
    }

    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}

impl Message {
    /// Copies the bytes to the receiver, and tells the sender.
    pub(super) fn deliver(self, to: impl FnOnce(&[u8]) -> Result<()>) -> Result<()> {
        to(&self.bytes)?;
        self.received.store(true, Ordering::Release);
        Ok(())
    }
}
