//! The facts of a space that launches ask for.

use crate::reach::sealed::Sealed;

/// The name of a space and the number of its threads.
#[doc(hidden)]
pub trait SpaceFacts: Sealed {
    /// The name that messages use.
    fn space_name(&self) -> &'static str;

    /// The number of threads that may run iterations at the same time.
    fn threads(&self) -> usize;

    /// The maximum number of threads of a team.
    fn max_team_threads(&self) -> usize {
        1
    }
}
