//! One-dimensional index ranges.

use core::ops::Range;

use crate::Schedule;

/// The indices `begin..end` on a space: Kokkos's `RangePolicy`.
///
/// Made by a space, `space.range(0..n)`. A range with `end < begin` is empty.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct RangePolicy<S> {
    space: S,
    begin: usize,
    end: usize,
    chunk: Option<usize>,
    schedule: Schedule,
}

impl<S> RangePolicy<S> {
    /// The policy over `range` on `space`.
    pub fn new(space: S, range: Range<usize>) -> Self {
        let end = range.end.max(range.start);
        Self { space, begin: range.start, end, chunk: None, schedule: Schedule::Static }
    }

    /// Hands out `iterations` at a time (at least 1) instead of a size chosen from the length.
    ///
    /// Give a small chunk, down to 1, where each iteration is long. In reductions a chunk below a tile of the
    /// canonical order is rounded to its lanes; the result stays the same.
    pub fn chunk(mut self, iterations: usize) -> Self {
        self.chunk = Some(iterations.max(1));
        self
    }

    /// Chooses how chunks go to threads.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// The space it runs on.
    pub fn space(&self) -> &S {
        &self.space
    }

    /// The indices.
    pub fn range(&self) -> Range<usize> {
        self.begin..self.end
    }

    /// The number of iterations.
    pub fn len(&self) -> usize {
        self.end - self.begin
    }

    /// Whether there is no iteration.
    pub fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// The chunk asked for.
    pub fn chunk_size(&self) -> Option<usize> {
        self.chunk
    }

    /// The schedule.
    pub fn schedule_kind(&self) -> Schedule {
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
