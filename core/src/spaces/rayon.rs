//! The rayon pool that the program already has.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use spelt_policies::Schedule;

use super::{Backend, ExecutionSpace};
use crate::memory::HostSpace;

/// Runs kernels on the current rayon pool: the global one, or that of the pool a launch is called in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rayon;

impl Rayon {
    /// The space.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

// SAFETY: a parallel iterator calls its body once for each item.
unsafe impl Backend for Rayon {
    fn name(&self) -> &'static str {
        "Rayon"
    }
    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }
    fn run_units(&self, units: usize, _schedule: Schedule, body: &(dyn Fn(usize) + Sync)) {
        (0..units).into_par_iter().for_each(body);
    }
    fn in_order(&self) -> bool {
        false
    }
}

// SAFETY: see `Backend`.
unsafe impl ExecutionSpace for Rayon {
    type Memory = HostSpace;

    super::host_views::constructors!();

    fn configuration(&self) -> String {
        format!("Rayon: the current pool of {} threads", rayon::current_num_threads())
    }
}
