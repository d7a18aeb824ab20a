//! The distribution of iterations over threads.

/// The distribution of chunks of iterations over the threads of a host space. It does not affect the bits of results.
///
/// # Examples
/// ```
/// use spelt_policies::{Dynamic, RangePolicy, Schedule};
/// let uneven = RangePolicy::new((), 0..1000).chunk(1).schedule(Dynamic);
/// assert_eq!((uneven.schedule_kind(), Schedule::default()), (Dynamic, Schedule::Static));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Each thread starts with its own contiguous part, so that repeated passes over the same Views use the same
    /// pages; threads that finish early help the others.
    #[default]
    Static,
    /// Threads take chunks from one queue, in order.
    Dynamic,
}

pub use Schedule::{Dynamic, Static};
