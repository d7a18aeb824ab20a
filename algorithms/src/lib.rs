//! Algorithms built from Spelt's patterns, on every execution space, with the same bits on each.
//!
//! Everything here uses the public interface of `spelt-core` only. Functions take the space first, then the Views that they
//! read, then those that they write; Views are in the memory of the space.
#![allow(
    clippy::type_complexity,
    reason = "pairs of Views are plain to read, regardless of their types' length"
)]

mod axis;
mod best_keys;
mod bins;
mod bounds;
mod dense;
mod find;
mod flag_blocks;
mod gather;
mod index_element;
mod large_values;
mod modify;
mod pairs;
mod real;
mod reduce;
mod reducers;
mod room;
mod scan;
mod scatter;
mod search;
mod segmented;
mod select;
mod sort;
pub mod team;
mod top_k;
mod unwritten;
mod words;

pub use axis::{
    Accumulate, all_axes, any_axes, arg_max_axes, arg_min_axes, max_axes, maximum_axes, mean_axes, min_axes,
    minimum_axes, norm_l1_axes, norm_l2_axes, norm_max_axes, norm_squared_axes, product_axes, reduce_axes,
    standard_deviation_axes, sum_axes, variance_axes,
};
pub use bins::{SampleElement, histogram, histogram_even, reduce_by_index, reduce_by_index_checked};
pub use find::{
    adjacent_find, adjacent_find_by, all_of, any_of, count, count_if, equal, equal_by, find, find_end,
    find_first_of, find_if, find_if_not, is_partitioned, lexicographical_compare, max_element, min_element,
    minmax_element, mismatch, mismatch_by, none_of, partition_point, search, search_by, search_n,
};
pub use gather::{gather, gather_checked};
pub use index_element::IndexElement;
pub use modify::{
    adjacent_difference, generate, remove, remove_if, replace, replace_copy, replace_copy_if, replace_if,
    reverse, reverse_copy, rotate, rotate_copy, shift_left, shift_right, swap_ranges, transform,
    transform_binary, transform_in_place,
};
pub use pairs::{
    BlockRanges, cluster_centroids, cluster_order, cluster_order_and_ranges, cluster_ranges, grid_cluster,
    reduce_blocks_over_i, reduce_blocks_over_j, reduce_pairs_over_i, reduce_pairs_over_j,
};
pub use real::Real;
pub use reduce::{reduce, reduce_commutative, transform_reduce, transform_reduce_commutative};
pub use reducers::{
    ArgKMin, CheckedElement, CheckedSum, KMin, KMinLoc, KMinValue, LogSumExp, LogSumExpValue, Maximum,
    Minimum, Moments, SoftmaxMean, SoftmaxMeanValue, Welford,
};
pub use scan::{
    exclusive_scan, exclusive_scan_in_place, inclusive_scan, inclusive_scan_in_place,
    transform_exclusive_scan, transform_exclusive_scan_in_place, transform_inclusive_scan,
    transform_inclusive_scan_in_place,
};
pub use scatter::{scatter, scatter_checked};
pub use search::{equal_range_of, lower_bound, lower_bound_of, upper_bound, upper_bound_of};
pub use segmented::{
    expand, expand_outer_reduce, offsets_from_counts, offsets_from_flags, offsets_from_integers,
    replicated_iota, segmented_exclusive_scan_by_flags, segmented_exclusive_scan_by_flags_in_place,
    segmented_exclusive_scan_by_offsets, segmented_exclusive_scan_by_offsets_in_place,
    segmented_inclusive_scan_by_flags, segmented_inclusive_scan_by_flags_in_place,
    segmented_inclusive_scan_by_offsets, segmented_inclusive_scan_by_offsets_in_place,
    segmented_reduce_by_flags, segmented_reduce_by_offsets,
};
pub use select::{
    filter, filter_flagged, non_trivial_runs, partition, partition_flagged, partition_three_way, positions,
    reduce_by_key, run_length, unique,
};
pub use sort::{
    RadixBits, RadixKey, SortIndex, argsort, argsort_descending, is_sorted, is_sorted_descending,
    is_sorted_until, order_by_bins, sort, sort_by_key, sort_by_key_descending, sort_descending,
};
pub use top_k::{Extreme, Ties, top_k};
