//! The ranks of a program.

use core::cell::{Cell, RefCell};
use core::fmt;
use std::collections::HashMap;
use std::rc::Rc;

use spelt_core::tools::begin_exchange;
use spelt_core::{Error, ErrorKind, Result};

use crate::buffers::Buffers;
use crate::ongoing::Ongoing;
use crate::transport::{Channel, Transport};
use crate::wait::Limits;
use crate::wire::{Call, Kind, Past, Step};

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
    pub(crate) limits: Limits,
    /// Collective calls so far.
    pub(crate) calls: Cell<u64>,
    /// Their hash, and the last one.
    past: RefCell<Rc<Past>>,
    /// Messages so far to (`true`) and from (`false`) each rank, apart from collectives.
    pub(crate) points: RefCell<HashMap<(bool, usize), u64>>,
    broken: RefCell<Option<String>>,
    pub(crate) sent: Cell<Sent>,
    pub(crate) late_halos: Cell<u64>,
    pub(crate) staged: Cell<u64>,
    /// Whether an exchange of halos has started and not ended.
    pub(crate) exchanging: Cell<bool>,
    pub(crate) buffers: Buffers,
}

/// The messages that a rank has sent.
///
/// # Examples
/// ```
/// assert_eq!(spelt_mpi::Communicator::alone().sent(), spelt_mpi::Sent { messages: 0, bytes: 0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Messages given to MPI, or to the threads of an [`InProcess`](crate::InProcess).
    pub messages: u64,
    /// Bytes of payload, without headers.
    pub bytes: u64,
}

impl Communicator {
    pub(crate) fn new(transport: Box<dyn Transport>, limits: Limits) -> Self {
        let (calls, past, points, broken, sent, late_halos, staged, exchanging, buffers) = Default::default();
        Self { transport, limits, calls, past, points, broken, sent, late_halos, staged, exchanging, buffers }
    }

    /// This process's number, below [`Communicator::size`].
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::InProcess::new(2).run(|ranks| Ok(ranks.rank()));
    /// assert_eq!(ranks.into_iter().collect::<Result<Vec<_>, _>>()?, [0, 1]);
    /// # Ok::<(), spelt_core::Error>(())
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

    /// This rank's number among those on the same machine: the number of its device, for one.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let devices = 4;
    /// assert_eq!(ranks.local_rank() % devices, 0);
    /// ```
    #[must_use]
    pub fn local_rank(&self) -> usize {
        self.transport.local().0
    }

    /// The number of ranks on the same machine.
    ///
    /// # Examples
    /// ```
    /// let ranks = spelt_mpi::Communicator::alone();
    /// let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(ranks.local_size()));
    /// assert!(threads >= 1);
    /// ```
    #[must_use]
    pub fn local_size(&self) -> usize {
        self.transport.local().1
    }

    /// The messages that this rank has sent so far.
    ///
    /// # Examples
    /// ```
    /// let sent = spelt_mpi::InProcess::new(2).run(|ranks| {
    ///     let before = ranks.sent();
    ///     ranks.broadcast("ten bytes", 0, vec![0; 10])?;
    ///     Ok((ranks.sent().messages - before.messages, ranks.sent().bytes - before.bytes))
    /// });
    /// assert_eq!(sent[0].as_ref().expect("no error"), &(1, 10));
    /// ```
    #[must_use]
    pub fn sent(&self) -> Sent {
        self.sent.get()
    }

    /// The steps of the program so far, in a world of threads ([`InProcess`](crate::InProcess)): the length of the longest chain of messages that
    /// ends on this rank, each sent after the one before had come. 0 with MPI, where nothing counts them.
    ///
    /// The most of all ranks is the number of latencies that the program waits for on a network where all else takes no time.
    ///
    /// # Examples
    /// ```
    /// let steps = spelt_mpi::InProcess::new(8).run(|ranks| {
    ///     ranks.all_reduce("longest", vec![1], |left, _| Ok(left.to_vec()))?;
    ///     Ok(ranks.steps())
    /// });
    /// let steps: Vec<_> = steps.into_iter().map(Result::unwrap).collect();
    /// assert_eq!(steps.iter().max(), Some(&6));
    /// ```
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.transport.steps()
    }

    /// The launches so far whose rows of other ranks had not come when the iterations that need none were nearly done. The others hid their
    /// messages behind work. A `parallel_for` on a device is not counted: it returns before its work is done.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Communicator::alone().late_halos(), 0);
    /// ```
    #[must_use]
    pub fn late_halos(&self) -> u64 {
        self.late_halos.get()
    }

    /// Whether halos, rows of [plans](crate::Plan) and Views ([`send_view`](Self::send_view), [`receive_view`](Self::receive_view),
    /// [`broadcast_view`](Self::broadcast_view)) in the memory of a device are sent and received there: the library of MPI says that it takes such memory,
    /// and `SPELT_MPI_DEVICE_MEMORY` is not `off`.
    ///
    /// # Examples
    /// ```
    /// assert!(!spelt_mpi::Communicator::alone().takes_device_memory());
    /// ```
    #[must_use]
    pub fn takes_device_memory(&self) -> bool {
        self.transport.takes_device_memory()
    }

    /// The bytes of halos, of rows of [plans](crate::Plan) and of Views ([`send_view`](Self::send_view), [`receive_view`](Self::receive_view),
    /// [`broadcast_view`](Self::broadcast_view)) in the memory of a device that have passed through memory of the host so far, on their way from this
    /// rank or to it. 0 where messages [take](Self::takes_device_memory) that memory, unless one of the Views in a message has elements that are neither
    /// numbers nor arrays of numbers (`usize` counts as neither), or that would not be aligned behind those of the View before.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Communicator::alone().staged(), 0);
    /// ```
    #[must_use]
    pub fn staged(&self) -> u64 {
        self.staged.get()
    }

    /// Counts bytes of a device that pass through memory of the host.
    pub(crate) fn count_staged(&self, bytes: usize) {
        self.staged.set(self.staged.get() + bytes as u64);
    }

    /// Makes one collective call: numbers it, and keeps an error for all later ones.
    pub(crate) fn collective<T>(
        &self,
        kind: Kind,
        detail: usize,
        label: &str,
        body: impl FnOnce(&mut Ongoing<'_>) -> Result<T>,
    ) -> Result<T> {
        self.ongoing(Channel::Collective, self.next_call(kind, detail, label), body)
    }

    /// The next collective call.
    pub(crate) fn next_call(&self, kind: Kind, detail: usize, label: &str) -> Call {
        let sequence = self.calls.replace(self.calls.get() + 1);
        let own = Step::new(kind, detail, label);
        let past = Rc::clone(&self.past.borrow());
        self.past.replace(Rc::new(own.after(&past)));
        Call { own, sequence, past }
    }

    /// Runs a call to its end, and tells tools of it.
    pub(crate) fn ongoing<'c, T>(
        &'c self,
        channel: Channel,
        call: Call,
        body: impl FnOnce(&mut Ongoing<'c>) -> Result<T>,
    ) -> Result<T> {
        let _begun = begin_exchange(call.own.kind.name(), &call.own.label, self.rank(), self.size());
        self.untold(channel, call, body)
    }

    /// Runs a call to its end, or on, as a part of something that tools have been told of.
    pub(crate) fn untold<'c, T>(
        &'c self,
        channel: Channel,
        call: Call,
        body: impl FnOnce(&mut Ongoing<'c>) -> Result<T>,
    ) -> Result<T> {
        if let Some(message) = &*self.broken.borrow() {
            return Err(Error::new(ErrorKind::Communication, message.clone()));
        }
        let interrupted = Interrupted { call: call.clone(), broken: &self.broken, has_ended: false };
        let mut ongoing = Ongoing::new(self, channel, call);
        let result = body(&mut ongoing).and_then(|value| ongoing.finish().map(|()| value));
        interrupted.ended();
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

/// Keeps the error of a call that a panic has left, such as that of a kernel, which the program may catch: messages of the call may be
/// under way.
struct Interrupted<'c> {
    call: Call,
    broken: &'c RefCell<Option<String>>,
    has_ended: bool,
}

impl Interrupted<'_> {
    fn ended(mut self) {
        self.has_ended = true;
    }
}

impl Drop for Interrupted<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            *self.broken.borrow_mut() = Some(format!("{} ended with a panic", self.call));
        }
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
