//! How iterations are handed to threads.

/// How a host space hands chunks of iterations to its threads. No schedule changes a bit of any result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Each thread starts on a contiguous part of its own, so that passes over the same Views meet the same
    /// pages; who is done early helps the others.
    #[default]
    Static,
    /// Threads take chunks from one queue, in order.
    Dynamic,
}

pub use Schedule::{Dynamic, Static};
