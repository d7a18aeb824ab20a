//! Threads that run together: a barrier, and the check that all of them reach the same collective.
//!
//! Types cannot prove that all members of a team call the same collectives (a member may branch on its rank),
//! and members that do not would read values of other types or phases. So every collective carries a
//! description, no member passes before all have arrived with the same one, and leaving the kernel counts too:
//! divergence is a panic on every member, never a hang and never a wrong type.
//!
//! The episode of one collective is kept under a lock, not in a tree of atomics: comparing is then exact and
//! needs no memory per member. Host teams are small; one member is the default, and takes neither lock nor wait.

use super::signal::{Patience, Signal};
use crate::primitive::{AtomicU64, Mutex, Ordering, lock};
use core::any::TypeId;
use core::fmt;
use core::panic::Location;
use crossbeam_utils::CachePadded;
use std::panic::resume_unwind;

/// The panic payload of a member after another member's panic; the pool prefers the latter.
pub(crate) struct Abandoned;

/// A member's description of the collective that it is about to join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Its name, for the message: `barrier`, `reduce`, ...
    kind: &'static str,
    /// The type of the values that members exchange: identity, and name for the message.
    value: (TypeId, &'static str),
    /// The length of its loop.
    length: u64,
    /// The first byte of the scratch that it writes, and the number of the part that it writes.
    scratch: Option<[u64; 2]>,
    /// The source location of the call.
    site: &'static Location<'static>,
}

impl Collective {
    /// A collective that exchanges values of type `T`, at the caller's location (through `track_caller`).
    #[track_caller]
    pub(crate) fn new<T: 'static>(kind: &'static str, length: u64) -> Self {
        let value = (TypeId::of::<T>(), core::any::type_name::<T>());
        Self { kind, value, length, scratch: None, site: Location::caller() }
    }

    /// The same, on this part of scratch.
    pub(crate) fn in_scratch(mut self, part: [u64; 2]) -> Self {
        self.scratch = Some(part);
        self
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, value: (_, value), length, scratch, site } = self;
        write!(f, "`{kind}` of {value} over {length}")?;
        if let Some([first, part]) = scratch {
            write!(f, " in part {part} of the scratch from byte {first}")?;
        }
        write!(f, " at {site}")
    }
}

/// The shared state of members that run together, for one launch; neither making nor using it allocates.
#[derive(Debug)]
pub(crate) struct Gang {
    size: usize,
    patience: Patience,
    /// Collectives completed, times two, plus [`BROKEN`].
    state: CachePadded<AtomicU64>,
    meeting: CachePadded<Mutex<Meeting>>,
    signal: CachePadded<Signal>,
}

/// Set in [`Gang::state`] when no further collective can complete.
const BROKEN: u64 = 1;

/// The collective that is being gathered for.
#[derive(Debug)]
struct Meeting {
    arrived: usize,
    /// The first to arrive and its call; meaningless before the first arrival.
    first: Option<(usize, Collective)>,
    broken: Option<Broken>,
}

/// The reason why no further collective can complete.
#[derive(Clone, Copy, Debug)]
enum Broken {
    Diverged { first: (usize, Collective), other: (usize, Collective) },
    Left { member: usize },
    Panicked,
}

impl Gang {
    /// A gang of `size` members, all of which must [`enter`](Self::enter).
    pub(crate) fn new(size: usize, patience: Patience) -> Self {
        let meeting = Meeting { arrived: 0, first: None, broken: None };
        Self {
            size,
            patience,
            state: CachePadded::new(AtomicU64::new(0)),
            meeting: CachePadded::new(Mutex::new(meeting)),
            signal: CachePadded::new(Signal::new()),
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The handle of this member. Each member must enter once, first thing in its body, so that a panic finds
    /// its handle alive.
    pub(crate) fn enter(&self, member: usize) -> GangMember<'_> {
        debug_assert!(member < self.size);
        GangMember { gang: self, member, completed: 0, was_panicking: std::thread::panicking() }
    }

    /// Records why the gang is broken, if nothing else has broken it, and wakes all who wait.
    fn break_up(&self, meeting: &mut Meeting, reason: Broken) {
        meeting.broken.get_or_insert(reason);
        self.state.fetch_or(BROKEN, Ordering::Release);
    }
}

/// One member's handle; dropping it is leaving the kernel.
#[derive(Debug)]
pub(crate) struct GangMember<'gang> {
    gang: &'gang Gang,
    member: usize,
    /// Collectives this member has completed.
    completed: u64,
    /// A launch from a destructor may run while its thread is already unwinding.
    was_panicking: bool,
}

impl GangMember<'_> {
    pub(crate) fn member(&self) -> usize {
        self.member
    }

    pub(crate) fn size(&self) -> usize {
        self.gang.size
    }

    /// Waits until every member has reached this call; their earlier writes are then visible.
    ///
    /// # Panics
    /// As [`collective`](Self::collective).
    #[track_caller]
    pub(crate) fn barrier(&mut self) {
        self.collective(Collective::new::<()>("barrier", 0));
    }

    /// Waits until every member has arrived with the same `call`; their earlier writes are then visible.
    ///
    /// # Panics
    /// On every member that waits or arrives later, if one arrives with a different call or has left the kernel: the
    /// message names both. When a member has panicked, the others unwind without a message.
    pub(crate) fn collective(&mut self, call: Collective) {
        let gang = self.gang;
        if gang.size > 1 && !self.meet(call) {
            self.fail(call);
        }
        self.completed += 1;
    }

    /// True when all have met; false when the gang is broken.
    fn meet(&self, call: Collective) -> bool {
        let gang = self.gang;
        let mut meeting = lock(&gang.meeting);
        if meeting.broken.is_some() {
            return false;
        }
        if meeting.arrived == 0 {
            meeting.first = Some((self.member, call));
        }
        if let Some(first) = meeting.first
            && first.1 != call
        {
            gang.break_up(&mut meeting, Broken::Diverged { first, other: (self.member, call) });
            drop(meeting);
            gang.signal.notify();
            return false;
        }
        meeting.arrived += 1;
        if meeting.arrived == gang.size {
            meeting.arrived = 0;
            // Release, for all: the lock made the others' writes visible to us.
            gang.state.store((self.completed + 1) << 1, Ordering::Release);
            drop(meeting);
            gang.signal.notify();
            return true;
        }
        drop(meeting);
        gang.signal.wait(gang.patience, || {
            let state = gang.state.load(Ordering::Acquire);
            // In this order: a member may leave right after the collective that we wait for is complete.
            if state >> 1 != self.completed { Some(true) } else { (state & BROKEN != 0).then_some(false) }
        })
    }

    /// Declares that this member takes part in no further collective.
    pub(super) fn leave(&self, panicked: bool) {
        let gang = self.gang;
        if gang.size > 1 {
            let reason = if panicked { Broken::Panicked } else { Broken::Left { member: self.member } };
            gang.break_up(&mut lock(&gang.meeting), reason);
            gang.signal.notify();
        }
    }

    #[cold]
    fn fail(&self, call: Collective) -> ! {
        let broken = lock(&self.gang.meeting).broken;
        let nth = self.completed + 1;
        match broken {
            Some(Broken::Diverged { first: (first, one), other: (other, another) }) => panic!(
                "team members must reach the same collectives, but as collective number {nth} member {first} \
                 reached {one} and member {other} {another}"
            ),
            Some(Broken::Left { member }) => panic!(
                "team members must reach the same collectives, but member {member} left the kernel while \
                 member {} reached collective number {nth}, {call}",
                self.member
            ),
            // Without the panic hook: the member at fault has reported the cause.
            Some(Broken::Panicked) | None => resume_unwind(Box::new(Abandoned)),
        }
    }
}

impl Drop for GangMember<'_> {
    fn drop(&mut self) {
        self.leave(std::thread::panicking() && !self.was_panicking);
    }
}
