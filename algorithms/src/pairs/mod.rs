//! Map-reduce over pairs.
//!
//! | file | content |
//! |---|---|
//! | `dense` | all pairs |
//! | `cluster` | clusters of points, whose pairs are blocks |
//! | `ranges` | the blocks of pairs that are kept |
//! | `sparse` | reductions over those pairs |
//! | `rows` | the loop over the pairs of a few rows, on a host |
//! | `teams` | the loop over the pairs of a thread's row, on a device |
//! | `tree` | the canonical order, leaf by leaf |

mod cluster;
mod dense;
mod ranges;
mod rows;
mod sieve;
mod sparse;
mod teams;
mod tree;

pub use cluster::{cluster_centroids, cluster_order, cluster_order_and_ranges, cluster_ranges, grid_cluster};
pub use dense::{reduce_pairs_over_i, reduce_pairs_over_j};
pub use ranges::BlockRanges;
pub use sparse::{reduce_blocks_over_i, reduce_blocks_over_j};
