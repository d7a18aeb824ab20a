//! Teams on a device: what one lane of a team does together with the others.
//!
//! | file | concept |
//! |---|---|
//! | `shape.rs` | [`TeamShape`]: how teams lie on blocks and warps |
//! | `member.rs` | [`Member`]: meetings, barriers, values for all |
//! | `nested.rs` | nested loops, reductions and scans |
//! | `tuning.rs` | how leagues are cut for a device |
//!
//! # Ownership
//! A reference to an element that a nested witness gave outlives its loop. So in a launch that gives out such references to
//! write through ([`TeamShape::owned`]), each index belongs to one thread for the whole launch, in loops, reductions and
//! scans alike: thread `key % threads`, where the [key](spelt_order::cursor::Cursor::key) depends on the index alone. Elsewhere
//! the nearest thread runs an iteration.
//!
//! # Divergence
//! All collectives begin with a [meeting](Member::meet), in which the team's threads compare what they are about to do;
//! leaving the kernel is one. Those of a thread's lanes do so too. No lane waits for anything else before: so lanes that go
//! different ways always come to compare, and the launch fails instead of hanging. They compare by way of a barrier, at
//! which threads may come from different places of the code, where a shuffle or ballot would wait for ever.
//!
//! They compare numbers that contain the source location. So a lane that finds another number knows the other's location, and
//! the failure names the program's line also where it is found by a lane that has none, as it leaves the kernel.

mod member;
mod nested;
mod shape;
pub mod tuning;

pub use member::{Call, Lanes, Member, join_branches};
pub use shape::{EXCHANGE, TeamShape, scratch_room};
