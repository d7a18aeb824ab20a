//! Ranges and boxes that may begin below zero.

use core::ops::Range;

use crate::{Iterate, MdRangePolicy, RangePolicy, Schedule};

/// A range or a box of indices that may be negative: the policy for Views with an origin.
///
/// A space makes it: `space.signed_range(-2..n + 2)`, `space.signed_md_range([-1..n + 1, -1..m + 1])`. It consists of a policy `P` that begins
/// at zero, and the first index in each dimension.
///
/// # Examples
/// ```
/// use spelt_policies::{Dynamic, SignedPolicy};
/// let space = (); // `Serial`, `Threads`, ..: usually `space.signed_range(-2..6)`
/// let policy = SignedPolicy::over_range(space, -2..6).chunk(4).schedule(Dynamic);
/// assert_eq!((policy.range(), policy.len()), (-2..6, 8));
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SignedPolicy<P, const R: usize> {
    zero_based: P,
    begin: [isize; R],
}

impl<P, const R: usize> SignedPolicy<P, R> {
    /// The first index in each dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_box((), [-1..3, 2..6]).begin(), [-1, 2]);
    /// ```
    pub fn begin(&self) -> [isize; R] {
        self.begin
    }

    /// The policy with the same extents that begins at zero.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_range((), -2..6).zero_based().range(), 0..8);
    /// ```
    pub fn zero_based(&self) -> &P {
        &self.zero_based
    }

    /// [`zero_based`](Self::zero_based), by value.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_range((), -2..6).into_zero_based().range(), 0..8);
    /// ```
    pub fn into_zero_based(self) -> P {
        self.zero_based
    }

    /// The same with another policy that begins at zero, such as one on another space.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// let policy = SignedPolicy::over_range("a space", -2..6).map(|range| range.on("another space"));
    /// assert_eq!((policy.range(), policy.zero_based().space()), (-2..6, &"another space"));
    /// ```
    pub fn map<Q>(self, change: impl FnOnce(P) -> Q) -> SignedPolicy<Q, R> {
        SignedPolicy { zero_based: change(self.zero_based), begin: self.begin }
    }
}

impl<S> SignedPolicy<RangePolicy<S>, 1> {
    /// The policy over `range` on `space`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_range((), -2..6).len(), 8);
    /// assert!(SignedPolicy::over_range((), 3..-3).is_empty());
    /// ```
    pub fn over_range(space: S, range: Range<isize>) -> Self {
        Self { zero_based: RangePolicy::new(space, 0..len(&range)), begin: [range.start] }
    }

    /// Sets the number of iterations that a thread takes at a time; see [`RangePolicy::chunk`].
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_range((), -2..6).chunk(4).zero_based().chunk_size(), Some(4));
    /// ```
    pub fn chunk(mut self, iterations: usize) -> Self {
        self.zero_based = self.zero_based.chunk(iterations);
        self
    }

    /// Sets the distribution of chunks over threads.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{Dynamic, SignedPolicy};
    /// assert_eq!(SignedPolicy::over_range((), -2..6).schedule(Dynamic).zero_based().schedule_kind(), Dynamic);
    /// ```
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.zero_based = self.zero_based.schedule(schedule);
        self
    }

    /// The indices.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_range((), -2..6).range(), -2..6);
    /// ```
    pub fn range(&self) -> Range<isize> {
        self.begin[0]..self.begin[0].wrapping_add_unsigned(self.len())
    }

    /// The number of iterations.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_range((), -2..6).len(), 8);
    /// ```
    pub fn len(&self) -> usize {
        self.zero_based.len()
    }

    /// Whether there are no iterations.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert!(SignedPolicy::over_range((), -2..-2).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.zero_based.is_empty()
    }
}

impl<S, const R: usize> SignedPolicy<MdRangePolicy<S, R>, R> {
    /// The policy over the box of `ranges` on `space`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_box((), [-1..3, 2..6]).ranges(), [-1..3, 2..6]);
    /// ```
    pub fn over_box(space: S, ranges: [Range<isize>; R]) -> Self {
        let begin = core::array::from_fn(|dimension| ranges[dimension].start);
        let lengths = core::array::from_fn(|dimension| 0..len(&ranges[dimension]));
        Self { zero_based: MdRangePolicy::new(space, lengths), begin }
    }

    /// Visits the box in tiles of these extents; see [`MdRangePolicy::tile`].
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// let policy = SignedPolicy::over_box((), [-1..30, 0..40]).tile([0, 8]);
    /// assert_eq!(policy.zero_based().tile_extents(), Some([0, 8]));
    /// ```
    pub fn tile(mut self, tile: [usize; R]) -> Self {
        self.zero_based = self.zero_based.tile(tile);
        self
    }

    /// Sets the fastest index: an [`Iterate`], or the layout that suits it, `iterate(Right)`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{Iterate, SignedPolicy};
    /// let policy = SignedPolicy::over_box((), [-1..3, 0..4]).iterate(Iterate::Left);
    /// assert_eq!(policy.zero_based().iteration(), Iterate::Left);
    /// ```
    pub fn iterate(mut self, iterate: impl Into<Iterate>) -> Self {
        self.zero_based = self.zero_based.iterate(iterate);
        self
    }

    /// Sets the number of tiles that a thread takes at a time; see [`MdRangePolicy::chunk`].
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_box((), [-1..3, 0..4]).chunk(2).zero_based().chunk_size(), Some(2));
    /// ```
    pub fn chunk(mut self, tiles: usize) -> Self {
        self.zero_based = self.zero_based.chunk(tiles);
        self
    }

    /// Sets the distribution of chunks over threads.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::{Dynamic, SignedPolicy};
    /// let policy = SignedPolicy::over_box((), [-1..3, 0..4]).schedule(Dynamic);
    /// assert_eq!(policy.zero_based().schedule_kind(), Dynamic);
    /// ```
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.zero_based = self.zero_based.schedule(schedule);
        self
    }

    /// The indices in each dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_box((), [-1..3, 2..-2]).ranges(), [-1..3, 2..2]);
    /// ```
    pub fn ranges(&self) -> [Range<isize>; R] {
        let extents = self.zero_based.extents();
        core::array::from_fn(|dimension| {
            let begin = self.begin[dimension];
            begin..begin.wrapping_add_unsigned(extents[dimension])
        })
    }

    /// The number of iterations, or `None` if it exceeds `isize::MAX`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert_eq!(SignedPolicy::over_box((), [-1..3, 2..6]).len(), Some(16));
    /// ```
    pub fn len(&self) -> Option<usize> {
        self.zero_based.len()
    }

    /// Whether there are no iterations.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::SignedPolicy;
    /// assert!(SignedPolicy::over_box((), [-1..3, 2..2]).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.zero_based.is_empty()
    }
}

/// The number of indices, which may exceed `isize::MAX`.
fn len(range: &Range<isize>) -> usize {
    if range.end > range.start { range.end.wrapping_sub(range.start).cast_unsigned() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_long_as_numbers_go_are_counted() {
        let policy = SignedPolicy::over_range((), isize::MIN..isize::MAX);
        assert_eq!((policy.len(), policy.range()), (usize::MAX, isize::MIN..isize::MAX));
        let (begin, end) = (isize::MAX, isize::MIN);
        assert_eq!(SignedPolicy::over_range((), begin..end).len(), 0);
        assert_eq!(SignedPolicy::over_box((), [isize::MIN..0, -1..2]).len(), None);
    }
}
