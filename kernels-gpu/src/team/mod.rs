//! Teams on a device: the operations that the lanes of a team do together.
//!
//! | file | concept |
//! |---|---|
//! | `shape.rs` | [`TeamShape`]: the placement of teams on blocks and warps |
//! | `place.rs` | the place of a lane in its team |
//! | `member.rs` | [`Member`]: meetings, barriers, values for all |
//! | `nested.rs` | nested loops, reductions and scans |
//! | `cut.rs` | the division of a nested reduction over groups of lanes |
//! | `tuning.rs` | the division of leagues for a device |
//!
//! `README.md` has the invariants: meetings, the exchange, owners of indices, scratch.

mod cut;
mod member;
mod nested;
mod place;
mod shape;
pub mod tuning;

pub use member::{Call, Lanes, Member, join_branches};
pub use shape::{EXCHANGE, PlacedTeams, TeamShape, scratch_room};
