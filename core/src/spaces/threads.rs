//! The space with its own pool of threads.

use core::fmt;
use std::sync::Arc;

use spelt_policies::Schedule;

use super::partition;
use crate::arena::try_with_scratch;
use crate::host::{HostThreads, Readiness};
use crate::launch::{ExecutionSpace, SpaceFacts};
use crate::reach::{Reach, sealed::Sealed};
use crate::team::Meet;
use crate::threads::Pool;
use crate::threads::gang::Gang;
use crate::view::HostSpace;
use crate::{Result, ThreadsBuilder};

/// Runs kernels on a persistent pool of threads, which includes the caller.
///
/// Clones share the pool. Concurrent launches from several host threads are safe; a launch inside a kernel runs on
/// its caller.
///
/// In the child of a `fork`, which has none of the pool's threads, launches run on their caller, and the space may be dropped. A
/// fork inside a kernel that several threads run panics in the child.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Threads, parallel_reduce, reducers::Sum};
/// let space = Threads::builder().num_threads(2).build()?;
/// let sum = parallel_reduce("sum", space.range(0..5), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new())?;
/// assert_eq!(sum, 10);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Threads {
    pool: Arc<Pool>,
}

impl Threads {
    /// A pool with the number of threads in `SPELT_NUM_THREADS`, or with one for each allowed core.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if `SPELT_NUM_THREADS` is not a number above 0,
    /// or threads cannot be started.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Threads};
    /// assert!(Threads::new()?.concurrency() >= 1);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn new() -> Result<Self> {
        Self::builder().build()
    }

    /// Chooses the number of threads, and whether they are pinned.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Threads};
    /// assert_eq!(Threads::builder().num_threads(2).build()?.concurrency(), 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn builder() -> ThreadsBuilder {
        ThreadsBuilder::new()
    }
}

impl ThreadsBuilder {
    /// The space with these settings.
    ///
    /// # Errors
    /// As [`Threads::new`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Threads};
    /// assert_eq!(Threads::builder().num_threads(3).build()?.concurrency(), 3);
    /// assert!(Threads::builder().num_threads(0).build().is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn build(self) -> Result<Threads> {
        Ok(Threads { pool: Arc::new(self.build_pool()?) })
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Threads {{ threads: {} }}", self.pool.threads())
    }
}

impl SpaceFacts for Threads {
    fn space_name(&self) -> &'static str {
        "Threads"
    }
    #[inline]
    fn threads(&self) -> usize {
        self.pool.threads()
    }
    fn max_team_threads(&self, _vector: usize) -> usize {
        self.pool.threads()
    }
}

// SAFETY: the pool's protocol assigns each unit once (threads/README.md), dynamic ones from one counter.
unsafe impl HostThreads for Threads {
    fn run_units(&self, units: usize, schedule: Schedule, body: &(dyn Fn(usize) + Sync)) {
        self.pool.run_units(units, schedule, body);
    }
    fn in_order(&self) -> bool {
        true
    }
    fn readiness(&self) -> Readiness {
        match self.pool.is_awake() {
            Some(true) => Readiness::Awake,
            Some(false) => Readiness::Asleep,
            None => Readiness::Unknown,
        }
    }
    fn run_teams(
        &self,
        size: usize,
        teams: usize,
        body: &(dyn Fn(usize, usize, &mut dyn Meet) + Sync),
    ) -> bool {
        let run = |gangs: &mut [Gang]| {
            self.pool.run_teams(gangs, &|number, mut member| body(number, member.member(), &mut member))
        };
        try_with_scratch(teams, |_| self.pool.gang(size), run).unwrap_or(false)
    }
}

// SAFETY: its memory is the host's, which its threads reach.
unsafe impl ExecutionSpace for Threads {
    type Memory = HostSpace;
    type Shared = HostSpace;
    type Pinned = HostSpace;

    super::host_views::constructors!();

    fn partition_by(&self, weights: &[usize]) -> Result<Vec<Self>> {
        let mut parts = Vec::with_capacity(weights.len());
        let mut first = 0;
        for threads in partition::shares(self.pool.threads(), weights)? {
            parts.push(Self { pool: Arc::new(self.pool.part(first, threads)?) });
            first += threads;
        }
        Ok(parts)
    }

    fn configuration(&self) -> String {
        format!("Threads: {}", self.pool.configuration())
    }
}

impl Sealed for Threads {}

// SAFETY: threads of the host read and write host memory.
unsafe impl Reach<HostSpace> for Threads {}
