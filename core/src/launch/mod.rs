//! A launch: prepared once, handed to a space, finished once.
//!
//! | file | concept |
//! |---|---|
//! | `prepared.rs` | [`launch`](prepared::launch): the only way from a pattern to a space, and [`Prepared`], which the space gets |
//! | `domain.rs` | [`Domain`](domain::Domain): the iterations of a range, a box or a league, and the check that arguments cover them |
//! | `indices.rs` | [`Indices`]: how ranges and boxes differ for the loops over them |
//! | `league_limits.rs` | the limits of a league of teams, and the error where there is no memory for its scratch |
//! | `launches.rs` | [`Launches`]: the operations of a space on a prepared launch |
//! | `space_facts.rs` | [`SpaceFacts`]: the name of a space, the number of its threads and the sizes of its teams |
//! | `team_sizes.rs` | [`TeamSizes`]: the largest and the recommended team of a policy |
//! | `execution_space.rs` | [`ExecutionSpace`]: the operations that a space offers to programs |
//! | `contribution.rs` | how an iteration of a reduction contributes to the running value |
//! | `outlet.rs` | the destination of the result |

mod contribution;
mod domain;
mod execution_space;
mod indices;
mod launches;
mod league_limits;
mod outlet;
mod prepared;
mod space_facts;
mod team_sizes;

pub(crate) use contribution::{Contribution, IsLocation, Mapping, Updating};
pub(crate) use domain::Corners;
pub use domain::OnSpace;
pub use execution_space::ExecutionSpace;
pub(crate) use indices::Indices;
pub(crate) use launches::{Launches, PreparedLeague};
pub(crate) use league_limits::with_room;
#[cfg(feature = "cuda")]
pub(crate) use outlet::Reduction;
pub(crate) use outlet::{Outlet, Returning, Storing};
pub(crate) use prepared::{Prepared, ScatteredArguments, launch};
pub(crate) use space_facts::SpaceFacts;
pub use team_sizes::TeamSizes;
pub(crate) use team_sizes::requested;
