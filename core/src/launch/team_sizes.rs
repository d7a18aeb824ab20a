//! The team sizes that a space supports and recommends.

use spelt_policies::{TeamPolicy, TeamSize};

use super::ExecutionSpace;

/// The largest and the recommended team size of a [`TeamPolicy`], as Kokkos's policies have them, for code that is generic over the
/// space.
///
/// Both are numbers of threads. A launch may have smaller teams where its arguments are written by nested witnesses: on hosts one
/// thread, on a device those that fit into a warp. `team.team_size()` tells within a kernel.
///
/// # Examples
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Result, Serial, TeamSizes, parallel_reduce, reducers::Sum};
/// fn rows<S: ExecutionSpace>(space: &S) -> Result<usize> {
///     let policy = space.team(10, AUTO);
///     let size = policy.team_size_recommended().min(policy.team_size_max() / 2).max(1);
///     parallel_reduce("rows", space.team(10, size), (), |team, ()| team.contribute(1), Sum::<usize>::new())
/// }
/// assert_eq!(rows(&Serial::new())?, 10);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait TeamSizes {
    /// The largest team size that a launch accepts with this policy's vector length; at least 1.
    ///
    /// On `Serial` and `Rayon` it is 1, on `Threads` the number of its threads, on a device the threads of a block over the vector
    /// length. A vector length that no launch accepts has no size: 0 on a device.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, TeamSizes};
    /// assert_eq!(Serial::new().team(100, AUTO).team_size_max(), 1);
    /// ```
    fn team_size_max(&self) -> usize;

    /// The team size of [`AUTO`](crate::AUTO) for this policy's league and vector length: 1 on hosts, a warp or more on a device,
    /// never more than [`team_size_max`](Self::team_size_max).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, TeamSizes};
    /// assert_eq!(Serial::new().team(100, AUTO).team_size_recommended(), 1);
    /// ```
    fn team_size_recommended(&self) -> usize;
}

impl<S: ExecutionSpace, V> TeamSizes for TeamPolicy<&S, V> {
    fn team_size_max(&self) -> usize {
        self.space().max_team_threads(self.vector_length())
    }

    fn team_size_recommended(&self) -> usize {
        self.space().recommended_team_threads(self.league_size(), self.vector_length())
    }
}

/// The team size that a policy asks for; `None` if the space chooses.
#[inline]
pub(crate) fn requested<S: ExecutionSpace, V>(policy: &TeamPolicy<&S, V>) -> Option<usize> {
    match policy.team_size() {
        TeamSize::Auto => None,
        TeamSize::Threads(threads) => Some(threads),
        TeamSize::AtMost(threads) => Some(threads.min(policy.team_size_max())),
    }
}
