//! The rayon pool that the program already has.

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use spelt_policies::Schedule;

use super::partition;
use crate::host::HostThreads;
use crate::launch::{ExecutionSpace, SpaceFacts};
use crate::reach::{Reach, sealed::Sealed};
use crate::threads::kernel_scope::in_kernel;
use crate::threads::process::Process;
use crate::view::HostSpace;
use crate::{Result, tools};

/// Runs kernels on the current rayon pool: the global one, or the pool in which a launch is called.
///
/// In a fork of the process that launched first, the pool has no threads, and launches run on their caller.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Rayon, parallel_reduce, reducers::Sum};
/// let space = Rayon::new();
/// let sum = parallel_reduce("sum", space.range(0..100_000), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new())?;
/// assert_eq!(sum, 4_999_950_000);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Rayon;

impl Rayon {
    /// The space.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Rayon};
    /// assert_eq!(Rayon::new().concurrency(), rayon::current_num_threads());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

/// Whether a launch must run on its caller: inside a kernel, and in a fork, which has none of the pool's threads. A thread of a
/// pool made since the fork is in that pool, and can proceed without the others.
fn alone() -> bool {
    static FIRST: OnceLock<Process> = OnceLock::new();
    in_kernel() || FIRST.get_or_init(Process::this).was_forked() && rayon::current_thread_index().is_none()
}

/// The panic of the lowest unit that panicked.
struct Failure {
    lowest: AtomicUsize,
    payload: Mutex<Option<(usize, Box<dyn Any + Send>)>>,
}

impl Failure {
    fn new() -> Self {
        Self { lowest: AtomicUsize::new(usize::MAX), payload: Mutex::new(None) }
    }

    /// Runs a unit, unless a lower one has panicked.
    fn guard(&self, unit: usize, body: &(dyn Fn(usize) + Sync)) {
        if unit > self.lowest.load(Ordering::Relaxed) {
            return;
        }
        // The unit's effects are not used again: the panic resumes when all units have stopped.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| body(unit))) {
            self.lowest.fetch_min(unit, Ordering::Relaxed);
            let mut kept = self.payload.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.as_ref().is_none_or(|(lowest, _)| unit < *lowest) {
                *kept = Some((unit, payload));
            }
        }
    }

    /// Resumes the recorded panic.
    fn resume(self) {
        if let Some((_, payload)) = self.payload.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(payload);
        }
    }
}

impl fmt::Debug for Rayon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rayon {{ threads: {} }}", self.threads())
    }
}

impl SpaceFacts for Rayon {
    fn space_name(&self) -> &'static str {
        "Rayon"
    }
    fn threads(&self) -> usize {
        if alone() { 1 } else { rayon::current_num_threads() }
    }
}

// SAFETY: a parallel iterator calls its body once for each item, and returns after all calls have.
unsafe impl HostThreads for Rayon {
    fn run_units(&self, units: usize, _schedule: Schedule, body: &(dyn Fn(usize) + Sync)) {
        if alone() {
            return (0..units).for_each(body);
        }
        let run = |body: &(dyn Fn(usize) + Sync)| {
            let failure = Failure::new();
            (0..units).into_par_iter().for_each(|unit| failure.guard(unit, body));
            failure.resume();
        };
        if tools::are_shares_wanted() {
            let thread = || rayon::current_thread_index().unwrap_or(0);
            tools::with_shares(rayon::current_num_threads(), thread, body, run);
        } else {
            run(body);
        }
    }
    fn in_order(&self) -> bool {
        false
    }
    /// Its launches take some 12 us.
    fn min_copy_bytes(&self) -> usize {
        8 << 20
    }
}

// SAFETY: its memory is the host's, which its threads reach.
unsafe impl ExecutionSpace for Rayon {
    type Memory = HostSpace;
    type Shared = HostSpace;
    type Pinned = HostSpace;

    super::host_views::constructors!();

    fn partition_by(&self, weights: &[usize]) -> Result<Vec<Self>> {
        partition::check(weights)?;
        Ok(vec![*self; weights.len()])
    }

    fn configuration(&self) -> String {
        format!("Rayon: the current pool of {} threads", rayon::current_num_threads())
    }
}

impl Sealed for Rayon {}

// SAFETY: threads of the host read and write host memory.
unsafe impl Reach<HostSpace> for Rayon {}
