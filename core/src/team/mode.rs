//! The way in which a team runs: alone, in a gang of host threads, or on a device.
//!
//! The closure has one type, so `Team` is one type; the launch that makes it knows the mode. On a device the other modes are dead
//! code, which [`host_only`](crate::device::host_only) tells the compiler.

#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::Member;

use super::{Exchange, Meet};
use crate::isa::CompiledFor;

/// The partners of a thread of a team.
pub(crate) enum Mode<'k> {
    /// None: the only thread of a host team, in code that is compiled for this level.
    Alone(CompiledFor),
    /// Other threads of the host.
    Gang(Gang<'k>),
    /// Other threads of a device, and other lanes.
    #[cfg(feature = "cuda")]
    Device(&'k mut Member),
}

impl Mode<'_> {
    /// The level that the code of the thread is compiled for.
    #[inline(always)]
    pub(crate) fn level(&self) -> CompiledFor {
        match self {
            Self::Alone(level) => *level,
            _ => CompiledFor::UNKNOWN,
        }
    }
}

/// The other threads of a host team.
pub(crate) struct Gang<'k> {
    pub(crate) meet: &'k mut (dyn Meet + 'k),
    /// One for each member, in which no other lends.
    pub(crate) exchanges: &'k [Exchange],
}
