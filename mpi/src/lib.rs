//! Messages between the ranks of a program, and the collectives that Spelt's distributed patterns stand on.
//!
//! | concept | |
//! |---|---|
//! | [`Transport`] | the one way of messages between two ranks |
//! | [`LocalWorld`] | ranks that are threads of one process, with delays and faults, for tests |
//! | [`Communicator`] | the ranks of a world: messages and collectives, whose mismatches are found |
//!
//! Reductions go along a fixed tree in the order of the ranks: with a merge that is associative to the last bit, the result does not
//! depend on the number of ranks.

mod collectives;
mod communicator;
mod envelope;
mod local_world;
mod transport;

pub use communicator::{Communicator, Traffic};
pub use local_world::{LocalRank, LocalWorld};
pub use transport::{Ticket, Transport};
