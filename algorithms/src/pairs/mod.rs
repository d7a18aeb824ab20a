//! Map-reduce over pairs.
//!
//! | file | what |
//! |---|---|
//! | `dense` | all pairs |
//! | `ranges` | which blocks of pairs are kept |
//! | `sparse` | those pairs |
//! | `rows` | the loop over the pairs of a few rows |
//! | `tree` | the canonical order, leaf by leaf |

mod dense;
mod ranges;
mod rows;
mod sparse;
mod tree;

pub use dense::{reduce_pairs_over_i, reduce_pairs_over_j};
pub use ranges::BlockRanges;
pub use sparse::{reduce_blocks_over_i, reduce_blocks_over_j};
