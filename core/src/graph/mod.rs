//! Graphs of launches: checked and recorded once, replayed with other arguments.
//!
//! | file | concept |
//! |---|---|
//! | `replay.rs` | [`Graph`]: the nodes of a replay, compared with those of the first |
//! | `node.rs` | [`Node`]: the launches that follow a node; [`when_all`] |
//! | `record.rs` | one node as the first replay left it, and what is compared |
//! | `lanes.rs` | the instances of a device on which the branches of a graph run |
//! | `on_instance.rs` | the policy of a launch on the instance of its node |

mod lanes;
mod node;
mod on_instance;
mod record;
mod replay;
#[cfg(all(test, not(spelt_loom)))]
mod tests;

pub use node::{Node, when_all};
pub use on_instance::OnInstance;
pub use replay::Graph;
