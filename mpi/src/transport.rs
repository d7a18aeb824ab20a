//! The one place through which all messages go.

use core::fmt;
use core::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use spelt_core::Result;

use crate::device_memory::DeviceMemory;

/// Time after which a wait sleeps between tests: rank and helper threads may share cores.
const PATIENCE: Duration = Duration::from_millis(2);

/// The time of a wait's sleep.
const SLEEP: Duration = Duration::from_micros(50);

/// A stream of messages between two ranks, apart from the others: messages of one stream arrive in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Channel {
    /// The collectives.
    Collective = 1,
    /// Messages that two ranks agree on.
    Points = 2,
    /// The exchange of halos that is under way while ranks make other calls.
    Halos = 3,
}

/// A message under way: the transport's own number for it.
#[derive(Debug)]
pub(crate) enum Request {
    /// A request of MPI.
    Mpi(spelt_mpi_library::Request),
    /// A message between threads.
    InProcess(crate::in_process::Transfer),
}

/// Ranks, and non-blocking messages of bytes between them.
///
/// Messages of one channel between two ranks arrive in the order in which they were started; receives match them in the order in which
/// they were started. A transport is used by one thread.
///
/// # Safety
/// Memory is used by a transfer only until `test` has said that it is complete.
pub(crate) unsafe trait Transport: fmt::Debug {
    /// This rank, below `size`.
    fn rank(&self) -> usize;
    /// The number of ranks.
    fn size(&self) -> usize;
    /// This rank's number among those on the same machine, and how many these are.
    fn local(&self) -> (usize, usize);
    /// The most bytes of one message.
    fn longest(&self) -> usize;

    /// # Safety
    /// `bytes` points to `len` readable bytes that neither change nor go until `test` says that the request is complete.
    unsafe fn start_send(&self, to: usize, channel: Channel, bytes: *const u8, len: usize)
    -> Result<Request>;

    /// # Safety
    /// `bytes` points to `len` writable bytes that nothing else uses until `test` says that the request is complete.
    unsafe fn start_receive(
        &self,
        from: usize,
        channel: Channel,
        bytes: *mut u8,
        len: usize,
    ) -> Result<Request>;

    /// Whether transfers take the memory of devices. It may differ between ranks: each end of a transfer has its own memory.
    fn takes_device_memory(&self) -> bool {
        false
    }

    /// Starts to send bytes of a device's memory, where [`takes_device_memory`](Self::takes_device_memory) says that it can.
    ///
    /// # Safety
    /// As [`start_send`](Self::start_send), for these bytes of the memory, on which no work of the device is pending.
    unsafe fn start_send_of_device(
        &self,
        to: usize,
        channel: Channel,
        memory: &Rc<dyn DeviceMemory>,
        bytes: Range<usize>,
    ) -> Result<Request> {
        // SAFETY: by this function's contract, for a transport that follows addresses of devices.
        unsafe { self.start_send(to, channel, memory.address().wrapping_add(bytes.start), bytes.len()) }
    }

    /// Starts to receive into a device's memory, where [`takes_device_memory`](Self::takes_device_memory) says that it can.
    ///
    /// # Safety
    /// As [`start_receive`](Self::start_receive), for these bytes of the memory, on which no work of the device is pending.
    unsafe fn start_receive_on_device(
        &self,
        from: usize,
        channel: Channel,
        memory: &Rc<dyn DeviceMemory>,
        bytes: Range<usize>,
    ) -> Result<Request> {
        // SAFETY: by this function's contract, for a transport that follows addresses of devices.
        unsafe { self.start_receive(from, channel, memory.address().wrapping_add(bytes.start), bytes.len()) }
    }

    /// Whether the request is complete; once `true`, always `true`.
    fn test(&self, request: &mut Request) -> Result<bool>;

    /// Lets other threads run in a wait that has taken this long, before the next test.
    fn idle(&self, waited: Duration) {
        if waited > PATIENCE { std::thread::sleep(SLEEP) } else { std::thread::yield_now() }
    }

    /// The length of the longest chain of messages that has come here, each sent after the one before had come, where it is counted.
    fn steps(&self) -> u64 {
        0
    }
    /// Begins to count these again.
    fn restart_steps(&self) {}

    /// Ends the whole job with this message. MPI's does not return.
    fn abort(&self, message: &str);
    /// Tells a person something while the job runs.
    fn report(&self, message: &str) {
        eprintln!("{message}");
    }
}
