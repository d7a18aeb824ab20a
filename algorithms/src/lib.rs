//! Algorithms built from Spelt's patterns, on every execution space, with the same bits on each.
//!
//! Everything here uses the public interface of `spelt-core` only. Functions take the space first, then the Views that they
//! read, then those that they write; Views lie in the memory of the space.

mod bins;
mod bounds;
mod compact;
mod filter;
mod gather;
mod histogram;
mod index_element;
mod partition;
mod reduce_by_index;
mod reduce_by_key;
mod run_length;
mod sample;
mod scatter;
mod unique;

pub use filter::{filter, filter_flagged, positions};
pub use gather::{gather, gather_checked};
pub use histogram::{histogram, histogram_even};
pub use index_element::IndexElement;
pub use partition::{partition, partition_flagged, partition_three_way};
pub use reduce_by_index::{reduce_by_index, reduce_by_index_checked};
pub use reduce_by_key::reduce_by_key;
pub use run_length::{non_trivial_runs, run_length};
pub use sample::SampleElement;
pub use scatter::{scatter, scatter_checked};
pub use unique::unique;
