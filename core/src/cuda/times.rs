//! The times of work on a stream, by events, for tools that ask for them. Nothing waits for the work.
//!
//! Each piece of work is put between two events. Whenever the stream is used later, the pieces that have ended are read and told. A device's
//! clock is compared with the host's once for each stream: an event, for which the host waits. From there the times of events follow one
//! another: the driver gives the time between two events as a number of 24 bits, which is precise only over short times.

use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Mutex, Weak};
use std::time::Instant;

use super::context::lock;
use super::driver::{self, Fault, RawEvent};
use super::stream::Stream;
use crate::tools::{self, DeviceWorkEvent};

/// The number of pieces of work of a stream whose times are not read yet, from which the host waits for the first. Unit: pieces. Source: a
/// driver keeps some 1,000 launches before it makes the host wait. The emulator keeps fewer, so tests have another.
pub(super) const MAX_PENDING: usize = if cfg!(test) { 8 } else { 4096 };

/// All streams.
static STREAMS: Mutex<Vec<Weak<Stream>>> = Mutex::new(Vec::new());

/// Work that has ended, of which tools have not been told.
static ENDED: Mutex<Vec<Ended>> = Mutex::new(Vec::new());

/// Work that has ended.
struct Ended {
    label: String,
    bytes: u64,
    device: usize,
    stream: u64,
    begin: Instant,
    end: Instant,
}

/// Work between two events.
struct Pending {
    label: String,
    bytes: u64,
    begin: RawEvent,
    end: RawEvent,
}

/// The work of one stream whose times are not read yet. Its events belong to the stream's context.
#[derive(Default)]
pub(super) struct Times {
    pending: VecDeque<Pending>,
    /// An event that has ended, and the host's time of it.
    base: Option<(RawEvent, Instant)>,
    /// Events that are not in use.
    free: Vec<RawEvent>,
}

/// Has the stream's times told when the program ends.
pub(super) fn register(stream: Weak<Stream>) {
    let mut streams = lock(&STREAMS);
    streams.retain(|stream| stream.strong_count() > 0);
    streams.push(stream);
    drop(streams);
    tools::later(tell, || {
        let streams: Vec<_> = lock(&STREAMS).iter().filter_map(Weak::upgrade).collect();
        for stream in streams {
            stream.read_times(true);
        }
        tell();
    });
}

/// Tells tools of the work that has ended, unless this thread is inside one of them: then later.
pub(super) fn tell() {
    if tools::are_device_times_wanted() && !tools::is_silent() {
        let ended = core::mem::take(&mut *lock(&ENDED));
        for Ended { label, bytes, device, stream, begin, end } in &ended {
            let (device, stream, bytes, begin, end) = (*device, *stream, *bytes, *begin, *end);
            tools::tell_of_device_work(&DeviceWorkEvent { label, device, stream, begin, end, bytes });
        }
    }
}

impl Times {
    fn event(&mut self) -> Result<RawEvent, Fault> {
        self.free.pop().map_or_else(driver::timing_event_create, Ok)
    }

    /// Compares the clocks, if that has not been done, and records that work begins.
    ///
    /// The context is bound.
    fn begin(&mut self, stream: &Stream) -> Result<RawEvent, Fault> {
        if self.base.is_none() {
            let event = self.event()?;
            // SAFETY: stream and event live, in one context.
            let waited = unsafe {
                driver::event_record(event, stream.raw()).and_then(|()| driver::event_synchronize(event))
            };
            if let Err(fault) = waited {
                self.free.push(event);
                return Err(fault);
            }
            self.base = Some((event, Instant::now()));
        }
        self.record(stream)
    }

    fn record(&mut self, stream: &Stream) -> Result<RawEvent, Fault> {
        let event = self.event()?;
        // SAFETY: stream and event live, in one context.
        let recorded = unsafe { driver::event_record(event, stream.raw()) };
        if recorded.is_err() {
            self.free.push(event);
        }
        recorded.map(|()| event)
    }

    /// Takes the work that has ended; with `waits`, waits for all. After a fault there is none any more.
    ///
    /// The context is bound.
    fn read(&mut self, waits: bool, mut ended: impl FnMut(Pending, Instant, Instant)) {
        if waits || self.pending.len() >= MAX_PENDING {
            let wanted = if waits { self.pending.back() } else { self.pending.front() };
            if let Some(work) = wanted {
                // SAFETY: the event lives. A fault is found again below.
                let _ = unsafe { driver::event_synchronize(work.end) };
            }
        }
        while let (Some(work), Some((base, at))) = (self.pending.front(), self.base) {
            // SAFETY: the events live, and were recorded in one context with times.
            let times = unsafe {
                match driver::event_is_over(work.end) {
                    Ok(false) => return,
                    Ok(true) => driver::event_elapsed(base, work.begin)
                        .and_then(|begin| Ok((begin, driver::event_elapsed(base, work.end)?))),
                    Err(fault) => Err(fault),
                }
            };
            let Ok((begin, end)) = times else {
                // They may be lost with the context, and are not used again.
                self.pending.clear();
                return;
            };
            let work = self.pending.pop_front().expect("it is the front");
            let (begin, end) = (after(at, begin), after(at, end));
            self.free.extend([base, work.begin]);
            self.base = Some((work.end, end));
            ended(work, begin, end);
        }
    }

    /// Gives all events back.
    ///
    /// # Safety
    /// The context is bound and whole, and nothing uses the events any more.
    pub(super) unsafe fn destroy(&mut self) {
        let pending = self.pending.drain(..).flat_map(|work| [work.begin, work.end]);
        let base = self.base.take().map(|(event, _)| event);
        for event in pending.chain(base).chain(self.free.drain(..)) {
            // SAFETY: the event is one of this stream's own, which nothing uses, as the contract asks.
            let _ = unsafe { driver::event_destroy(event) };
        }
    }
}

/// The time that many milliseconds later; a negative number, which rounding may make, is 0.
fn after(instant: Instant, milliseconds: f32) -> Instant {
    let later = Duration::try_from_secs_f64(f64::from(milliseconds) / 1000.0).unwrap_or_default();
    instant.checked_add(later).unwrap_or(instant)
}

impl Stream {
    /// Lets `submit` put work on this stream, between two events if a tool asks for times.
    ///
    /// The context is bound. Where the driver refuses an event, the work has no time.
    #[inline]
    pub(super) fn timed<E>(
        &self,
        label: impl FnOnce() -> (String, u64),
        submit: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        if !tools::are_device_times_wanted() {
            return submit();
        }
        let begin = lock(self.times()).begin(self);
        let submitted = submit();
        if submitted.is_err() {
            lock(self.times()).free.extend(begin);
            return submitted;
        }
        if let Ok(begin) = begin {
            let mut times = lock(self.times());
            match times.record(self) {
                Ok(end) => {
                    let (label, bytes) = label();
                    times.pending.push_back(Pending { label, bytes, begin, end });
                }
                Err(_) => times.free.push(begin),
            }
        }
        Ok(())
    }

    /// Reads the times of the work that has ended, for tools; with `waits`, of all.
    pub(super) fn read_times(&self, waits: bool) {
        if !tools::are_device_times_wanted() || lock(self.times()).pending.is_empty() {
            return;
        }
        if self.context().bind_to_free() {
            let (device, stream) = (self.context().number(), self.number());
            lock(self.times()).read(waits, |Pending { label, bytes, .. }, begin, end| {
                lock(&ENDED).push(Ended { label, bytes, device, stream, begin, end });
            });
        }
    }
}
