//! Algorithms built from Spelt's patterns, on every execution space, with the same bits on each.
//!
//! Everything here uses the public interface of `spelt-core` only. Functions take the space first, then the Views that they
//! read, then those that they write; Views lie in the memory of the space.

mod dense;
mod expand;
mod reduce;
mod scan;
mod segment_order;
mod segmented_reduce;
mod segmented_scan;
mod segments;

pub use expand::{expand, expand_outer_reduce, offsets_from_counts, replicated_iota};
pub use reduce::{reduce, reduce_commutative, transform_reduce, transform_reduce_commutative};
pub use scan::{
    exclusive_scan, exclusive_scan_in_place, inclusive_scan, inclusive_scan_in_place,
    transform_exclusive_scan, transform_inclusive_scan,
};
pub use segmented_reduce::{segmented_reduce_by_flags, segmented_reduce_by_offsets};
pub use segmented_scan::{
    segmented_exclusive_scan_by_flags, segmented_exclusive_scan_by_offsets,
    segmented_inclusive_scan_by_flags, segmented_inclusive_scan_by_offsets,
};
pub use segments::offsets_from_flags;
