//! The operating system's threads, and the turns of several callers.

use spelt_policies::Schedule;

use super::configuration::{Configuration, Pinning};
use super::gang::{Gang, GangMember};
use super::job_runner::JobRunner;
use super::kernel_scope::{KernelScope, in_kernel};
use super::process::Process;
use super::signal::Patience;
use crate::primitive::{AtomicUsize, Mutex, Ordering, lock};
use crate::{Error, ErrorKind, Result, tools};
use core::cell::Cell;
use core::fmt;
use std::sync::{Arc, TryLockError, mpsc};
use std::thread::{Builder, JoinHandle};

thread_local! {
    /// The number of this thread in its pool. Those that launch are participant 0: a worker's own launches run inline.
    static PARTICIPANT: Cell<usize> = const { Cell::new(0) };
}

/// A persistent fork-join pool. The thread that launches is participant 0; the others are its workers.
pub(crate) struct Pool {
    runner: Arc<JobRunner>,
    workers: Vec<JoinHandle<()>>,
    /// Held by the one caller whose job is under way.
    turn: Mutex<()>,
    /// Callers that wait for their turn with a gang; `run_units` then stays away; otherwise they might wait forever.
    gangs_waiting: AtomicUsize,
    configuration: Configuration,
    /// The process that the workers are in.
    process: Process,
}

impl Pool {
    /// Starts the workers, and fills in which pins succeeded.
    pub(super) fn new(configuration: Configuration) -> Result<Self> {
        let threads = configuration.threads;
        let mut pool = Self {
            runner: Arc::new(JobRunner::new(threads, configuration.patience)),
            workers: Vec::with_capacity(threads - 1),
            turn: Mutex::new(()),
            gangs_waiting: AtomicUsize::new(0),
            configuration,
            process: Process::this(),
        };
        let mut no_pins = Vec::new();
        let pins = match &mut pool.configuration.pinning {
            Pinning::Workers(pins) => pins,
            Pinning::Off | Pinning::TooFewCores => &mut no_pins,
        };
        let (report, reports) = mpsc::channel();
        for participant in 1..threads {
            let runner = Arc::clone(&pool.runner);
            let core = pins.get(participant - 1).map(|pin| core_affinity::CoreId { id: pin.core });
            let report = report.clone();
            let worker = Builder::new().name(format!("spelt-{participant}")).spawn(move || {
                let held = core.is_some_and(core_affinity::set_for_current);
                // The receiver is gone if another worker could not be started; the message is not needed then.
                let _ = report.send((participant, held));
                drop(report);
                PARTICIPANT.set(participant);
                let _scope = KernelScope::enter();
                runner.work(participant);
            });
            // On an error, dropping `pool` ends the workers that did start.
            pool.workers.push(worker.map_err(|error| {
                let message = format!("could not start thread {participant} of {threads}: use fewer threads");
                Error::new(ErrorKind::Configuration, message).with_source(error)
            })?);
        }
        drop(report);
        for (participant, held) in reports {
            if let Some(pin) = pins.get_mut(participant - 1) {
                pin.held = held;
            }
        }
        Ok(pool)
    }

    /// A pool of its own with the cores and the patience of `threads` participants of this one, from participant `first` on.
    ///
    /// As in this pool, the first of them is the thread that launches, which is not pinned.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] if threads cannot be started.
    pub(crate) fn part(&self, first: usize, threads: usize) -> Result<Self> {
        let mut configuration =
            Configuration { threads, decided_by: "a partition", ..self.configuration.clone() };
        if let Pinning::Workers(pins) = &mut configuration.pinning {
            // Participant p has the pin p - 1.
            *pins = pins[first..first + threads - 1].to_vec();
        }
        Self::new(configuration)
    }

    /// Participants, the caller included.
    pub(crate) fn threads(&self) -> usize {
        self.runner.participants()
    }

    /// Whether the workers look for work at the moment, to judge by the first; `None` if none ever does so without sleeping.
    pub(crate) fn is_awake(&self) -> Option<bool> {
        self.runner.is_awake()
    }

    /// Whether waiting threads of this pool spin.
    pub(crate) fn patience(&self) -> Patience {
        self.runner.patience()
    }

    /// The pool's configuration; its `Display` is for `print_configuration`.
    pub(crate) fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Calls `body(unit)` exactly once for each unit in `0..units`, on the caller and on all workers that
    /// arrive; returns when all have finished.
    ///
    /// Inside a kernel, while another host thread uses the pool, and in a fork of the process that made the pool, the units
    /// run here, in order.
    ///
    /// # Panics
    /// Resumes the panic of the lowest unit that panics, when every participant has left; no unit above it is
    /// begun once it is known.
    ///
    /// # Complexity
    /// No allocation; a claim is one atomic addition, uncontended under [`Schedule::Static`].
    pub(crate) fn run_units(&self, units: usize, schedule: Schedule, body: &(dyn Fn(usize) + Sync)) {
        let nested = in_kernel();
        let _scope = KernelScope::enter();
        if units > 1
            && self.threads() > 1
            && !nested
            && !self.process.was_forked()
            && self.gangs_waiting.load(Ordering::Relaxed) == 0
            && let Some(_turn) = self.try_turn()
        {
            // SAFETY: we hold the turn, and every job is run by its holder.
            self.shared(body, |body| unsafe { self.runner.run_units(units, schedule, body) });
        } else {
            (0..units).for_each(body);
        }
    }

    /// Calls `body(member)` for each member in `0..members`, all at the same time, each on its own thread, so
    /// that they may wait for one another. Member 0 is the caller; a member's number is its thread's.
    ///
    /// Returns false, having called nothing, inside a kernel, for more members than [`threads`](Self::threads), and for more
    /// than one in a fork of the process that made the pool. Waits for its turn while another host thread uses the pool.
    ///
    /// # Panics
    /// Resumes the lowest member's panic when all have left; panics that only follow from another member's
    /// (see [`Gang`]) come last.
    pub(crate) fn run_gang(&self, members: usize, body: &(dyn Fn(usize) + Sync)) -> bool {
        if in_kernel() || members > self.threads() {
            return false;
        }
        let _scope = KernelScope::enter();
        if members <= 1 {
            (0..members).for_each(body);
            return true;
        }
        if self.process.was_forked() {
            return false;
        }
        self.gangs_waiting.fetch_add(1, Ordering::Relaxed);
        let _turn = lock(&self.turn);
        self.gangs_waiting.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: we hold the turn, and every job is run by its holder; `members <= threads`.
        self.shared(body, |body| unsafe { self.runner.run_gang(members, body) });
        true
    }

    /// Lets `run` run a job, and notes what each participant does of it if a tool listens to that.
    #[inline(always)]
    fn shared(&self, body: &(dyn Fn(usize) + Sync), run: impl FnOnce(&(dyn Fn(usize) + Sync))) {
        if tools::are_shares_wanted() {
            tools::with_shares(self.threads(), || PARTICIPANT.get(), body, run);
        } else {
            run(body);
        }
    }

    /// The shared state of a team of `size` threads of this pool.
    pub(crate) fn gang(&self, size: usize) -> Gang {
        Gang::new(size, self.patience())
    }

    /// Calls `body(gang number, member)` for every member of every gang, all at the same time, each on its own
    /// thread; the first gang takes the first threads, and so on.
    ///
    /// Returns false, having called nothing, where [`run_gang`](Self::run_gang) does.
    ///
    /// # Panics
    /// As [`run_gang`](Self::run_gang). A member that panics breaks up its own gang only.
    pub(crate) fn run_teams(&self, gangs: &[Gang], body: &(dyn Fn(usize, GangMember<'_>) + Sync)) -> bool {
        let members = gangs.iter().map(Gang::size).sum();
        self.run_gang(members, &|mut member| {
            for (number, gang) in gangs.iter().enumerate() {
                if member < gang.size() {
                    return body(number, gang.enter(member));
                }
                member -= gang.size();
            }
        })
    }

    /// Reports whether threads of the pool still exist after its drop.
    #[cfg(test)]
    pub(super) fn downgrade_runner(&self) -> std::sync::Weak<JobRunner> {
        Arc::downgrade(&self.runner)
    }

    fn try_turn(&self) -> Option<crate::primitive::MutexGuard<'_, ()>> {
        match self.turn.try_lock() {
            Ok(turn) => Some(turn),
            // A kernel panicked; its launch was cleaned up before it unwound.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("configuration", &self.configuration).finish_non_exhaustive()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.process.was_forked() {
            // The workers are not in this process. Their handles name threads that do not exist, so they are not touched, and
            // the memory that the workers share is leaked.
            core::mem::forget(core::mem::take(&mut self.workers));
            return;
        }
        self.runner.shut_down();
        for worker in self.workers.drain(..) {
            // A worker catches its bodies' panics, so `join` reports none.
            let _ = worker.join();
        }
    }
}
