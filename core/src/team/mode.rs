//! The way in which a team runs: alone, in a gang of host threads, or on a device.
//!
//! The closure has one type, so `Team` is one type; the launch that makes it knows the mode. On a device the other modes are dead
//! code, which [`host_only`](crate::device::host_only) tells the compiler.

use core::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::Member;

use super::Meet;

/// The partners of a thread of a team.
pub(crate) enum Mode<'k> {
    /// None: the only thread of a host team.
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

/// The values that one member of a gang gives the others, between two meetings.
#[derive(Default)]
pub(crate) struct Exchange {
    given: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Exchange {
    pub(crate) fn given(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        // A member that panicked leaves its values here; the others are about to leave the kernel.
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
