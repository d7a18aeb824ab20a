//! The installed tools, and how they are called.

use core::any::Any;
use core::fmt;
use std::cell::Cell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::at_exit;
#[cfg(feature = "cuda")]
use super::event::DeviceWorkEvent;
use super::share;
use super::tool::Tool;
use crate::launch_state::LaunchState;

/// [`READ`], [`HEARD`] and [`FENCED`], so that one load tells all events of a program without tools that nothing listens.
static STATE: AtomicU8 = AtomicU8::new(0);

/// The environment has been read.
const READ: u8 = 1;

/// A tool is installed.
const HEARD: u8 = 2;

/// One that needs fences is installed.
const FENCED: u8 = 4;

/// The first of the installed tools, which are a list in the order of their events. They are leaked: a thread may be inside one at any
/// time.
static FIRST: OnceLock<&'static Installed> = OnceLock::new();

/// Whether an installed tool asks for the times of devices.
static DEVICE_TIMES: AtomicBool = AtomicBool::new(false);

/// The function by which a device tells the tools later events, if there is a device.
static LATER: OnceLock<Later> = OnceLock::new();

/// The function by which a device tells the tools of events after they have happened.
struct Later {
    /// Tells what is known.
    tell: fn(),
    /// Waits for the rest, and tells it.
    finish: fn(),
}

thread_local! {
    /// Whether this thread makes no events: a tool runs, or a part of something that tools have been told of.
    static IN_TOOL: Cell<bool> = const { Cell::new(false) };
}

pub(super) struct Installed {
    name: String,
    tool: Box<dyn Tool>,
    /// False once it has panicked.
    is_sound: AtomicBool,
    next: OnceLock<&'static Installed>,
}

/// A tool that has panicked is not called any more: no thread meets the state in which it was left. Views refer to tools, and are as safe to
/// unwind from as without.
impl UnwindSafe for Installed {}
impl RefUnwindSafe for Installed {}

/// Installs a tool: from now on it gets the events of all threads, after the tools that were installed before.
///
/// It is never removed. `name` is for messages about it.
///
/// # Examples
/// ```
/// use spelt_core::tools::{self, Tool};
/// struct Marks;
/// impl Tool for Marks {
///     fn mark(&self, name: &str) {
///         println!("{name}");
///     }
/// }
/// tools::install("marks", Marks);
/// tools::mark("the mesh is read");
/// ```
pub fn install(name: impl Into<String>, tool: impl Tool) {
    let (name, tool, is_sound) = (name.into(), Box::new(tool), AtomicBool::new(true));
    let installed = Installed { name, tool, is_sound, next: OnceLock::new() };
    {
        let silence = Silence::begin();
        let needs = |method: fn(&dyn Tool) -> bool| installed.call(&silence, method).unwrap_or(false);
        // Before the tool gets events, so that it gets none without.
        if needs(|tool| tool.needs_fences()) {
            STATE.fetch_or(FENCED, Ordering::Relaxed);
        }
        if needs(|tool| tool.needs_shares()) {
            share::want(needs(|tool| tool.needs_all_shares()));
        }
        if needs(|tool| tool.needs_device_times()) {
            DEVICE_TIMES.store(true, Ordering::Relaxed);
        }
    }
    append(Box::leak(Box::new(installed)));
    at_exit::register(finish);
    STATE.fetch_or(HEARD, Ordering::Relaxed);
    LaunchState::add(LaunchState::HEARD);
}

fn append(tool: &'static Installed) {
    let mut place = &FIRST;
    // A thread that is faster takes a place, and this one goes on to the next.
    while place.set(tool).is_err() {
        place = &place.get().expect("it is taken").next;
    }
}

/// Whether there may be a tool that listens to an event of this thread.
#[inline(always)]
pub(crate) fn are_listening() -> bool {
    STATE.load(Ordering::Relaxed) & HEARD != 0
}

/// Whether the environment has been read and no tool is installed: then no event is told.
#[inline(always)]
pub(super) fn is_nothing_to_do() -> bool {
    STATE.load(Ordering::Relaxed) == READ
}

/// Whether the environment has been read.
pub(super) fn is_read() -> bool {
    STATE.load(Ordering::Relaxed) & READ != 0
}

/// The environment has been read.
pub(super) fn set_read() {
    STATE.fetch_or(READ, Ordering::Relaxed);
}

/// Whether a tool listens to this thread, and whether one that does needs fences.
#[inline]
pub(super) fn is_anyone_listening() -> (bool, bool) {
    let state = STATE.load(Ordering::Relaxed);
    let is_heard = state & HEARD != 0 && !IN_TOOL.get();
    (is_heard, is_heard && state & FENCED != 0)
}

/// Calls `event` with each tool that listens to this thread, which is silent meanwhile: none if it is silent already.
#[inline(always)]
fn for_each_listener(mut event: impl FnMut(&'static Installed, &Silence)) {
    if IN_TOOL.get() {
        return;
    }
    let mut next = FIRST.get().copied();
    let silence = Silence::begin();
    while let Some(tool) = next {
        event(tool, &silence);
        next = tool.next.get().copied();
    }
}

impl fmt::Debug for Installed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Installed").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Installed {
    /// Calls a method of the tool. This thread's events are silenced, as `_silence` shows.
    #[inline(always)]
    fn call<T>(&self, _silence: &Silence, method: impl FnOnce(&dyn Tool) -> T) -> Option<T> {
        if !self.is_sound.load(Ordering::Relaxed) {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| method(&*self.tool))) {
            Ok(value) => Some(value),
            Err(payload) => {
                self.has_panicked(payload);
                None
            }
        }
    }

    #[cold]
    fn has_panicked(&self, payload: Box<dyn Any + Send>) {
        self.is_sound.store(false, Ordering::Relaxed);
        let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        let line = format!("the tool `{}` has panicked, and gets no more events: {text}\n", self.name);
        // There is no other place to say so.
        let _ = std::io::stderr().write_all(line.as_bytes());
        // The drop of a payload may panic. Nothing may unwind from here: work of a device may be under way.
        core::mem::forget(payload);
    }
}

/// Tools that have got a begin, each with the number that it has returned. One alone takes no memory of its own.
#[derive(Debug, Default)]
pub(super) struct Told {
    first: Option<(&'static Installed, u64)>,
    others: Vec<(&'static Installed, u64)>,
}

/// Tells all that listen of a begin.
#[inline]
pub(super) fn tell(begin: impl Fn(&dyn Tool) -> u64) -> Told {
    let mut told = Told::default();
    for_each_listener(|tool, silence| {
        let Some(id) = tool.call(silence, &begin) else { return };
        match told.first {
            None => told.first = Some((tool, id)),
            Some(_) => told.others.push((tool, id)),
        }
    });
    told
}

impl Told {
    /// Whether there are none.
    pub(super) fn is_nobody(&self) -> bool {
        self.first.is_none()
    }

    /// Tells those of the end, in reverse order.
    #[inline]
    pub(super) fn end(&self, end: impl Fn(&dyn Tool, u64)) {
        let Some((first, id)) = self.first else { return };
        let silence = Silence::begin();
        for (tool, id) in self.others.iter().rev() {
            tool.call(&silence, |tool| end(tool, *id));
        }
        first.call(&silence, |tool| end(tool, id));
    }

    /// Tells those of something between, in their order.
    pub(super) fn again(&self, event: impl Fn(&dyn Tool, u64)) {
        let silence = Silence::begin();
        for (tool, id) in self.first.iter().chain(&self.others) {
            tool.call(&silence, |tool| event(tool, *id));
        }
    }
}

/// Tells all that listen of something that has no end.
pub(super) fn tell_once(event: impl Fn(&dyn Tool)) {
    for_each_listener(|tool, silence| _ = tool.call(silence, &event));
}

/// This thread makes no events until this is dropped.
pub(super) struct Silence {
    was_silent: bool,
}

impl Silence {
    #[inline]
    pub(super) fn begin() -> Self {
        Self { was_silent: IN_TOOL.replace(true) }
    }
}

impl Drop for Silence {
    #[inline]
    fn drop(&mut self) {
        IN_TOOL.set(self.was_silent);
    }
}

/// Runs `f` without events.
pub(super) fn silently<T>(f: impl FnOnce() -> T) -> T {
    let _silence = Silence::begin();
    f()
}

/// Whether a tool asks for the times of devices: one relaxed load.
#[inline(always)]
#[cfg(feature = "cuda")]
pub(crate) fn are_device_times_wanted() -> bool {
    DEVICE_TIMES.load(Ordering::Relaxed)
}

/// Whether this thread makes no events.
#[cfg(feature = "cuda")]
pub(crate) fn is_silent() -> bool {
    IN_TOOL.get()
}

/// Tells all tools of work of a device.
#[cfg(feature = "cuda")]
pub(crate) fn tell_of_device_work(work: &DeviceWorkEvent<'_>) {
    tell_once(|tool| tool.device_work(work));
}

/// Has `tell` called at the ends of copies and fills, and `finish` before the tools are told of the end of the program, so that they can tell
/// them more. There is one of each.
#[cfg(feature = "cuda")]
pub(crate) fn later(tell: fn(), finish: fn()) {
    let _ = LATER.set(Later { tell, finish });
}

/// Tells the tools what has been found out meanwhile.
pub(super) fn tell_later() {
    if let Some(later) = LATER.get() {
        (later.tell)();
    }
}

/// The program ends.
fn finish() {
    if let Some(later) = LATER.get() {
        (later.finish)();
    }
    tell_once(|tool| tool.finish());
}
