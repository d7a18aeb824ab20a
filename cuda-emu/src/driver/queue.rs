//! The deferred mode: streams queue their work, and it runs when the program synchronises.
//!
//! Without the mode work is done when it is given, and the queue stays empty.

use super::api::{Handle, OK};
use super::error::INVALID_HANDLE;
use super::order::{Order, Target};
use super::state::{Guard, State, ctx, lock};
use super::work::{HostCall, Work};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

/// `CU_STREAM_LEGACY`.
const LEGACY: u64 = 1;

/// The legacy default stream of a device, which waits for all of its streams that block and which they wait for.
pub(super) fn legacy(device: usize) -> u64 {
    of_device(LEGACY, device)
}

/// The default stream of a device, by its handle on device 0. Other handles are smaller than these.
fn of_device(handle: u64, device: usize) -> u64 {
    (device as u64) << 32 | handle
}

/// Work that may wait at once: with a device, too, the host waits when the queues are full.
/// Unit: pieces of work. Source: a driver's queue has about as many.
const CAPACITY: usize = 1024;

/// Work that waits in a stream.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) stream: u64,
    pub(super) device: usize,
    /// Earlier work that this waits for, as far as it is still queued.
    pub(super) after: Vec<u64>,
    /// A function of the program runs, outside the lock.
    pub(super) running: bool,
    pub(super) work: Work,
}

/// The work of all streams that is not done.
#[derive(Debug)]
pub(super) struct Queue {
    /// `None`: work is done when it is given.
    order: Option<Order>,
    items: BTreeMap<u64, Item>,
    /// The last work of each stream, its device, and whether the stream takes part in the order of the legacy stream.
    last: HashMap<u64, (u64, usize, bool)>,
    next: u64,
}

/// The outcome of a step.
enum Step {
    Done,
    /// A function of the program is to be called without the lock.
    Call(u64, HostCall),
    /// All remaining work waits for a function that another thread calls.
    Busy,
}

impl Queue {
    pub(super) fn new(seed: Option<u64>) -> Queue {
        Queue { order: seed.map(Order::new), items: BTreeMap::new(), last: HashMap::new(), next: 1 }
    }

    pub(super) fn deferred(&self) -> bool {
        self.order.is_some()
    }

    pub(super) fn pending(&self, target: Target) -> bool {
        target.pending(&self.items)
    }

    /// The last work of a stream that is not done.
    pub(super) fn last(&self, stream: u64) -> Option<u64> {
        self.last.get(&stream).map(|l| l.0).filter(|id| self.items.contains_key(id))
    }

    /// A stream is gone: its last work is remembered only while it waits.
    pub(super) fn forget(&mut self, stream: u64) {
        if self.last(stream).is_none() {
            self.last.remove(&stream);
        }
    }

    /// All work of a device that is not done is forgotten: its context is gone.
    pub(super) fn clear(&mut self, device: usize) {
        self.items.retain(|_, item| item.device != device);
        self.last.retain(|_, last| last.1 != device);
    }

    fn push(
        &mut self,
        (stream, device): (u64, usize),
        blocking: bool,
        event: Option<u64>,
        work: Work,
    ) -> u64 {
        let mut after: Vec<u64> = event.into_iter().collect();
        after.extend(self.last(stream));
        if stream == legacy(device) {
            after.extend(self.last.values().filter(|l| l.1 == device && l.2).map(|l| l.0));
        } else if blocking {
            after.extend(self.last(legacy(device)));
        }
        after.retain(|id| self.items.contains_key(id));
        let id = self.next;
        self.next += 1;
        self.items.insert(id, Item { stream, device, after, running: false, work });
        self.last.insert(stream, (id, device, blocking));
        id
    }
}

impl State {
    /// The stream of a handle.
    pub(super) fn stream(&self, s: Handle) -> Result<u64, i32> {
        match s as u64 {
            0 | LEGACY => Ok(legacy(self.device)),
            2 => Ok(of_device(per_thread(), self.device)),
            v if self.streams.contains_key(&v) => Ok(v),
            _ => Err(INVALID_HANDLE),
        }
    }

    /// The device of a stream.
    pub(super) fn device_of_stream(&self, stream: u64) -> usize {
        self.streams.get(&stream).map_or((stream >> 32) as usize, |s| s.device)
    }

    /// Does a piece of work on a device.
    fn do_on(&mut self, device: usize, work: Work, id: u64) -> i32 {
        let before = self.device;
        self.on(device);
        let code = self.do_now(work, id);
        self.on(before);
        code
    }

    fn step(&mut self, target: Target) -> Step {
        let Some(order) = &mut self.queue.order else { return Step::Busy };
        let Some(id) = order.choose(&self.queue.items, target) else { return Step::Busy };
        if let Some(item) = self.queue.items.get_mut(&id)
            && let Work::Call(call) = &item.work
        {
            item.running = true;
            return Step::Call(id, *call);
        }
        if let Some(item) = self.queue.items.remove(&id) {
            self.do_on(item.device, item.work, id);
            if self.devices[item.device].sticky != 0 {
                self.queue.clear(item.device);
            }
        }
        Step::Done
    }

    /// Gives work to a stream: it runs immediately or, in the deferred mode, after `event` and the stream's earlier work.
    /// Returns the work's number if it waits.
    pub(super) fn submit(&mut self, stream: u64, event: Option<u64>, work: Work) -> Result<Option<u64>, i32> {
        if self.queue.deferred() {
            return Ok(Some(self.push(stream, event, work)));
        }
        match self.do_on(self.device_of_stream(stream), work, 0) {
            OK => Ok(None),
            code => Err(code),
        }
    }

    /// Work that begins after `stream`'s and after the work `event`, in the deferred mode.
    fn push(&mut self, stream: u64, event: Option<u64>, work: Work) -> u64 {
        let non_blocking = self.streams.get(&stream).is_some_and(|s| s.flags & 1 != 0);
        self.queue.push((stream, self.device_of_stream(stream)), !non_blocking, event, work)
    }
}

/// The default stream of this thread.
fn per_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0x3000);
    thread_local!(static MINE: Cell<u64> = const { Cell::new(0) });
    MINE.with(|m| {
        if m.get() == 0 {
            m.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        m.get()
    })
}

/// Runs one piece of work, or waits a little for the thread that runs it. Releases the lock meanwhile if necessary.
fn advance(mut g: Guard, target: Target) {
    match g.step(target) {
        Step::Done => {}
        Step::Busy => {
            drop(g);
            std::thread::yield_now();
        }
        Step::Call(id, call) => {
            drop(g);
            call.run();
            if let Ok(mut g) = lock() {
                g.queue.items.remove(&id);
            }
        }
    }
}

/// State with a stream that can take work.
pub(super) fn enter(s: Handle) -> Result<(Guard, u64), i32> {
    loop {
        let mut g = ctx()?;
        let stream = g.stream(s)?;
        if g.queue.items.len() < CAPACITY {
            return Ok((g, stream));
        }
        if let Some(order) = &mut g.queue.order {
            order.begin();
        }
        advance(g, Target::All);
    }
}

/// State with a stream of the current context that can take work. A stream of another device takes copies and waits only.
pub(super) fn enter_own(s: Handle) -> Result<(Guard, u64), i32> {
    let (g, stream) = enter(s)?;
    if g.device_of_stream(stream) == g.device { Ok((g, stream)) } else { Err(INVALID_HANDLE) }
}

/// Gives a function to a stream, as [`State::submit`] does other work. It is called without the lock.
pub(super) fn submit_call(mut g: Guard, stream: u64, call: HostCall) {
    if g.queue.deferred() {
        g.push(stream, None, Work::Call(call));
    } else {
        drop(g);
        call.run();
    }
}

/// Runs the work that `target` requires, chosen once the lock is held. Returns the state after that.
pub(super) fn synchronise(target: impl FnOnce(&State) -> Result<Option<Target>, i32>) -> Result<Guard, i32> {
    let mut g = ctx()?;
    let Some(target) = target(&g)? else { return Ok(g) };
    if let Some(order) = &mut g.queue.order {
        order.begin();
    }
    while g.queue.pending(target) {
        advance(g, target);
        g = ctx()?;
    }
    Ok(g)
}

/// Runs all that waits on the current device.
pub(super) fn synchronise_all() -> Result<Guard, i32> {
    synchronise(|g| Ok(Some(Target::Device(g.device))))
}

/// Runs the work that `target` requires, in whichever context the caller is.
pub(super) fn drain(target: Target) -> Result<Guard, i32> {
    let mut g = lock()?;
    if let Some(order) = &mut g.queue.order {
        order.begin();
    }
    while g.queue.pending(target) {
        advance(g, target);
        g = lock()?;
    }
    Ok(g)
}

/// A query for completion also makes some progress: `true` if the work is done.
pub(super) fn query(target: impl FnOnce(&State) -> Result<Option<u64>, i32>) -> Result<bool, i32> {
    let mut g = ctx()?;
    let Some(target) = target(&g)?.map(Target::Item) else { return Ok(true) };
    if let Some(order) = &mut g.queue.order {
        order.begin();
    }
    advance(g, target);
    Ok(!ctx()?.queue.pending(target))
}
