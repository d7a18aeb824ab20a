//! Multi-dimensional index boxes.

use core::ops::Range;

use crate::{Schedule, checked_len};

/// The fastest index of a multi-dimensional range.
///
/// It changes the order in which `parallel_for` visits memory, but never a result: in reductions and scans the
/// last index is always the fastest.
///
/// # Examples
/// ```
/// use spelt_policies::{Iterate, MdRangePolicy};
/// let columns_first = MdRangePolicy::new((), [0..3, 0..4]).iterate(Iterate::Left);
/// assert_eq!(columns_first.iteration(), Iterate::Left);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Iterate {
    /// The first index varies fastest, which suits Views of layout `Left`.
    Left,
    /// The last index varies fastest, which suits Views of layout `Right`.
    #[default]
    Right,
}

/// The box of indices `ranges[0] x ranges[1] x ..` on a space: Kokkos's `MDRangePolicy`, of rank 1 to 8.
///
/// A space makes it: `space.md_range([0..n, 0..m])`.
///
/// # Examples
/// ```
/// use spelt_policies::MdRangePolicy;
/// let space = (); // `Serial`, `Threads`, ..: usually `space.md_range([0..3, 2..6])`
/// let policy = MdRangePolicy::new(space, [0..3, 2..6]).tile([0, 2]);
/// assert_eq!((policy.extents(), policy.len()), ([3, 4], Some(12)));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MdRangePolicy<S, const R: usize> {
    space: S,
    ranges: [Range<usize>; R],
    tile: Option<[usize; R]>,
    iterate: Iterate,
    chunk: Option<usize>,
    schedule: Option<Schedule>,
}

impl<S, const R: usize> MdRangePolicy<S, R> {
    /// The policy over the box of `ranges` on `space`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new((), [0..3, 2..6]).extents(), [3, 4]);
    /// ```
    pub fn new(space: S, mut ranges: [Range<usize>; R]) -> Self {
        const { assert!(R >= 1 && R <= 8, "the rank of a md_range is 1 to 8") };
        for range in &mut ranges {
            range.end = range.end.max(range.start);
        }
        Self { space, ranges, tile: None, iterate: Iterate::Right, chunk: None, schedule: None }
    }

    /// Visits the box in tiles of these extents; 0 in a dimension means its whole length.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new((), [0..30, 0..40]).tile([0, 8]).tile_extents(), Some([0, 8]));
    /// ```
    pub fn tile(mut self, tile: [usize; R]) -> Self {
        self.tile = Some(tile);
        self
    }

    /// Sets the fastest index: an [`Iterate`], or the layout that suits it, `iterate(Right)`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{Iterate, MdRangePolicy};
    /// assert_eq!(MdRangePolicy::new((), [0..3, 0..4]).iterate(Iterate::Left).iteration(), Iterate::Left);
    /// ```
    pub fn iterate(mut self, iterate: impl Into<Iterate>) -> Self {
        self.iterate = iterate.into();
        self
    }

    /// Sets the number of tiles (in reductions and scans: of iterations) that a thread takes at a time, at least 1.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new((), [0..3, 0..4]).chunk(2).chunk_size(), Some(2));
    /// ```
    pub fn chunk(mut self, tiles: usize) -> Self {
        self.chunk = Some(tiles.max(1));
        self
    }

    /// Sets the distribution of chunks over threads.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{Dynamic, MdRangePolicy};
    /// assert_eq!(MdRangePolicy::new((), [0..3, 0..4]).schedule(Dynamic).schedule_kind(), Dynamic);
    /// ```
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// The space.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new("a space", [0..3]).space(), &"a space");
    /// ```
    pub fn space(&self) -> &S {
        &self.space
    }

    /// The same policy on another space.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// let policy = MdRangePolicy::new("a space", [0..3]);
    /// assert_eq!(policy.on("another space").space(), &"another space");
    /// ```
    pub fn on<T>(self, space: T) -> MdRangePolicy<T, R> {
        let Self { space: _, ranges, tile, iterate, chunk, schedule } = self;
        MdRangePolicy { space, ranges, tile, iterate, chunk, schedule }
    }

    /// The indices in each dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new((), [0..3, 2..6]).ranges(), [0..3, 2..6]);
    /// ```
    pub fn ranges(&self) -> [Range<usize>; R] {
        self.ranges.clone()
    }

    /// The number of indices in each dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new((), [0..3, 2..6]).extents(), [3, 4]);
    /// ```
    pub fn extents(&self) -> [usize; R] {
        let mut extents = [0; R];
        for (extent, range) in extents.iter_mut().zip(&self.ranges) {
            *extent = range.end - range.start;
        }
        extents
    }

    /// The number of iterations, or `None` if it exceeds `isize::MAX`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new((), [0..3, 2..6]).len(), Some(12));
    /// assert_eq!(MdRangePolicy::new((), [0..usize::MAX, 0..2]).len(), None);
    /// ```
    pub fn len(&self) -> Option<usize> {
        checked_len(&self.extents())
    }

    /// Whether there are no iterations.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert!(MdRangePolicy::new((), [0..3, 2..2]).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.extents().contains(&0)
    }

    /// The requested tile.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new((), [0..3, 0..4]).tile_extents(), None);
    /// ```
    pub fn tile_extents(&self) -> Option<[usize; R]> {
        self.tile
    }

    /// The fastest index.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{Iterate, MdRangePolicy};
    /// assert_eq!(MdRangePolicy::new((), [0..3, 0..4]).iteration(), Iterate::Right);
    /// ```
    pub fn iteration(&self) -> Iterate {
        self.iterate
    }

    /// The requested chunk.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::MdRangePolicy;
    /// assert_eq!(MdRangePolicy::new((), [0..3, 0..4]).chunk_size(), None);
    /// ```
    pub fn chunk_size(&self) -> Option<usize> {
        self.chunk
    }

    /// The schedule.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{MdRangePolicy, Static};
    /// assert_eq!(MdRangePolicy::new((), [0..3, 0..4]).schedule_kind(), Static);
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
            [0, 1, 7].map(|chunk| MdRangePolicy::new((), [0..5, 0..5]).chunk(chunk).chunk_size()),
            [Some(1), Some(1), Some(7)]
        );
    }
}
