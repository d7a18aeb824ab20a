//! One job at a time, done by the caller (participant 0) and the workers: publish, enter, leave, close, wait.
//!
//! Nothing here belongs to an operating system's thread, so loom can run it. `README.md` has the proof that
//! no worker touches a job's body after [`JobRunner::run`] has returned.

use spelt_policies::Schedule;

use super::claims::{Claims, Parts};
use super::gang::Abandoned;
use super::gate::{Gate, Passage};
use super::signal::{Patience, Signal};
use crate::primitive::{AtomicBool, Mutex, Ordering, UnsafeCell, lock};
use core::any::Any;
use core::cell::Cell;
use crossbeam_utils::CachePadded;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The function that a launch calls for each unit or each member.
type Body<'a> = dyn Fn(usize) + Sync + 'a;

/// The distribution of a job's numbers over the participants.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deal {
    /// Units, claimed by participants; the caller does not wait for participants that have not come.
    Units(Parts),
    /// One number for each participant below the wanted number, all running at the same time.
    Gang,
}

/// One job, as the workers read it.
#[derive(Clone, Copy, Debug)]
struct Job {
    /// The caller's closure, without its lifetime. Valid from opening until the gate is closed and empty.
    body: *const Body<'static>,
    deal: Deal,
    wanted: usize,
}

/// The cell through which the caller hands the job to the workers.
#[derive(Debug)]
struct JobCell(UnsafeCell<Job>);

// SAFETY: the cell holds plain words and a pointer to a `Sync` closure, so any thread may have them.
unsafe impl Send for JobCell {}
// SAFETY: the cell is written only by the caller that holds the pool while the gate is closed and empty, and
// read only by workers that have entered; the gate orders the two (release at `open`, acquire at `try_enter`;
// release at `leave`, acquire at `is_empty`). The closure behind the pointer is `Sync`.
unsafe impl Sync for JobCell {}

/// A panic caught in a job.
struct Caught {
    /// Panics that follow from another member's come last; then the lowest number comes first.
    rank: (bool, usize),
    payload: Box<dyn Any + Send>,
}

/// The gate and what a worker reads next, in one cache line: it comes with the look that finds the gate open.
struct Door {
    gate: Gate,
    job: JobCell,
}

/// The state shared by the caller and the workers.
pub(super) struct JobRunner {
    door: CachePadded<Door>,
    claims: Claims,
    /// The signal on which each participant sleeps. The caller's is number 0.
    bells: Box<[CachePadded<Signal>]>,
    patience: Patience,
    /// Whether `caught` holds a panic. A job that ends only reads this: taking the lock would write to a line that workers read.
    has_caught: AtomicBool,
    caught: Mutex<Option<Caught>>,
}

impl JobRunner {
    /// The shared state of `participants` threads, including the caller.
    pub(super) fn new(participants: usize, patience: Patience) -> Self {
        let body: *const Body<'static> = &|_: usize| ();
        let job = Job { body, deal: Deal::Gang, wanted: 0 };
        Self {
            door: CachePadded::new(Door { gate: Gate::new(), job: JobCell(UnsafeCell::new(job)) }),
            claims: Claims::new(participants),
            bells: (0..participants)
                .map(|number| CachePadded::new(if number == 0 { Signal::new() } else { Signal::of_worker() }))
                .collect(),
            patience,
            has_caught: AtomicBool::new(false),
            caught: Mutex::new(None),
        }
    }

    pub(super) fn participants(&self) -> usize {
        self.bells.len()
    }

    pub(super) fn patience(&self) -> Patience {
        self.patience
    }

    /// Whether the first worker is awake; `None` if there is no worker, or workers do not look for work before they sleep. The caller wakes
    /// it first, and it wakes others.
    pub(super) fn is_awake(&self) -> Option<bool> {
        let bell = self.bells.get(1).filter(|_| self.patience == Patience::Spin)?;
        Some(!bell.has_sleepers())
    }

    /// Calls `body` for every unit, on the caller and on all workers that arrive.
    ///
    /// # Safety
    /// No other call of `run_units` or `run_gang` on this runner may be under way.
    pub(super) unsafe fn run_units(&self, units: usize, schedule: Schedule, body: &Body<'_>) {
        let wanted = units.min(self.participants());
        let parts = Parts::new(units, wanted, schedule);
        self.claims.reset(parts);
        // SAFETY: no other call of `run_units` or `run_gang` is under way, as the contract asks, and no other function
        // gives this runner a job.
        unsafe { self.run(Deal::Units(parts), wanted, body) }
    }

    /// Calls `body` for every member, each on its own thread, all at the same time.
    ///
    /// # Safety
    /// No other call of `run_units` or `run_gang` on this runner may be under way, and there must be a worker for
    /// each member but the first.
    pub(super) unsafe fn run_gang(&self, members: usize, body: &Body<'_>) {
        // SAFETY: no other call of `run_units` or `run_gang` is under way, as the contract asks, and no other function
        // gives this runner a job.
        unsafe { self.run(Deal::Gang, members, body) }
    }

    /// # Safety
    /// No other job may be under way.
    unsafe fn run(&self, deal: Deal, wanted: usize, body: &Body<'_>) {
        // SAFETY: only the lifetime changes. `over`, below, closes the gate and waits until it is empty before
        // this function returns or unwinds, and workers use the pointer only between entering and leaving.
        let body = unsafe {
            core::mem::transmute::<*const Body<'_>, *const Body<'static>>(core::ptr::from_ref(body))
        };
        let job = Job { body, deal, wanted };
        self.door.job.0.with_mut(|cell| {
            // SAFETY: no other job is under way, as the contract asks, and the gate is closed and empty since the last
            // one ended, so no worker reads the cell.
            unsafe { cell.write(job) }
        });
        self.door.gate.open(wanted);
        let over = OpenJob { runner: self, job };
        self.wake_children(0, wanted);
        self.take_part(0, job);
        drop(over);
        // Relaxed: workers note panics before they leave the gate, and it is empty.
        if self.has_caught.load(Ordering::Relaxed) {
            self.has_caught.store(false, Ordering::Relaxed);
            let caught = lock(&self.caught).take();
            resume_unwind(caught.expect("a panic was noted").payload);
        }
    }

    /// The main loop of a worker: takes part in the jobs that include it, until [`shut_down`](Self::shut_down).
    pub(super) fn work(&self, participant: usize) {
        let mut left = 0;
        while let Passage::Entered(epoch) =
            self.bells[participant].wait(self.patience, || self.door.gate.try_enter(participant, left))
        {
            // SAFETY: we have entered, so the cell was written before the gate opened, and is not written
            // again until we have left.
            let job = self.door.job.0.with(|cell| unsafe { cell.read() });
            self.wake_children(participant, job.wanted);
            self.take_part(participant, job);
            left = epoch;
            if self.door.gate.leave() {
                self.bells[0].notify();
            }
        }
    }

    /// Ends every worker's [`work`](Self::work), when it has left its job.
    pub(super) fn shut_down(&self) {
        self.door.gate.shut_down();
        for bell in &self.bells[1..] {
            bell.notify();
        }
    }

    /// Wakes the next participants in a binary tree, so that no thread has to wake all.
    fn wake_children(&self, participant: usize, wanted: usize) {
        let first = 2 * participant + 1;
        for child in first..wanted.min(first + 2) {
            self.bells[child].notify();
        }
    }

    /// One participant's part of the job. Does not unwind: a worker must leave, and the caller must wait.
    fn take_part(&self, participant: usize, job: Job) {
        // SAFETY: this participant is in the job (a worker between entering and leaving, or the caller, which
        // has the closure borrowed), so `run` has not returned and the closure is alive.
        let body = unsafe { &*job.body };
        match job.deal {
            Deal::Gang => {
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| body(participant))) {
                    self.note(participant, payload);
                }
            }
            Deal::Units(parts) => {
                let current = Cell::new(0);
                let drain = || {
                    self.claims.drain(parts, participant, pause, |unit| {
                        current.set(unit);
                        body(unit);
                    });
                };
                // After a panic the units below it still have to run: see `Claims::stop_above`.
                while let Err(payload) = catch_unwind(AssertUnwindSafe(drain)) {
                    self.claims.stop_above(current.get());
                    self.note(current.get(), payload);
                }
            }
        }
    }

    /// Keeps the panic if it is the one to resume.
    fn note(&self, number: usize, payload: Box<dyn Any + Send>) {
        let caught = Caught { rank: (payload.is::<Abandoned>(), number), payload };
        let mut first = lock(&self.caught);
        let other = match &*first {
            Some(kept) if kept.rank < caught.rank => Some(caught),
            _ => first.replace(caught),
        };
        drop(first);
        self.has_caught.store(true, Ordering::Relaxed);
        // A payload's destructor may panic, here where nothing may unwind; that payload is then leaked.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(other))) {
            core::mem::forget(again);
        }
    }
}

/// Time between two looks at the units of another thread.
fn pause() {
    for _ in 0..8 {
        core::hint::spin_loop();
    }
}

/// An open job; dropping it closes the gate and waits until no worker is in it.
struct OpenJob<'runner> {
    runner: &'runner JobRunner,
    job: Job,
}

impl Drop for OpenJob<'_> {
    fn drop(&mut self) {
        let JobRunner { door, bells, patience, .. } = self.runner;
        let gate = &door.gate;
        if matches!(self.job.deal, Deal::Gang) {
            // Every member must have come before the gate closes.
            bells[0].wait(*patience, || gate.has_seen(self.job.wanted - 1).then_some(()));
        }
        gate.close();
        bells[0].wait(*patience, || gate.is_empty().then_some(()));
    }
}
