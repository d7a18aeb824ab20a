//! Selections, and runs of equal keys.
//!
//! | file | content |
//! |---|---|
//! | `compact` | common code: flags, and the compaction of flagged elements |
//! | `filter`, `partition` | by a predicate or by flags |
//! | `unique`, `run_length`, `reduce_by_key` | the first of each run of equal neighbours, with the run's length or reduction |
//! | `long_runs` | the runs of more than one element, on a host |

mod compact;
mod filter;
mod long_runs;
mod partition;
mod reduce_by_key;
mod run_length;
mod unique;

pub use filter::{filter, filter_flagged, positions};
pub use partition::{partition, partition_flagged, partition_three_way};
pub use reduce_by_key::reduce_by_key;
pub use run_length::{non_trivial_runs, run_length};
pub use unique::unique;
