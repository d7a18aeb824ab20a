//! Events that have begun, and those without an end: how the rest of Spelt tells tools of them.
//!
//! Each is asked for behind [`is_heard`], and ends where it is dropped.

use std::cell::Cell;
use std::mem::MaybeUninit;

use super::choice::is_heard;
use super::event::{AllocationEvent, CopyEvent, ExchangeEvent, FenceEvent, FillEvent, LaunchEvent};
use super::installed::{Silence, Told, is_anyone_listening, silently, tell, tell_later};
use super::share::{self, Share};
use super::tune::Shape;

/// A launch that has begun.
pub(crate) struct BegunLaunch<'a> {
    event: LaunchEvent<'a>,
    told: Told,
    is_fenced: bool,
    /// The shares, at the end.
    shares: Vec<Share>,
    /// Where shares are collected, those of the launch around it.
    outer: Option<share::Outer>,
}

thread_local! {
    /// The box of a launch of this thread that has ended, for the next one: most launches then ask for no memory.
    static SPARE: Cell<Option<Box<MaybeUninit<BegunLaunch<'static>>>>> = const { Cell::new(None) };
}

/// Tells the tools that a launch of this shape begins; `fence` waits for work before it, if one of them needs that. Inlined, so that the event,
/// which is large, is made where it is kept.
#[inline(always)]
pub(crate) fn begin_launch<'a>(
    event: impl FnOnce() -> LaunchEvent<'a>,
    shape: Option<&Shape>,
    fence: impl FnOnce() -> bool,
) -> Option<Box<BegunLaunch<'a>>> {
    let (is_heard, is_fenced) = is_anyone_listening();
    if !is_heard {
        return None;
    }
    if is_fenced {
        silently(fence);
    }
    let spare = SPARE.try_with(Cell::take).ok().flatten().unwrap_or_else(Box::new_uninit);
    // SAFETY: the types differ in a lifetime only, and the box has no value.
    let spare = unsafe { Box::from_raw(Box::into_raw(spare).cast::<MaybeUninit<BegunLaunch<'a>>>()) };
    let begun =
        BegunLaunch { event: event(), told: Told::default(), is_fenced, shares: Vec::new(), outer: None };
    let mut begun = Box::write(spare, begun);
    begun.told = match shape {
        None => tell(|tool| tool.begin_launch(&begun.event)),
        Some(_) => {
            let event = LaunchEvent { shape, ..begun.event };
            tell(|tool| tool.begin_launch(&event))
        }
    };
    begun.outer = share::begin();
    Some(begun)
}

impl BegunLaunch<'_> {
    /// It has succeeded, and is about to end.
    pub(crate) fn succeed(&mut self) {
        self.event.outcome = Some(true);
    }

    /// Tells them of the end; `fence` waits for the work, and says whether it has succeeded.
    pub(crate) fn end(self: Box<Self>, fence: impl FnOnce() -> bool) {
        let place = Box::into_raw(self);
        // SAFETY: the box has a value, which is used here alone.
        let begun = unsafe { &mut *place };
        // A kernel of a device fails later than its launch.
        let is_whole = !begun.is_fenced || silently(fence);
        begun.event.outcome = Some(is_whole && begun.event.outcome == Some(true));
        if begun.outer.is_some() {
            begun.shares = share::end(begun.outer.take());
            // SAFETY: the event and the shares are dropped together below, and the shares do not change before. Tools get the event for a
            // call, and cannot keep what it refers to longer.
            begun.event.shares =
                unsafe { core::slice::from_raw_parts(begun.shares.as_ptr(), begun.shares.len()) };
        }
        begun.told.end(|tool, id| tool.end_launch(&begun.event, id));
        // SAFETY: the value is not used any more.
        unsafe { place.drop_in_place() };
        // SAFETY: the box has no value any more, and the types differ in a lifetime only.
        let spare = unsafe { Box::from_raw(place.cast::<MaybeUninit<BegunLaunch<'static>>>()) };
        // Nothing is kept where a thread ends.
        let _ = SPARE.try_with(|place| place.set(Some(spare)));
    }
}

/// A copy that tools have been told of; dropping it tells them of the end.
///
/// It has its own labels, since the copy takes the Views. Launches that it is made of are no events.
pub(crate) struct BegunCopy {
    silence: Option<Silence>,
    to_label: String,
    from_label: String,
    event: CopyEvent<'static>,
    told: Told,
}

/// Tells the tools that a copy begins.
pub(crate) fn begin_copy(event: CopyEvent<'_>) -> BegunCopy {
    let told = tell(|tool| tool.begin_copy(&event));
    let (to_label, from_label) = (event.to_label.to_owned(), event.from_label.to_owned());
    let silence = Some(Silence::begin());
    BegunCopy {
        silence,
        to_label,
        from_label,
        event: CopyEvent { to_label: "", from_label: "", ..event },
        told,
    }
}

impl Drop for BegunCopy {
    #[cold]
    fn drop(&mut self) {
        self.silence = None;
        let event = CopyEvent { to_label: &self.to_label, from_label: &self.from_label, ..self.event };
        self.told.end(|tool, id| tool.end_copy(&event, id));
        tell_later();
    }
}

/// A fill that tools have been told of; dropping it tells them of the end.
///
/// Launches and copies that it is made of are no events.
pub(crate) struct BegunFill {
    silence: Option<Silence>,
    label: String,
    event: FillEvent<'static>,
    told: Told,
}

/// Tells the tools that a fill begins.
pub(crate) fn begin_fill(event: FillEvent<'_>) -> BegunFill {
    let told = tell(|tool| tool.begin_fill(&event));
    let (silence, label) = (Some(Silence::begin()), event.label.to_owned());
    BegunFill { silence, label, event: FillEvent { label: "", ..event }, told }
}

impl Drop for BegunFill {
    #[cold]
    fn drop(&mut self) {
        self.silence = None;
        let event = FillEvent { label: &self.label, ..self.event };
        self.told.end(|tool, id| tool.end_fill(&event, id));
        tell_later();
    }
}

/// A wait that tools have been told of; dropping it tells them of the end.
pub(crate) struct BegunFence {
    event: FenceEvent<'static>,
    told: Told,
}

/// Tells the tools that the program waits.
pub(crate) fn begin_fence(event: FenceEvent<'static>) -> BegunFence {
    BegunFence { event, told: tell(|tool| tool.begin_fence(&event)) }
}

impl Drop for BegunFence {
    fn drop(&mut self) {
        self.told.end(|tool, id| tool.end_fence(&self.event, id));
    }
}

/// A collective or exchange between ranks that tools have been told of; dropping it tells them of the end.
#[doc(hidden)]
pub struct BegunExchange {
    label: String,
    event: ExchangeEvent<'static>,
    told: Told,
}

/// Tells the tools, if there are any, that a collective or exchange of `rank` among `ranks` begins.
#[doc(hidden)]
#[inline]
pub fn begin_exchange(kind: &'static str, label: &str, rank: usize, ranks: usize) -> Option<BegunExchange> {
    is_heard().then(|| {
        let event = ExchangeEvent { kind, label, rank, ranks };
        let told = tell(|tool| tool.begin_exchange(&event));
        BegunExchange { label: label.to_owned(), event: ExchangeEvent { label: "", ..event }, told }
    })
}

impl core::fmt::Debug for BegunExchange {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BegunExchange").field("label", &self.label).finish_non_exhaustive()
    }
}

impl Drop for BegunExchange {
    fn drop(&mut self) {
        let event = ExchangeEvent { label: &self.label, ..self.event };
        self.told.end(|tool, id| tool.end_exchange(&event, id));
    }
}

/// A region that tools have been told of, by its name; dropping it tells them of the end.
#[derive(Debug)]
pub(super) struct BegunRegion {
    name: String,
    told: Told,
}

/// Tells the tools that a region begins.
pub(super) fn enter_region(name: String) -> BegunRegion {
    let told = tell(|tool| tool.enter_region(&name));
    BegunRegion { name, told }
}

impl Drop for BegunRegion {
    fn drop(&mut self) {
        self.told.end(|tool, id| tool.leave_region(&self.name, id));
    }
}

thread_local! {
    /// Whether this thread is inside an algorithm: those that it calls are parts of it.
    static IN_ALGORITHM: Cell<bool> = const { Cell::new(false) };
}

/// An algorithm that tools have been told of as a region; dropping it tells them of the end.
#[doc(hidden)]
#[must_use]
#[derive(Debug)]
pub struct Algorithm {
    region: Option<Box<BegunRegion>>,
}

/// Tells the tools, if there are any, that an algorithm begins, as a region around its launches.
#[doc(hidden)]
#[inline(always)]
pub fn algorithm(name: &'static str) -> Algorithm {
    Algorithm { region: if is_heard() { enter_algorithm(name) } else { None } }
}

#[cold]
#[inline(never)]
fn enter_algorithm(name: &str) -> Option<Box<BegunRegion>> {
    (!IN_ALGORITHM.replace(true)).then(|| Box::new(enter_region(format!("algorithms::{name}"))))
}

impl Drop for Algorithm {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(region) = self.region.take() {
            leave_algorithm(region);
        }
    }
}

/// Takes the box, so that algorithms have no code to free it.
#[cold]
#[inline(never)]
fn leave_algorithm(region: Box<BegunRegion>) {
    IN_ALGORITHM.set(false);
    drop(region);
}

/// Memory of a View that tools have been told of; dropping it tells them that the memory is freed.
///
/// Those are told that were told of the allocation, and no others, so that a tool never frees memory that it does not know.
pub(crate) struct Allocated {
    label: String,
    event: AllocationEvent<'static>,
    told: Told,
}

/// Tells the tools of memory; `None` if none listens to this thread.
#[cold]
pub(crate) fn allocate(event: AllocationEvent<'_>) -> Option<Box<Allocated>> {
    let told = tell(|tool| {
        tool.allocate(&event);
        0
    });
    if told.is_nobody() {
        return None;
    }
    let label = event.label.to_owned();
    Some(Box::new(Allocated { label, event: AllocationEvent { label: "", ..event }, told }))
}

impl Drop for Allocated {
    fn drop(&mut self) {
        let event = AllocationEvent { label: &self.label, ..self.event };
        self.told.end(|tool, _| tool.release(&event));
    }
}
