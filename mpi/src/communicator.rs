//! The ranks of a world, and the messages of one call.

use core::cell::Cell;
use std::time::{Duration, Instant};

use spelt_core::{Error, ErrorKind, Result};

use crate::envelope::{self, Call, Operation};
use crate::{LocalWorld, Ticket, Transport};

/// The bytes of the first part of a message, its envelope included: a message of at most this length is one part.
const FIRST_PART: usize = 8192;

/// The most bytes of one part; longer messages are cut, because MPI counts them by 32 bits.
const PART: usize = 1 << 30;

/// The wait of a rank for another, unless [`Communicator::with_timeout`] says otherwise.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The number of messages that a rank has sent, and their bytes.
///
/// # Examples
/// ```
/// use spelt_mpi::{Communicator, Traffic};
/// assert_eq!(Communicator::alone().traffic(), Traffic { messages: 0, bytes: 0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages, or parts of messages beyond 8 KiB.
    pub messages: u64,
    /// Their length, with 96 bytes for the envelope of each message.
    pub bytes: u64,
}

/// The ranks of a world, and the collectives over them.
///
/// All ranks call the same collectives in the same order, with the same label; a rank that calls another is an error on a rank that it
/// exchanges messages with, which names both calls. A rank that panics ends the job. A wait that lasts longer than the
/// [timeout](Self::with_timeout) is an error with the call and the rank waited for.
///
/// # Examples
/// ```
/// use spelt_mpi::LocalWorld;
/// let ends = LocalWorld::new(2).run(|ranks| match ranks.rank() {
///     0 => ranks.send("a number", 1, vec![7]).map(|()| 0),
///     _ => ranks.receive("a number", 0).map(|bytes| bytes[0]),
/// });
/// assert_eq!(ends[1].as_ref().unwrap().as_ref().unwrap(), &7);
/// ```
#[derive(Debug)]
pub struct Communicator {
    transport: Box<dyn Transport>,
    timeout: Duration,
    calls: Cell<u64>,
    traffic: Cell<Traffic>,
}

impl Communicator {
    /// The ranks that this transport connects.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::{Communicator, LocalWorld};
    /// let sizes = LocalWorld::new(2).run_transports(|transport| Communicator::new(Box::new(transport)).size());
    /// assert_eq!(sizes[0].as_ref().unwrap(), &2);
    /// ```
    #[must_use]
    pub fn new(transport: Box<dyn Transport>) -> Self {
        Self { transport, timeout: TIMEOUT, calls: Cell::default(), traffic: Cell::default() }
    }

    /// A world of one rank, without any library.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::Communicator;
    /// let ranks = Communicator::alone();
    /// assert_eq!((ranks.rank(), ranks.size()), (0, 1));
    /// ```
    #[must_use]
    pub fn alone() -> Self {
        Self::new(Box::new(LocalWorld::new(1).only_rank()))
    }

    /// Ends waits for other ranks after `timeout`, by default 300 seconds.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::Communicator;
    /// let ranks = Communicator::alone().with_timeout(std::time::Duration::from_secs(10));
    /// assert!(ranks.barrier("end").is_ok());
    /// ```
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The number of this rank, below [`size`](Self::size).
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Communicator::alone().rank(), 0);
    /// ```
    #[must_use]
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// The number of ranks.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Communicator::alone().size(), 1);
    /// ```
    #[must_use]
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// The messages that this rank has sent so far.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let sent = LocalWorld::new(8).run(|ranks| ranks.barrier("end").map(|()| ranks.traffic().messages));
    /// assert!(sent.into_iter().all(|messages| messages.unwrap().unwrap() == 3));
    /// ```
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    /// Sends bytes to a rank, which [receives](Self::receive) them with the same label.
    ///
    /// It may return before they are received, or wait for that.
    ///
    /// # Errors
    /// [`ErrorKind::Communication`] if there is no such rank, if a rank has ended the job, or after the timeout.
    ///
    /// # Examples
    /// See [`Communicator`].
    pub fn send(&self, label: &str, peer: usize, bytes: Vec<u8>) -> Result<()> {
        let call = Call { operation: Operation::Message, number: 0, parameter: 0, label };
        let sent = self.post(&call, peer, &bytes)?;
        self.finish(&call, sent)
    }

    /// The next bytes that a rank [sends](Self::send) to this one.
    ///
    /// # Errors
    /// As [`send`](Self::send), and if the message is another than the one with this label.
    ///
    /// # Examples
    /// See [`Communicator`].
    pub fn receive(&self, label: &str, peer: usize) -> Result<Vec<u8>> {
        let call = Call { operation: Operation::Message, number: 0, parameter: 0, label };
        let begun = self.expect(peer)?;
        self.take(&call, begun)
    }

    /// The next collective of this rank.
    pub(crate) fn collective<'a>(&self, operation: Operation, label: &'a str, parameter: usize) -> Call<'a> {
        let number = self.calls.replace(self.calls.get() + 1);
        Call { operation, number, parameter: parameter as u64, label }
    }

    /// An error unless there is such a rank.
    pub(crate) fn check_root(&self, call: &Call<'_>, root: usize) -> Result<()> {
        if root < self.size() {
            return Ok(());
        }
        let what = format!("{call}: there is no rank {root}, the world has {} ranks", self.size());
        Err(Error::new(ErrorKind::Communication, what))
    }

    /// Starts to send a message.
    pub(crate) fn post(&self, call: &Call<'_>, peer: usize, bytes: &[u8]) -> Result<Posted> {
        let head = bytes.len().min(FIRST_PART - envelope::SIZE);
        let mut first = Vec::with_capacity(envelope::SIZE + head);
        first.extend_from_slice(&envelope::seal(call, bytes.len()));
        first.extend_from_slice(&bytes[..head]);
        let mut parts = vec![self.send_part(peer, first)?];
        for part in bytes[head..].chunks(PART) {
            parts.push(self.send_part(peer, part.to_vec())?);
        }
        Ok(Posted { peer, parts })
    }

    fn send_part(&self, peer: usize, bytes: Vec<u8>) -> Result<Ticket> {
        let Traffic { messages, bytes: sent } = self.traffic.get();
        self.traffic.set(Traffic { messages: messages + 1, bytes: sent + bytes.len() as u64 });
        self.transport.send(peer, bytes)
    }

    /// Waits until a message has left.
    pub(crate) fn finish(&self, call: &Call<'_>, posted: Posted) -> Result<()> {
        for part in posted.parts {
            self.wait(call, part, posted.peer, "to take a message")?;
        }
        Ok(())
    }

    /// Starts to receive a message.
    pub(crate) fn expect(&self, peer: usize) -> Result<Expected> {
        Ok(Expected { peer, first: self.transport.receive(peer, FIRST_PART)? })
    }

    /// Waits for a message of this call.
    pub(crate) fn take(&self, call: &Call<'_>, expected: Expected) -> Result<Vec<u8>> {
        let Expected { peer, first } = expected;
        let mut bytes = self.wait(call, first, peer, "for a message")?;
        let len = envelope::open(&bytes, call, self.rank(), peer)?;
        bytes.drain(..envelope::SIZE);
        bytes.truncate(len);
        while bytes.len() < len {
            let part = (len - bytes.len()).min(PART);
            let ticket = self.transport.receive(peer, part)?;
            let part = self.wait(call, ticket, peer, "for the rest of a message")?;
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    }

    fn wait(&self, call: &Call<'_>, ticket: Ticket, peer: usize, reason: &str) -> Result<Vec<u8>> {
        let begin = Instant::now();
        loop {
            if let Some(bytes) = self.transport.test(ticket)? {
                return Ok(bytes);
            }
            if begin.elapsed() > self.timeout {
                let what = format!(
                    "rank {} has waited {:?} in {call} {reason} of rank {peer}: that rank is late, has failed, or makes another call",
                    self.rank(),
                    self.timeout
                );
                return Err(Error::new(ErrorKind::Communication, what));
            }
            std::thread::yield_now();
        }
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.transport.abort("it panicked");
        }
    }
}

/// A message that is being sent.
#[derive(Debug)]
pub(crate) struct Posted {
    peer: usize,
    parts: Vec<Ticket>,
}

/// A message that is being received.
#[derive(Debug)]
pub(crate) struct Expected {
    peer: usize,
    first: Ticket,
}
