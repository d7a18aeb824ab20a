//! One rank's end of the messages between threads.

use core::cell::Cell;
use core::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use spelt_core::{Error, ErrorKind, Result};

use super::bell::NAP;
use super::faults::Faults;
use super::mailbox::{Message, World};
use crate::device_memory::DeviceMemory;
use crate::transport::{Channel, Request, Transport};

/// One rank of a world of threads.
#[derive(Debug)]
pub(crate) struct Rank {
    world: Arc<World>,
    rank: usize,
    faults: Faults,
    device_memory: bool,
    /// The place of reports, unless it is standard error.
    reports: Option<Arc<Mutex<Vec<String>>>>,
    /// Sends and receives that were started.
    operations: Cell<u64>,
    /// Messages that were sent.
    sent: Cell<u64>,
    /// A logical clock: the length of the longest chain of messages that has come here (Lamport, 1978).
    steps: Cell<u64>,
}

/// A message under way between two threads.
#[derive(Debug)]
pub(crate) enum Transfer {
    Complete,
    /// It has left when the flag is set.
    Send(Arc<AtomicBool>),
    Receive {
        from: usize,
        channel: Channel,
        /// Its number among the receives of its stream.
        number: u64,
        memory: Target,
        len: usize,
    },
}

/// The memory of a receive.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Host(*mut u8),
    /// From this byte on.
    Device(Rc<dyn DeviceMemory>, usize),
}

impl Rank {
    pub(super) fn new(
        world: Arc<World>,
        rank: usize,
        faults: Faults,
        device_memory: bool,
        reports: Option<Arc<Mutex<Vec<String>>>>,
    ) -> Self {
        Self {
            world,
            rank,
            faults,
            device_memory,
            reports,
            operations: Cell::new(0),
            sent: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    /// Counts an operation, and does what is planned for it.
    fn operation(&self) -> Result<()> {
        let number = self.operations.replace(self.operations.get() + 1);
        if self.faults.dies == Some((self.rank, number)) {
            panic!("it was to die at operation {number}");
        }
        if self.faults.silent == Some((self.rank, number)) {
            while self.world.failure().is_none() && !self.world.only_one_is_left() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.check()
    }

    /// An error if the job has ended.
    fn check(&self) -> Result<()> {
        match self.world.failure() {
            Some(reason) => Err(Error::new(ErrorKind::Communication, reason)),
            None => Ok(()),
        }
    }

    /// Starts to send a copy of a message.
    fn send(&self, to: usize, channel: Channel, bytes: Vec<u8>) -> Request {
        let number = self.sent.replace(self.sent.get() + 1);
        let (received, waits) = (Arc::new(AtomicBool::new(false)), bytes.len() > self.faults.eager);
        let late = self.faults.delay(self.rank, to, number);
        let message = Message { bytes, steps: self.steps.get() + 1, late, received: Arc::clone(&received) };
        self.world.mailbox(to).entry((self.rank, channel)).or_default().messages.push_back(message);
        self.world.bell(to).ring();
        Request::InProcess(if waits { Transfer::Send(received) } else { Transfer::Complete })
    }

    /// Starts to receive the next message of a stream.
    fn receive(&self, from: usize, channel: Channel, memory: Target, len: usize) -> Request {
        let mut mailbox = self.world.mailbox(self.rank);
        let stream = mailbox.entry((from, channel)).or_default();
        let number = stream.started;
        stream.started += 1;
        Request::InProcess(Transfer::Receive { from, channel, number, memory, len })
    }
}

// SAFETY: a send copies its bytes when it starts; a receive writes its memory in `test`, before it says that it is complete.
unsafe impl Transport for Rank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.world.size()
    }

    fn local(&self) -> (usize, usize) {
        (self.rank, self.world.size())
    }

    fn longest(&self) -> usize {
        self.faults.longest
    }

    unsafe fn start_send(
        &self,
        to: usize,
        channel: Channel,
        bytes: *const u8,
        len: usize,
    ) -> Result<Request> {
        self.operation()?;
        let mut copy = Vec::with_capacity(len);
        // SAFETY: by this function's contract there are `len` readable bytes; the copy has room for them.
        unsafe {
            core::ptr::copy_nonoverlapping(bytes, copy.as_mut_ptr(), len);
            copy.set_len(len);
        }
        Ok(self.send(to, channel, copy))
    }

    unsafe fn start_receive(
        &self,
        from: usize,
        channel: Channel,
        bytes: *mut u8,
        len: usize,
    ) -> Result<Request> {
        self.operation()?;
        Ok(self.receive(from, channel, Target::Host(bytes), len))
    }

    fn takes_device_memory(&self) -> bool {
        self.device_memory
    }

    unsafe fn start_send_of_device(
        &self,
        to: usize,
        channel: Channel,
        memory: &Rc<dyn DeviceMemory>,
        bytes: Range<usize>,
    ) -> Result<Request> {
        self.operation()?;
        let mut copy = vec![0; bytes.len()];
        memory.read(bytes, &mut copy)?;
        Ok(self.send(to, channel, copy))
    }

    unsafe fn start_receive_on_device(
        &self,
        from: usize,
        channel: Channel,
        memory: &Rc<dyn DeviceMemory>,
        bytes: Range<usize>,
    ) -> Result<Request> {
        self.operation()?;
        let target = Target::Device(Rc::clone(memory), bytes.start);
        Ok(self.receive(from, channel, target, bytes.len()))
    }

    fn test(&self, request: &mut Request) -> Result<bool> {
        let Request::InProcess(transfer) = request else { unreachable!("a communicator has one transport") };
        match transfer {
            Transfer::Complete => return Ok(true),
            Transfer::Send(received) => {
                if !received.load(Ordering::Acquire) {
                    self.check()?;
                    return Ok(false);
                }
            }
            Transfer::Receive { from, channel, number, memory, len } => {
                let mut mailbox = self.world.mailbox(self.rank);
                let stream = mailbox.entry((*from, *channel)).or_default();
                let is_next = stream.complete == *number;
                let Some(message) = stream.messages.front_mut().filter(|_| is_next) else {
                    self.check()?;
                    return Ok(false);
                };
                if message.late > 0 {
                    message.late -= 1;
                    // Tests alone make it arrive.
                    self.world.bell(self.rank).ring();
                    return Ok(false);
                }
                if message.bytes.len() > *len {
                    let message =
                        format!("rank {from} sent {} bytes where {len} were expected", message.bytes.len());
                    return Err(Error::new(ErrorKind::Communication, message));
                }
                stream.complete += 1;
                let message = stream.messages.pop_front().expect("it was at the front");
                self.steps.set(self.steps.get().max(message.steps));
                drop(mailbox);
                message.deliver(|from| match memory {
                    // SAFETY: the receive's memory has room for `len` bytes, which the message does not exceed, and is the transfer's
                    // alone until this call returns `true`, by the contract of `start_receive`.
                    Target::Host(bytes) => unsafe {
                        core::ptr::copy_nonoverlapping(from.as_ptr(), *bytes, from.len());
                        Ok(())
                    },
                    Target::Device(memory, at) => memory.write(*at, from),
                })?;
                self.world.bell(*from).ring();
            }
        }
        *transfer = Transfer::Complete;
        Ok(true)
    }

    fn idle(&self, _waited: Duration) {
        self.world.bell(self.rank).wait(NAP);
    }

    fn steps(&self) -> u64 {
        self.steps.get()
    }

    fn restart_steps(&self) {
        self.steps.set(0);
    }

    fn abort(&self, message: &str) {
        // The world catches the panic with its own message.
        if !std::thread::panicking() {
            self.world.fail(message);
        }
    }

    fn report(&self, message: &str) {
        match &self.reports {
            Some(reports) => reports.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_owned()),
            None => eprintln!("{message}"),
        }
    }
}
