//! The ranks of a program.

use core::cell::{Cell, RefCell};
use core::fmt;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use spelt_core::{Error, ErrorKind, Result};

use crate::message::{Incoming, Outgoing};
use crate::transport::{Channel, Transport};
use crate::wire::{Call, Kind};

/// Tests of a wait before it lets other threads run. Unit: tests.
const SPINS: u32 = 200;

/// Time after which a wait sleeps between tests: rank and helper threads may share cores.
const PATIENCE: Duration = Duration::from_millis(2);

/// The time of a wait's sleep.
const SLEEP: Duration = Duration::from_micros(50);

/// The ranks of a program: this one's number, and the collectives, which all ranks call in the same order with the same labels.
///
/// Made by [`run`](crate::run), [`Communicator::init`] or [`InProcess`](crate::InProcess). It stays on its thread.
///
/// A collective that fails (a rank that makes another call, a wait that takes too long, a merge that returns an error) leaves the ranks in
/// different places. So every later call returns the same error, and dropping the communicator ends the job. If it is dropped by a panic,
/// the job ends at once, with exit code 101. Otherwise dropping it waits for the other ranks to drop theirs.
///
/// # Examples
/// ```
/// let ranks = spelt_mpi::Communicator::alone();
/// assert_eq!((ranks.rank(), ranks.size()), (0, 1));
/// assert_eq!(ranks.broadcast("start", 0, b"word".to_vec())?, b"word");
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Communicator {
    pub(crate) transport: Box<dyn Transport>,
    timeout: Option<Duration>,
    calls: Cell<u64>,
    /// Messages so far to (`true`) and from (`false`) each rank, apart from collectives.
    pub(crate) points: RefCell<HashMap<(bool, usize), u64>>,
    broken: RefCell<Option<String>>,
    sent: Cell<Sent>,
}

/// The messages that a rank has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Messages given to MPI, or to the threads of an [`InProcess`](crate::InProcess).
    pub messages: u64,
    /// Bytes of payload, without headers.
    pub bytes: u64,
}

impl Communicator {
    pub(crate) fn new(transport: Box<dyn Transport>, timeout: Option<Duration>) -> Self {
        let (calls, points, broken, sent) = Default::default();
        Self { transport, timeout, calls, points, broken, sent }
    }

    /// This process's number, below [`Communicator::size`].
    #[must_use]
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// This rank's number among those on the same machine: the number of its device, for one.
    #[must_use]
    pub fn local_rank(&self) -> usize {
        self.transport.local().0
    }

    /// The number of ranks on the same machine.
    #[must_use]
    pub fn local_size(&self) -> usize {
        self.transport.local().1
    }

    /// The messages that this rank has sent so far.
    #[must_use]
    pub fn sent(&self) -> Sent {
        self.sent.get()
    }

    /// The threads of this machine's ranks exceed its cores: a sentence that says so, if each rank has this number of threads.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// assert_eq!(ranks.oversubscribed(1), None);
    /// assert!(ranks.oversubscribed(1_000_000).is_some());
    /// ```
    #[must_use]
    pub fn oversubscribed(&self, threads: usize) -> Option<String> {
        let cores = std::thread::available_parallelism().ok()?.get();
        let all = threads.saturating_mul(self.local_size());
        (all > cores).then(|| {
            format!(
                "{} ranks with {threads} threads each run on {cores} cores: set SPELT_NUM_THREADS={} or bind ranks to cores of their own",
                self.local_size(),
                (cores / self.local_size()).max(1),
            )
        })
    }

    /// Makes one collective call: numbers it, and keeps an error for all later ones.
    pub(crate) fn collective<T>(
        &self,
        kind: Kind,
        detail: usize,
        label: &str,
        body: impl FnOnce(&mut Ongoing<'_>) -> Result<T>,
    ) -> Result<T> {
        let sequence = self.calls.replace(self.calls.get() + 1);
        self.ongoing(Channel::Collective, Call::new(kind, sequence, detail, label), body)
    }

    /// Runs a call to its end.
    pub(crate) fn ongoing<T>(
        &self,
        channel: Channel,
        call: Call,
        body: impl FnOnce(&mut Ongoing<'_>) -> Result<T>,
    ) -> Result<T> {
        if let Some(message) = &*self.broken.borrow() {
            return Err(Error::new(ErrorKind::Communication, message.clone()));
        }
        let (outgoing, incoming) = Default::default();
        let mut ongoing = Ongoing { ranks: self, channel, call, outgoing, incoming };
        let result = body(&mut ongoing).and_then(|value| ongoing.finish().map(|()| value));
        if let Err(error) = &result {
            *self.broken.borrow_mut() = Some(error.to_string());
        }
        result
    }

    /// An error of an argument, before any message.
    pub(crate) fn check_rank(&self, rank: usize, role: &str, label: &str) -> Result<()> {
        if rank < self.size() {
            return Ok(());
        }
        let message = format!("`{label}`: the {role} is rank {rank} of {}", self.size());
        Err(Error::new(ErrorKind::Policy, message))
    }

    /// Tells the ranks that may wait for this one that it makes no more calls, and waits until they say the same.
    fn leave(&self) -> Result<()> {
        self.collective(Kind::Leave, 0, "the communicator is dropped", |ongoing| {
            let (rank, size) = (self.rank(), self.size());
            let distances: Vec<usize> = core::iter::successors(Some(1), |step| Some(step * 2))
                .take_while(|step| *step < size)
                .collect();
            let mut peers: Vec<usize> = distances
                .iter()
                .flat_map(|step| [(rank + step) % size, (rank + size - step) % size])
                .collect();
            peers.sort_unstable();
            peers.dedup();
            for peer in &peers {
                ongoing.send(*peer, Vec::new())?;
            }
            for peer in peers {
                ongoing.receive(peer)?;
            }
            Ok(())
        })
    }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        let rank = self.rank();
        if std::thread::panicking() {
            return self.transport.abort(&format!("rank {rank} panicked"));
        }
        // An earlier error comes back here.
        if let Err(error) = self.leave() {
            self.transport.abort(&format!("rank {rank} ends the job: {error}"));
        }
    }
}

/// A call that this rank is making.
#[derive(Debug)]
pub(crate) struct Ongoing<'c> {
    ranks: &'c Communicator,
    channel: Channel,
    call: Call,
    outgoing: Vec<Outgoing>,
    /// Posted receives, with the payloads that have come.
    incoming: Vec<(Incoming, Option<Vec<u8>>)>,
}

impl Ongoing<'_> {
    /// The number of the call.
    pub(crate) fn number(&self) -> u64 {
        self.call.sequence
    }

    /// Starts to send; [`Ongoing::receive`] and [`Ongoing::finish`] go on with it.
    pub(crate) fn send(&mut self, to: usize, payload: impl Into<Rc<Vec<u8>>>) -> Result<()> {
        let payload = payload.into();
        let bytes = payload.len() as u64;
        let outgoing = Outgoing::start(&*self.ranks.transport, to, self.channel, &self.call, payload)?;
        let Sent { messages, bytes: before } = self.ranks.sent.get();
        self.ranks.sent.set(Sent { messages: messages + outgoing.pieces as u64, bytes: before + bytes });
        self.outgoing.push(outgoing);
        Ok(())
    }

    /// Waits for the message of this call from rank `from`.
    pub(crate) fn receive(&mut self, from: usize) -> Result<Vec<u8>> {
        let transport = &*self.ranks.transport;
        let mut incoming = Incoming::start(transport, from, self.channel)?;
        let mut wait = Wait::new(self.ranks.timeout);
        loop {
            let received = incoming.test(transport, |call| self.must_be(call, from))?;
            if let Some(payload) = received {
                return Ok(payload);
            }
            self.push()?;
            wait.pause(|| format!("{} waits for rank {}", self.at(), incoming.from()))?;
        }
    }

    /// Starts to receive the message of this call from rank `from`, which [`Ongoing::arrived`] returns. No [`Ongoing::receive`] from that rank
    /// is made before.
    pub(crate) fn post(&mut self, from: usize) -> Result<()> {
        let incoming = Incoming::start(&*self.ranks.transport, from, self.channel)?;
        self.incoming.push((incoming, None));
        Ok(())
    }

    /// Goes on with all messages; whether those of the posted receives have come.
    pub(crate) fn poll(&mut self) -> Result<bool> {
        self.push()?;
        let mut incoming = core::mem::take(&mut self.incoming);
        let mut all = true;
        let result = incoming.iter_mut().filter(|(_, payload)| payload.is_none()).try_for_each(
            |(message, payload)| {
                let from = message.from();
                *payload = message.test(&*self.ranks.transport, |call| self.must_be(call, from))?;
                all &= payload.is_some();
                Ok(())
            },
        );
        self.incoming = incoming;
        result.map(|()| all)
    }

    /// Waits for the messages of the posted receives, in their order.
    pub(crate) fn arrived(&mut self) -> Result<Vec<Vec<u8>>> {
        let mut wait = Wait::new(self.ranks.timeout);
        while !self.poll()? {
            wait.pause(|| {
                let late = self.incoming.iter().find(|(_, payload)| payload.is_none());
                format!("{} waits for rank {}", self.at(), late.map_or(0, |(message, _)| message.from()))
            })?;
        }
        Ok(core::mem::take(&mut self.incoming).into_iter().filter_map(|(_, payload)| payload).collect())
    }

    /// Waits until all messages have left.
    fn finish(&mut self) -> Result<()> {
        let mut wait = Wait::new(self.ranks.timeout);
        loop {
            self.push()?;
            let Some(outgoing) = self.outgoing.first() else { return Ok(()) };
            wait.pause(|| format!("{} waits until rank {} receives", self.at(), outgoing.to()))?;
        }
    }

    /// Goes on with the messages on their way out.
    fn push(&mut self) -> Result<()> {
        let mut at = 0;
        while at < self.outgoing.len() {
            if self.outgoing[at].test(&*self.ranks.transport)? {
                self.outgoing.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// This rank and its call, for messages.
    fn at(&self) -> String {
        format!("rank {} in {}", self.ranks.rank(), self.call)
    }

    fn must_be(&self, call: Call, from: usize) -> Result<()> {
        if call == self.call {
            return Ok(());
        }
        let message = format!(
            "the ranks do not make the same calls: rank {from} is in {call} where rank {} is in {}: all ranks must make the same calls in \
             the same order, with the same labels",
            self.ranks.rank(),
            self.call
        );
        Err(Error::new(ErrorKind::Communication, message))
    }
}

/// The pauses of a wait, and its end.
#[derive(Debug)]
struct Wait {
    tests: u32,
    since: Option<Instant>,
    timeout: Option<Duration>,
}

impl Wait {
    fn new(timeout: Option<Duration>) -> Self {
        Self { tests: 0, since: None, timeout }
    }

    /// Pauses before the next test.
    ///
    /// # Errors
    /// If the wait has taken longer than the time-out.
    fn pause(&mut self, what: impl FnOnce() -> String) -> Result<()> {
        self.tests = self.tests.saturating_add(1);
        if self.tests < SPINS {
            core::hint::spin_loop();
            return Ok(());
        }
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        if self.timeout.is_some_and(|timeout| waited > timeout) {
            let message = format!("{} since {:.1} s (SPELT_MPI_TIMEOUT)", what(), waited.as_secs_f64());
            return Err(Error::new(ErrorKind::Communication, message));
        }
        if waited > PATIENCE {
            std::thread::sleep(SLEEP)
        } else {
            std::thread::yield_now()
        }
        Ok(())
    }
}
