//! Multi-dimensional index boxes.

use core::ops::Range;

use crate::{Schedule, checked_len};

/// Which index of a multi-dimensional range runs fastest.
///
/// It changes the order in which `parallel_for` visits memory, never a result: reductions and scans always
/// take the last index fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Iterate {
    /// The first index runs fastest, which suits Views of layout `Left`.
    Left,
    /// The last index runs fastest, which suits Views of layout `Right`.
    #[default]
    Right,
}

/// The box of indices `ranges[0] x ranges[1] x ..` on a space: Kokkos's `MDRangePolicy`, of rank 1 to 6.
///
/// Made by a space, `space.md_range([0..n, 0..m])`.
#[derive(Clone, Debug)]
#[must_use]
pub struct MdRangePolicy<S, const R: usize> {
    space: S,
    ranges: [Range<usize>; R],
    tile: Option<[usize; R]>,
    iterate: Iterate,
    chunk: Option<usize>,
    schedule: Schedule,
}

impl<S, const R: usize> MdRangePolicy<S, R> {
    /// The policy over the box of `ranges` on `space`.
    pub fn new(space: S, ranges: [Range<usize>; R]) -> Self {
        const { assert!(R >= 1 && R <= 6, "the rank of a md_range is 1 to 6") };
        Self::of_any_rank(space, ranges)
    }

    /// [`new`](Self::new) for code that is generic over the rank and has excluded rank 0 itself.
    #[doc(hidden)]
    pub fn of_any_rank(space: S, ranges: [Range<usize>; R]) -> Self {
        let ranges = ranges.map(|range| range.start..range.end.max(range.start));
        Self { space, ranges, tile: None, iterate: Iterate::Right, chunk: None, schedule: Schedule::Static }
    }

    /// Visits the box in tiles of these extents; 0 in a dimension means its whole length.
    pub fn tile(mut self, tile: [usize; R]) -> Self {
        self.tile = Some(tile);
        self
    }

    /// Chooses the index that runs fastest: [`Iterate`], or the layout that it suits, `iterate(Right)`.
    pub fn iterate(mut self, iterate: impl Into<Iterate>) -> Self {
        self.iterate = iterate.into();
        self
    }

    /// Hands out `tiles` (in reductions and scans: iterations) at a time, at least 1.
    pub fn chunk(mut self, tiles: usize) -> Self {
        self.chunk = Some(tiles.max(1));
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

    /// The indices in each dimension.
    pub fn ranges(&self) -> [Range<usize>; R] {
        self.ranges.clone()
    }

    /// The number of indices in each dimension.
    pub fn extents(&self) -> [usize; R] {
        core::array::from_fn(|d| self.ranges[d].end - self.ranges[d].start)
    }

    /// The number of iterations, or `None` where it does not fit.
    pub fn len(&self) -> Option<usize> {
        checked_len(&self.extents())
    }

    /// Whether there is no iteration.
    pub fn is_empty(&self) -> bool {
        self.extents().contains(&0)
    }

    /// The tile asked for.
    pub fn tile_extents(&self) -> Option<[usize; R]> {
        self.tile
    }

    /// Which index runs fastest.
    pub fn iteration(&self) -> Iterate {
        self.iterate
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
            [0, 1, 7].map(|chunk| MdRangePolicy::new((), [0..5, 0..5]).chunk(chunk).chunk_size()),
            [Some(1), Some(1), Some(7)]
        );
    }
}
