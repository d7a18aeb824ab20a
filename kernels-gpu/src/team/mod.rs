//! Teams on a device: the operations that the lanes of a team do together.
//!
//! | file | concept |
//! |---|---|
//! | `shape.rs` | [`TeamShape`]: the placement of teams on blocks and warps |
//! | `member.rs` | [`Member`]: meetings, barriers, values for all |
//! | `nested.rs` | nested loops, reductions and scans |
//! | `tuning.rs` | the division of leagues for a device |
//!
//! `README.md` has the invariants: meetings, the exchange, owners of indices, scratch.

mod member;
mod nested;
mod shape;
pub mod tuning;

pub use member::{Call, Lanes, Member, join_branches};
pub use shape::{EXCHANGE, TeamShape, scratch_room};
