//! One-dimensional index ranges.

use core::ops::Range;

use crate::Schedule;

/// The indices `begin..end` on a space: Kokkos's `RangePolicy`.
///
/// A space makes it: `space.range(0..n)`. A range with `end < begin` is empty.
///
/// # Examples
/// ```
/// use spelt_policies::{Dynamic, RangePolicy};
/// let space = (); // `Serial`, `Threads`, ..: usually `space.range(2..10)`
/// let policy = RangePolicy::new(space, 2..10).chunk(4).schedule(Dynamic);
/// assert_eq!((policy.range(), policy.len()), (2..10, 8));
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct RangePolicy<S> {
    space: S,
    begin: usize,
    end: usize,
    chunk: Option<usize>,
    schedule: Option<Schedule>,
}

impl<S> RangePolicy<S> {
    /// The policy over `range` on `space`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::RangePolicy;
    /// assert_eq!(RangePolicy::new((), 2..10).len(), 8);
    /// assert!(RangePolicy::new((), 10..10).is_empty());
    /// ```
    pub fn new(space: S, range: Range<usize>) -> Self {
        let end = range.end.max(range.start);
        Self { space, begin: range.start, end, chunk: None, schedule: None }
    }

    /// Sets the number of iterations that a thread takes at a time (at least 1); by default it depends on the length.
    ///
    /// Without it, a launch of few iterations begins on the calling thread, and the other threads join if it lasts. A small chunk, down
    /// to 1, distributes long iterations at once. In reductions a chunk is rounded up to a power of two of whole tiles of the canonical order, at
    /// least a 256th of all, and one below a tile, where there are few, to a power of two of its lanes; the result stays the same.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::RangePolicy;
    /// assert_eq!(RangePolicy::new((), 0..10).chunk(4).chunk_size(), Some(4));
    /// ```
    pub fn chunk(mut self, iterations: usize) -> Self {
        self.chunk = Some(iterations.max(1));
        self
    }

    /// Sets the distribution of chunks over threads.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{Dynamic, RangePolicy};
    /// assert_eq!(RangePolicy::new((), 0..10).schedule(Dynamic).schedule_kind(), Dynamic);
    /// ```
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// The space.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::RangePolicy;
    /// assert_eq!(RangePolicy::new("a space", 0..10).space(), &"a space");
    /// ```
    pub fn space(&self) -> &S {
        &self.space
    }

    /// The same policy on another space.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::RangePolicy;
    /// let policy = RangePolicy::new("a space", 0..10).chunk(4);
    /// assert_eq!(policy.on("another space").space(), &"another space");
    /// ```
    pub fn on<T>(self, space: T) -> RangePolicy<T> {
        let Self { space: _, begin, end, chunk, schedule } = self;
        RangePolicy { space, begin, end, chunk, schedule }
    }

    /// The indices.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::RangePolicy;
    /// assert_eq!(RangePolicy::new((), 2..10).range(), 2..10);
    /// ```
    pub fn range(&self) -> Range<usize> {
        self.begin..self.end
    }

    /// The number of iterations.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::RangePolicy;
    /// assert_eq!(RangePolicy::new((), 2..10).len(), 8);
    /// ```
    pub fn len(&self) -> usize {
        self.end - self.begin
    }

    /// Whether there are no iterations.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::RangePolicy;
    /// assert!(RangePolicy::new((), 2..2).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// The requested chunk.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::RangePolicy;
    /// assert_eq!(RangePolicy::new((), 0..10).chunk_size(), None);
    /// ```
    pub fn chunk_size(&self) -> Option<usize> {
        self.chunk
    }

    /// The schedule.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{RangePolicy, Static};
    /// assert_eq!(RangePolicy::new((), 0..10).schedule_kind(), Static);
    /// ```
    pub fn schedule_kind(&self) -> Schedule {
        self.schedule.unwrap_or_default()
    }

    /// The schedule, if the program has set it.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn given_schedule(&self) -> Option<Schedule> {
        self.schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_at_least_one() {
        assert_eq!(
            [0, 1, 7].map(|chunk| RangePolicy::new((), 0..5).chunk(chunk).chunk_size()),
            [Some(1), Some(1), Some(7)]
        );
    }
}
