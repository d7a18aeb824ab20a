//! Searches that stop where the result is known, and what else is asked of all elements.
//!
//! | file | content |
//! |---|---|
//! | `pieces` | common code: a search in pieces, which see the best place so far |
//! | `first`, `adjacent`, `subsequence` | the first element, pair of neighbours, part of a kind |
//! | `quantify`, `compare`, `partitioned` | questions that one element may answer |
//! | `count`, `extremes` | answers that all elements are needed for |

mod adjacent;
mod compare;
mod count;
mod extremes;
mod first;
mod partitioned;
mod pieces;
mod quantify;
mod subsequence;

pub use adjacent::{adjacent_find, adjacent_find_by};
pub use compare::{equal, equal_by, lexicographical_compare, mismatch, mismatch_by};
pub use count::{count, count_if};
pub use extremes::{max_element, min_element, minmax_element};
pub use first::{find, find_first_of, find_if, find_if_not};
pub use partitioned::{is_partitioned, partition_point};
pub use quantify::{all_of, any_of, none_of};
pub use subsequence::{find_end, search, search_by, search_n};
