//! Ranges of loops nested in a team.

use core::ops::Range;

/// Something that a nested range may be made from: `n` for `0..n`, or a range.
pub trait IntoRange {
    /// The indices; empty where the end lies before the start.
    fn into_range(self) -> Range<usize>;
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
        self.start..self.end.max(self.start)
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
                let range = range.into_range();
                Self { begin: range.start, end: range.end }
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
        let ranges = ranges.map(|range| {
            let range = range.into_range();
            (range.start, range.end)
        });
        Self { ranges }
    }

    /// The indices in each dimension.
    #[inline(always)]
    pub fn ranges(&self) -> [Range<usize>; N] {
        self.ranges.map(|(begin, end)| begin..end)
    }
}
