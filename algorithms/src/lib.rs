//! Algorithms built from Spelt's patterns, on every execution space, with the same bits on each.
//!
//! Everything here uses the public interface of `spelt-core` only. Functions take the space first, then the Views that they
//! read, then those that they write; Views lie in the memory of the space.

mod dense;
mod search;
mod sort;
mod top_k;
pub use search::{lower_bound, lower_bound_of, upper_bound, upper_bound_of};
pub use sort::{
    RadixBits, RadixKey, SortIndex, argsort, argsort_descending, is_sorted, is_sorted_descending,
    is_sorted_until, sort, sort_by_key, sort_by_key_descending, sort_descending,
};
pub use top_k::{Extreme, Ties, top_k};
