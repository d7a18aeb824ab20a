//! The installed tools, and how they are called.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use super::at_exit;
use super::tool::{CopyEvent, LaunchEvent, Tool};

/// Whether a tool is installed.
static LISTENING: AtomicBool = AtomicBool::new(false);

/// The installed tools, in the order of their events. They are leaked: a thread may be inside one at any time.
static TOOLS: RwLock<Vec<&'static Installed>> = RwLock::new(Vec::new());

thread_local! {
    /// Whether this thread runs a tool, whose own launches make no events.
    static IN_TOOL: Cell<bool> = const { Cell::new(false) };
}

struct Installed {
    name: String,
    tool: Box<dyn Tool>,
    /// False once it has panicked.
    is_sound: AtomicBool,
    needs_fences: bool,
}

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
    let mut installed = Installed { name, tool, is_sound, needs_fences: false };
    installed.needs_fences = installed.call(|tool| tool.needs_fences()).unwrap_or(false);
    TOOLS.write().unwrap_or_else(PoisonError::into_inner).push(Box::leak(Box::new(installed)));
    at_exit::register(finish);
    LISTENING.store(true, Ordering::Relaxed);
}

/// Whether there may be a tool that listens to an event of this thread.
#[inline(always)]
pub(crate) fn are_listening() -> bool {
    LISTENING.load(Ordering::Relaxed)
}

/// The tools that listen to this thread: none where a tool runs.
fn listeners() -> Vec<&'static Installed> {
    if IN_TOOL.get() {
        return Vec::new();
    }
    TOOLS.read().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Installed {
    /// Calls a method of the tool, with this thread's events silenced.
    fn call<T>(&self, method: impl FnOnce(&dyn Tool) -> T) -> Option<T> {
        if !self.is_sound.load(Ordering::Relaxed) {
            return None;
        }
        let result = silently(|| catch_unwind(AssertUnwindSafe(|| method(&*self.tool))));
        if let Err(payload) = result.as_ref() {
            self.is_sound.store(false, Ordering::Relaxed);
            let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            eprintln!("the tool `{}` has panicked, and gets no more events: {text}", self.name);
        }
        result.ok()
    }
}

/// Tools that have got a begin, each with the number that it has returned.
type Told = Vec<(&'static Installed, u64)>;

fn tell(begin: impl Fn(&dyn Tool) -> u64, tools: Vec<&'static Installed>) -> Told {
    tools.into_iter().filter_map(|tool| Some((tool, tool.call(&begin)?))).collect()
}

fn tell_end(told: &Told, end: impl Fn(&dyn Tool, u64)) {
    for (installed, id) in told.iter().rev() {
        installed.call(|tool| end(tool, *id));
    }
}

/// A launch that has begun.
pub(crate) struct Begun<'a> {
    event: LaunchEvent<'a>,
    told: Told,
    is_fenced: bool,
}

/// Tells the tools that a launch begins; `fence` is called before if one of them needs it.
pub(crate) fn begin_launch(event: LaunchEvent<'_>, fence: impl FnOnce()) -> Option<Box<Begun<'_>>> {
    let tools = listeners();
    if tools.is_empty() {
        return None;
    }
    let is_fenced = tools.iter().any(|tool| tool.needs_fences);
    if is_fenced {
        silently(fence);
    }
    let told = tell(|tool| tool.begin_launch(&event), tools);
    Some(Box::new(Begun { event, told, is_fenced }))
}

impl Begun<'_> {
    /// Tells them of the end.
    pub(crate) fn end(&self, fence: impl FnOnce()) {
        if self.is_fenced {
            silently(fence);
        }
        tell_end(&self.told, |tool, id| tool.end_launch(&self.event, id));
    }
}

/// Runs `f` without events.
fn silently<T>(f: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IN_TOOL.set(self.0);
        }
    }
    let _restore = Restore(IN_TOOL.replace(true));
    f()
}

/// A copy that tools have been told of; dropping it tells them of the end.
///
/// It has its own labels, since the copy takes the Views.
pub(crate) struct BegunCopy {
    to_label: String,
    from_label: String,
    event: CopyEvent<'static>,
    told: Told,
}

/// Tells the tools that a copy begins.
pub(crate) fn begin_copy(event: CopyEvent<'_>) -> BegunCopy {
    let told = tell(|tool| tool.begin_copy(&event), listeners());
    let (to_label, from_label) = (event.to_label.to_owned(), event.from_label.to_owned());
    BegunCopy { to_label, from_label, event: CopyEvent { to_label: "", from_label: "", ..event }, told }
}

impl Drop for BegunCopy {
    fn drop(&mut self) {
        let event = CopyEvent { to_label: &self.to_label, from_label: &self.from_label, ..self.event };
        tell_end(&self.told, |tool, id| tool.end_copy(&event, id));
    }
}

/// A region that tools have been told of, by its name.
pub(super) struct BegunRegion {
    name: String,
    told: Told,
}

pub(super) fn enter_region(name: String) -> BegunRegion {
    let told = tell(|tool| tool.enter_region(&name), listeners());
    BegunRegion { name, told }
}

impl Drop for BegunRegion {
    fn drop(&mut self) {
        tell_end(&self.told, |tool, id| tool.leave_region(&self.name, id));
    }
}

pub(super) fn tell_mark(name: &str) {
    for installed in listeners() {
        installed.call(|tool| tool.mark(name));
    }
}

/// The program ends.
fn finish() {
    for installed in listeners() {
        installed.call(|tool| tool.finish());
    }
}
