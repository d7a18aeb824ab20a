//! Ranges of loops nested in a team.

use core::ops::Range;

/// Something that a nested range may be made from: `n` for `0..n`, or a range.
///
/// It is sealed: which memory a team touches rests on these ranges.
pub trait IntoRange: sealed::Sealed {
    /// The indices; none where the end lies before the start.
    fn into_range(self) -> Range<usize>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for core::ops::Range<usize> {}
}

/// Start and end of what `range` gives, the end not before the start: lengths are their difference, unchecked.
#[inline(always)]
fn ends(range: impl IntoRange) -> (usize, usize) {
    let range = range.into_range();
    (range.start, range.end.max(range.start))
}

impl IntoRange for usize {
    #[inline(always)]
    fn into_range(self) -> Range<usize> {
        0..self
    }
}

impl IntoRange for Range<usize> {
    #[inline(always)]
    fn into_range(self) -> Range<usize> {
        self
    }
}

macro_rules! nested_range {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[must_use]
        pub struct $name {
            begin: usize,
            end: usize,
        }

        impl $name {
            /// The range over `range`.
            #[inline(always)]
            pub fn new(range: impl IntoRange) -> Self {
                let (begin, end) = ends(range);
                Self { begin, end }
            }

            /// The indices.
            #[inline(always)]
            pub fn range(&self) -> Range<usize> {
                self.begin..self.end
            }
        }
    };
}

nested_range! {
    /// Indices shared out among the threads of a team: Kokkos's `TeamThreadRange`.
    ThreadRange
}
nested_range! {
    /// Indices shared out among the vector lanes of a thread: Kokkos's `ThreadVectorRange`.
    VectorRange
}
nested_range! {
    /// Indices shared out among all lanes of all threads of a team: Kokkos's `TeamVectorRange`.
    TeamVectorRange
}

/// A box of indices shared out among the threads of a team: Kokkos's `TeamThreadMDRange`, of rank 2 to 5.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ThreadMdRange<const N: usize> {
    ranges: [(usize, usize); N],
}

impl<const N: usize> ThreadMdRange<N> {
    /// The box of `ranges`.
    #[inline(always)]
    pub fn new<I: IntoRange>(ranges: [I; N]) -> Self {
        const { assert!(N >= 2 && N <= 5, "the rank of a thread_md_range is 2 to 5") };
        Self { ranges: ranges.map(ends) }
    }

    /// The indices in each dimension.
    #[inline(always)]
    pub fn ranges(&self) -> [Range<usize>; N] {
        self.ranges.map(|(begin, end)| begin..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is tested")]
    fn a_range_that_ends_before_it_starts_is_empty() {
        assert_eq!(ThreadRange::new(8..7).range(), 8..8);
        assert_eq!(VectorRange::new(8..7).range(), 8..8);
        assert_eq!(TeamVectorRange::new(usize::MAX..0).range(), usize::MAX..usize::MAX);
        assert_eq!(ThreadMdRange::new([8..7, 2..5]).ranges(), [8..8, 2..5]);
    }
}
