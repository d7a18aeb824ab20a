//! Algorithms built from Spelt's patterns, on every execution space, with the same bits on each.
//!
//! Everything here uses the public interface of `spelt-core` only. Functions take the space first, then the Views that they
//! read, then those that they write; Views lie in the memory of the space.
#![allow(clippy::type_complexity, reason = "pairs of Views are plain to read, whatever their types' length")]

mod axis;
mod bins;
mod bounds;
mod cluster;
mod compact;
mod dense;
mod expand;
mod filter;
mod gather;
mod histogram;
mod index_element;
mod k_min;
mod log_sum_exp;
mod pairs;
mod partition;
mod propagating;
mod real;
mod reduce;
mod reduce_by_index;
mod reduce_by_key;
mod run_length;
mod sample;
mod scan;
mod scatter;
mod search;
mod segment_order;
mod segmented_reduce;
mod segmented_scan;
mod segments;
mod sort;
mod statistics;
mod top_k;
mod unique;

pub use axis::{
    Accumulate, all_axes, any_axes, arg_max_axes, arg_min_axes, max_axes, maximum_axes, mean_axes, min_axes,
    minimum_axes, norm_l1_axes, norm_l2_axes, norm_max_axes, norm_squared_axes, product_axes, reduce_axes,
    standard_deviation_axes, sum_axes, variance_axes,
};
pub use cluster::{cluster_centroids, cluster_order, cluster_ranges, grid_cluster};
pub use expand::{expand, expand_outer_reduce, offsets_from_counts, replicated_iota};
pub use filter::{filter, filter_flagged, positions};
pub use gather::{gather, gather_checked};
pub use histogram::{histogram, histogram_even};
pub use index_element::IndexElement;
pub use k_min::{ArgKMin, KMin, KMinLoc, KMinValue};
pub use log_sum_exp::{LogSumExp, LogSumExpValue, SoftmaxMean, SoftmaxMeanValue};
pub use pairs::{
    BlockRanges, reduce_blocks_over_i, reduce_blocks_over_j, reduce_pairs_over_i, reduce_pairs_over_j,
};
pub use partition::{partition, partition_flagged, partition_three_way};
pub use propagating::{Maximum, Minimum};
pub use real::Real;
pub use reduce::{reduce, reduce_commutative, transform_reduce, transform_reduce_commutative};
pub use reduce_by_index::{reduce_by_index, reduce_by_index_checked};
pub use reduce_by_key::reduce_by_key;
pub use run_length::{non_trivial_runs, run_length};
pub use sample::SampleElement;
pub use scan::{
    exclusive_scan, exclusive_scan_in_place, inclusive_scan, inclusive_scan_in_place,
    transform_exclusive_scan, transform_inclusive_scan,
};
pub use scatter::{scatter, scatter_checked};
pub use search::{lower_bound, lower_bound_of, upper_bound, upper_bound_of};
pub use segmented_reduce::{segmented_reduce_by_flags, segmented_reduce_by_offsets};
pub use segmented_scan::{
    segmented_exclusive_scan_by_flags, segmented_exclusive_scan_by_offsets,
    segmented_inclusive_scan_by_flags, segmented_inclusive_scan_by_offsets,
};
pub use segments::offsets_from_flags;
pub use sort::{
    RadixBits, RadixKey, SortIndex, argsort, argsort_descending, is_sorted, is_sorted_descending,
    is_sorted_until, sort, sort_by_key, sort_by_key_descending, sort_descending,
};
pub use statistics::{Moments, Welford};
pub use top_k::{Extreme, Ties, top_k};
pub use unique::unique;
