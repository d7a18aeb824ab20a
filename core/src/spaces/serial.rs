//! One thread: the caller's.

use spelt_policies::Schedule;

use super::partition;
use crate::Result;
use crate::host::HostThreads;
use crate::launch::{ExecutionSpace, SpaceFacts};
use crate::reach::{Reach, sealed::Sealed};
use crate::view::HostSpace;

/// Runs kernels on the calling thread.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, parallel_reduce, reducers::Sum};
/// let space = Serial::new();
/// let sum = parallel_reduce("sum", space.range(0..5), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new())?;
/// assert_eq!(sum, 10);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Serial {
    /// The space.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().concurrency(), 1);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl SpaceFacts for Serial {
    fn space_name(&self) -> &'static str {
        "Serial"
    }
    #[inline(always)]
    fn threads(&self) -> usize {
        1
    }
}

// SAFETY: units run on the calling thread, one after the other.
unsafe impl HostThreads for Serial {
    #[inline(always)]
    fn is_caller(&self) -> bool {
        true
    }
    fn run_units(&self, units: usize, _schedule: Schedule, body: &(dyn Fn(usize) + Sync)) {
        (0..units).for_each(body);
    }
    fn in_order(&self) -> bool {
        true
    }
}

// SAFETY: its memory is the host's, which its threads reach.
unsafe impl ExecutionSpace for Serial {
    type Memory = HostSpace;
    type Shared = HostSpace;
    type Pinned = HostSpace;

    super::host_views::constructors!();

    fn partition_by(&self, weights: &[usize]) -> Result<Vec<Self>> {
        partition::check(weights)?;
        Ok(vec![*self; weights.len()])
    }

    fn configuration(&self) -> String {
        "Serial: one thread, the caller's".to_owned()
    }
}

impl Sealed for Serial {}

// SAFETY: threads of the host read and write host memory.
unsafe impl Reach<HostSpace> for Serial {}
