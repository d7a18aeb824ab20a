//! A space of the host that is chosen at run time.

use core::fmt;

use spelt_policies::Schedule;

#[cfg(feature = "rayon")]
use super::Rayon;
use super::Serial;
#[cfg(feature = "threads")]
use super::Threads;
use crate::Result;
use crate::host::{HostThreads, Readiness};
use crate::launch::{ExecutionSpace, SpaceFacts};
use crate::reach::{Reach, sealed::Sealed};
use crate::team::Meet;
use crate::view::HostSpace;

/// One of the host's spaces, chosen at run time: `AnyHost::from(Serial::new())`, likewise from `Threads` or `Rayon`.
///
/// Kernels are compiled once for all of them; code that is generic over the space is compiled again for each type that it is called
/// with. A launch does the same as on the space itself, and costs one more branch.
///
/// # Examples
/// ```
/// use spelt_core::{AnyHost, ExecutionSpace, Rayon, Result, Serial, parallel_reduce, reducers::Sum};
/// fn sum(space: &AnyHost) -> Result<usize> {
///     parallel_reduce("sum", space.range(0..5), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new())
/// }
/// for space in [Serial::new().into(), Rayon::new().into()] {
///     assert_eq!(sum(&space)?, 10);
/// }
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum AnyHost {
    /// The calling thread.
    Serial(Serial),
    /// The space's own pool.
    #[cfg(feature = "threads")]
    Threads(Threads),
    /// The program's rayon pool.
    #[cfg(feature = "rayon")]
    Rayon(Rayon),
}

macro_rules! from {
    ($($(#[$when:meta])? $space:ident)*) => {$(
        $(#[$when])?
        impl From<$space> for AnyHost {
            fn from(space: $space) -> Self {
                Self::$space(space)
            }
        }
    )*};
}
from! {
    Serial
    #[cfg(feature = "threads")] Threads
    #[cfg(feature = "rayon")] Rayon
}

/// The same call on the chosen space.
macro_rules! on_it {
    ($any:expr, |$space:ident| $call:expr) => {
        match $any {
            Self::Serial($space) => $call,
            #[cfg(feature = "threads")]
            Self::Threads($space) => $call,
            #[cfg(feature = "rayon")]
            Self::Rayon($space) => $call,
        }
    };
}

impl fmt::Debug for AnyHost {
    /// As the space that was chosen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        on_it!(self, |space| space.fmt(f))
    }
}

impl SpaceFacts for AnyHost {
    fn space_name(&self) -> &'static str {
        on_it!(self, |space| space.space_name())
    }
    #[inline]
    fn threads(&self) -> usize {
        on_it!(self, |space| space.threads())
    }
    fn max_team_threads(&self, vector: usize) -> usize {
        on_it!(self, |space| space.max_team_threads(vector))
    }
    fn recommended_team_threads(&self, league: usize, vector: usize, scratch: bool) -> usize {
        on_it!(self, |space| space.recommended_team_threads(league, vector, scratch))
    }
}

// SAFETY: each call is forwarded to the chosen space, which keeps the contract.
unsafe impl HostThreads for AnyHost {
    fn run_units(&self, units: usize, schedule: Schedule, body: &(dyn Fn(usize) + Sync)) {
        on_it!(self, |space| space.run_units(units, schedule, body));
    }
    fn run_teams(
        &self,
        size: usize,
        teams: usize,
        body: &(dyn Fn(usize, usize, &mut dyn Meet) + Sync),
    ) -> bool {
        on_it!(self, |space| space.run_teams(size, teams, body))
    }
    fn in_order(&self) -> bool {
        on_it!(self, |space| space.in_order())
    }
    fn min_copy_bytes(&self) -> usize {
        on_it!(self, |space| space.min_copy_bytes())
    }
    fn readiness(&self) -> Readiness {
        on_it!(self, |space| space.readiness())
    }
}

// SAFETY: its memory is the host's, which its threads reach.
unsafe impl ExecutionSpace for AnyHost {
    type Memory = HostSpace;
    type Shared = HostSpace;
    type Pinned = HostSpace;

    super::host_views::constructors!();

    fn partition_by(&self, weights: &[usize]) -> Result<Vec<Self>> {
        on_it!(self, |space| Ok(space.partition_by(weights)?.into_iter().map(Self::from).collect()))
    }

    fn configuration(&self) -> String {
        on_it!(self, |space| space.configuration())
    }
}

impl Sealed for AnyHost {}

// SAFETY: threads of the host read and write host memory.
unsafe impl Reach<HostSpace> for AnyHost {}
