//! Algorithms built from Spelt's patterns, on every execution space, with the same bits on each.
//!
//! Everything here uses the public interface of `spelt-core` only. Functions take the space first, then the Views that they
//! read, then those that they write; Views lie in the memory of the space.

mod cluster;
mod k_min;
mod log_sum_exp;
mod pairs;
mod real;

pub use cluster::{cluster_centroids, cluster_order, cluster_ranges, grid_cluster};
pub use k_min::{ArgKMin, KMin, KMinLoc, KMinValue};
pub use log_sum_exp::{LogSumExp, LogSumExpValue, SoftmaxMean, SoftmaxMeanValue};
pub use pairs::{
    BlockRanges, reduce_blocks_over_i, reduce_blocks_over_j, reduce_pairs_over_i, reduce_pairs_over_j,
};
pub use real::Real;
