//! Whom a team's code runs with: alone, in a gang of host threads, or on a device.
//!
//! The closure has one type, so `Team` is one type, and which it is is known where the launch makes it. On a device the
//! other modes are no more than dead code: [`host_only`](crate::device::host_only) tells the compiler so.

use core::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::Member;

use super::Meet;

/// Whom a thread of a team works with.
pub(crate) enum Mode<'k> {
    /// Nobody: the only thread of a host team.
    Alone,
    /// Other threads of the host.
    Gang(Gang<'k>),
    /// Other threads of a device, and other lanes.
    #[cfg(feature = "cuda")]
    Device(&'k mut Member),
}

/// The other threads of a host team.
pub(crate) struct Gang<'k> {
    pub(crate) meet: &'k mut (dyn Meet + 'k),
    pub(crate) exchange: &'k Exchange,
}

/// What one member of a gang gives the others, between two meetings.
#[derive(Default)]
pub(crate) struct Exchange {
    given: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Exchange {
    pub(crate) fn given(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        // A member that panicked leaves what it gave; the others are on their way out.
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
