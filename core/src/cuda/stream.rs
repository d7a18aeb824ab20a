//! Streams, and the progress of their work.
//!
//! Every piece of work on a stream has a ticket: its number, from 1. A View records its uses by stream and ticket;
//! an event is recorded only when another stream must wait, and then covers all tickets so far.

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::context::{Context, lock};
use super::driver::{self, RawEvent, RawStream};
use super::times::{self, Times};
use crate::Result;

/// The maximum number of streams for which a stream remembers how far it has waited; forgetting one only costs waits that
/// return immediately. Unit: streams. Source: more than programs have instances.
const SEEN: usize = 32;

/// A stream of a device.
pub(super) struct Stream {
    context: Arc<Context>,
    raw: RawStream,
    number: u64,
    submitted: AtomicU64,
    completed: AtomicU64,
    marker: Mutex<Marker>,
    seen: Mutex<Vec<(u64, u64)>>,
    /// The times of its work, for tools.
    times: Mutex<Times>,
}

/// The stream's event, and the last ticket that it covers.
struct Marker {
    event: RawEvent,
    ticket: u64,
}

// SAFETY: the driver's handles may be used on any thread.
unsafe impl Send for Stream {}
// SAFETY: the driver's handles may be used on several threads at once; a lock protects the event, which calls
// change.
unsafe impl Sync for Stream {}

impl core::fmt::Debug for Stream {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Stream {} of device {}", self.number, self.context.number())
    }
}

/// A piece of work, by stream and ticket.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) stream: Arc<Stream>,
    pub(super) ticket: u64,
}

impl Mark {
    /// Whether it is known to have ended.
    pub(super) fn is_over(&self) -> bool {
        self.stream.completed.load(Ordering::Acquire) >= self.ticket
    }
}

impl Stream {
    /// A new stream of the context.
    pub(super) fn new(context: Arc<Context>) -> Result<Arc<Self>> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        context.bind()?;
        let raw = driver::stream_create().map_err(|fault| context.failed("making a stream", fault))?;
        let event = match driver::event_create() {
            Ok(event) => event,
            Err(fault) => {
                // SAFETY: the stream was made above and nothing else has its handle.
                let _ = unsafe { driver::stream_destroy(raw) };
                return Err(context.failed("making an event", fault));
            }
        };
        let stream = Arc::new(Self {
            context,
            raw,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            marker: Mutex::new(Marker { event, ticket: 0 }),
            seen: Mutex::default(),
            times: Mutex::default(),
        });
        times::register(Arc::downgrade(&stream));
        Ok(stream)
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(super) fn raw(&self) -> RawStream {
        self.raw
    }

    pub(super) fn times(&self) -> &Mutex<Times> {
        &self.times
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The ticket of the next operation, if no other thread adds one before.
    pub(super) fn next_ticket(&self) -> u64 {
        self.submitted.load(Ordering::Acquire) + 1
    }

    /// The ticket of work that has just been submitted to the driver. Not earlier: a thread that waits for the stream
    /// considers all existing tickets done afterwards.
    pub(super) fn submitted(&self) -> u64 {
        self.submitted.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Waits until all its work so far has ended or is lost.
    pub(super) fn synchronize(&self) -> Result<()> {
        let ticket = self.submitted.load(Ordering::Acquire);
        let bound = self.context.bind();
        // Also if another thread has found the context broken: work of this stream may touch memory that the host will use.
        // SAFETY: the stream is this one's own.
        let over = unsafe { driver::stream_synchronize(self.raw) };
        bound?;
        over.map_err(|fault| self.context.failed("waiting for a stream", fault))?;
        self.completed.fetch_max(ticket, Ordering::AcqRel);
        self.context.notes().forget(self.number, ticket);
        self.read_times(false);
        Ok(())
    }

    /// Makes this stream's later work wait for the marked piece of work.
    ///
    /// The context is bound and its order is held. The streams may belong to different devices.
    pub(super) fn wait_for(&self, mark: &Mark) -> Result<()> {
        let source = &*mark.stream;
        if source.number == self.number || mark.is_over() {
            return Ok(());
        }
        let mut seen = lock(&self.seen);
        let known = seen.iter().position(|(number, _)| *number == source.number);
        if known.is_some_and(|place| seen[place].1 >= mark.ticket) {
            return Ok(());
        }
        let mut marker = lock(&source.marker);
        let failed = |context: &Context, fault| context.failed("making one stream wait for another", fault);
        if marker.ticket < mark.ticket {
            let ticket = source.submitted.load(Ordering::Acquire);
            source.context.bind()?;
            // SAFETY: stream and event are the source's own, of one context.
            let recorded = unsafe { driver::event_record(marker.event, source.raw) };
            let recorded = recorded.map_err(|fault| failed(&source.context, fault));
            self.context.bind()?;
            recorded?;
            marker.ticket = ticket;
        }
        // SAFETY: the stream is this one's own, the event the source's. A stream may wait for an event of another device.
        let waits = unsafe { driver::stream_wait_event(self.raw, marker.event) };
        waits.map_err(|fault| failed(&self.context, fault))?;
        match known {
            Some(place) => seen[place].1 = marker.ticket,
            None => {
                if seen.len() == SEEN {
                    seen.clear();
                }
                seen.push((source.number, marker.ticket));
            }
        }
        Ok(())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Tools are told later: who drops the last handle may hold locks.
        self.read_times(true);
        if self.context.bind_to_free() {
            let event = self.marker.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).event;
            // SAFETY: they belong to this stream, which nothing uses any more; the context is bound and whole.
            unsafe { self.times.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).destroy() };
            // SAFETY: they belong to this stream and are destroyed with it; the driver frees them after their work. Errors
            // cannot be reported from `drop`.
            let _ = unsafe { (driver::event_destroy(event), driver::stream_destroy(self.raw)) };
        }
    }
}
