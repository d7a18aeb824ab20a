//! The team sizes that a space supports and recommends.

use spelt_policies::{TeamPolicy, TeamSize};

use super::ExecutionSpace;

/// The largest and the recommended team size of a [`TeamPolicy`], as Kokkos's policies have them, for code that is generic over the
/// space.
///
/// Both are numbers of threads. If nested loops write an argument, the launch has smaller teams: of one thread on hosts, and of at most a
/// warp on a device. Within a kernel, `team.team_size()` is the number of threads that the team has.
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
    /// The largest team size that a launch accepts with this policy's vector length.
    ///
    /// It is 1 on `Serial` and `Rayon`, the number of threads on `Threads`, and on a device the maximum number of threads of a block
    /// divided by the vector length, so 0 if the vector length is larger than that.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, TeamSizes};
    /// assert_eq!(Serial::new().team(100, AUTO).team_size_max(), 1);
    /// ```
    fn team_size_max(&self) -> usize;

    /// The team size of [`AUTO`](crate::AUTO) for this policy's league, vector length and scratch: 1 on hosts; on a device a warp, more
    /// for a small league and a part of a warp for a large one; never more than [`team_size_max`](Self::team_size_max).
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
        self.space()
            .recommended_team_threads(self.league_size(), self.vector_length(), has_scratch(self))
            .min(self.team_size_max())
    }
}

/// Whether a policy asks for scratch.
#[inline]
pub(crate) fn has_scratch<S, V>(policy: &TeamPolicy<S, V>) -> bool {
    policy.scratch_per_team() > 0 || policy.scratch_per_thread() > 0
}

/// The team size that a policy asks for; `None` if the space chooses.
#[inline]
pub(crate) fn requested<S: ExecutionSpace, V>(policy: &TeamPolicy<&S, V>) -> Option<usize> {
    match policy.team_size() {
        TeamSize::Auto => None,
        TeamSize::Threads(threads) => Some(threads),
        TeamSize::AtMost(threads) => {
            // A large team suits a device. On hosts its threads wait for one another, so there the limit only ever makes teams smaller.
            let size = if S::IS_DEVICE { policy.team_size_max() } else { policy.team_size_recommended() };
            Some(threads.min(size))
        }
    }
}
