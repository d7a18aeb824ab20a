//! A launch: prepared once, handed to a space, finished once.
//!
//! | file | concept |
//! |---|---|
//! | `prepared.rs` | [`launch`](prepared::launch): the only way from a pattern to a space, and [`Prepared`], which the space gets |
//! | `domain.rs` | [`Domain`](domain::Domain): the iterations of a range, a box or a league, and the check that arguments cover them |
//! | `site.rs` | [`Site`]: a label, or a node of a graph, and how the arguments are checked there |
//! | `indices.rs` | [`Indices`]: how ranges and boxes differ for the loops over them |
//! | `league_limits.rs` | the limits of a league of teams, and the error where there is no memory for its scratch |
//! | `kind.rs` | [`Kind`]: the pattern of a launch, and its arguments' limits |
//! | `watch.rs` | the events of a launch, for tools |
//! | `launches.rs` | [`Launches`]: the operations of a space on a prepared launch |
//! | `space_facts.rs` | [`SpaceFacts`]: the name of a space, the number of its threads, the sizes of its teams, the stream of its copies |
//! | `team_sizes.rs` | [`TeamSizes`]: the largest and the recommended team of a policy |
//! | `execution_space.rs` | [`ExecutionSpace`]: the operations that a space offers to programs |
//! | `nodes.rs` | [`Nodes`]: the nodes of the canonical tree that cover an interval of tiles |
//! | `part_state.rs` | [`PartState`]: the values of a part of a reduction, and the tiles of a launch that extends it |
//! | `scan_state.rs` | [`ScanState`]: the values of a part of a scan |
//! | `contribution.rs` | how an iteration of a reduction contributes to the running value |
//! | `outlet.rs` | the destination of the result |

mod contribution;
mod domain;
mod execution_space;
mod indices;
mod kind;
mod launches;
mod league_limits;
mod nodes;
mod outlet;
mod part_state;
mod prepared;
mod scan_state;
mod site;
mod space_facts;
mod team_sizes;
mod watch;

pub(crate) use contribution::{Contribution, IsLocation, Mapping, Updating};
pub use domain::OnSpace;
pub(crate) use domain::{Corners, Domain, Indexing};
pub use execution_space::ExecutionSpace;
pub(crate) use indices::Indices;
pub(crate) use kind::Kind;
pub(crate) use launches::{Launches, PreparedLeague};
pub(crate) use league_limits::with_room;
pub(crate) use nodes::{NodeRanges, Nodes, UNLIMITED};
pub use outlet::Outlet;
#[cfg(feature = "cuda")]
pub(crate) use outlet::Reduction;
pub(crate) use outlet::{Returning, Storing};
pub(crate) use part_state::{Extension, PartState, TilePiece, put_lanes, tile_len};
pub(crate) use prepared::{Prepared, launch, launch_borrowed, launch_into};
pub(crate) use scan_state::{ScanPass, ScanState, scan_tile_len};
pub use site::Site;
pub(crate) use site::sealed::Sealed as SiteSealed;
pub(crate) use space_facts::SpaceFacts;
pub use team_sizes::TeamSizes;
#[cfg(feature = "cuda")]
pub(crate) use team_sizes::has_scratch;
pub(crate) use team_sizes::requested;
