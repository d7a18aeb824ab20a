//! A launch: prepared once, handed to a space, finished once.
//!
//! | file | concept |
//! |---|---|
//! | `prepared.rs` | [`launch`](prepared::launch): the one way from a pattern to a space, and [`Prepared`], which the space gets |
//! | `indices.rs` | [`Indices`]: how ranges, boxes and leagues differ |
//! | `league_limits.rs` | the limits of a league of teams, and the error where there is no memory for its scratch |
//! | `launches.rs` | [`Launches`]: the operations of a space on a prepared launch |
//! | `execution_space.rs` | [`ExecutionSpace`]: the operations that a space offers to programs |
//! | `contribution.rs` | how an iteration of a reduction contributes to the running value |
//! | `outlet.rs` | where the result goes |

mod contribution;
mod execution_space;
mod indices;
mod launches;
mod league_limits;
mod outlet;
mod prepared;

pub(crate) use contribution::{Contribution, Mapping, Updating};
pub use execution_space::ExecutionSpace;
pub(crate) use indices::Indices;
pub use indices::OnSpace;
pub(crate) use launches::{Launches, PreparedLeague};
#[cfg(feature = "cuda")]
pub(crate) use league_limits::fail;
pub(crate) use league_limits::with_room;
#[cfg(feature = "cuda")]
pub(crate) use outlet::Reduction;
pub(crate) use outlet::{Outlet, Returning, Storing};
pub(crate) use prepared::{Prepared, ScatteredArguments, launch};
