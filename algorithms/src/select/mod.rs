//! Selections, and runs of equal keys.
//!
//! | file | what |
//! |---|---|
//! | `compact` | what all have in common: flags, and what is flagged put together |
//! | `filter`, `partition` | by a predicate or by flags |
//! | `unique`, `run_length`, `reduce_by_key` | the first of each run of equal neighbours, with what the run comes to |

mod compact;
mod filter;
mod partition;
mod reduce_by_key;
mod run_length;
mod unique;

pub use filter::{filter, filter_flagged, positions};
pub use partition::{partition, partition_flagged, partition_three_way};
pub use reduce_by_key::reduce_by_key;
pub use run_length::{non_trivial_runs, run_length};
pub use unique::unique;
