//! Ranges of loops nested in a team.

use core::ops::Range;

/// A type from which nested ranges can be made: `n` for `0..n`, or a range.
///
/// The trait is sealed, because these ranges determine the memory that a team accesses.
///
/// # Examples
/// ```
/// use spelt_policies::{IntoRange, ThreadRange};
/// fn first(range: impl IntoRange) -> usize {
///     ThreadRange::new(range).range().start
/// }
/// assert_eq!((first(8), first(3..8)), (0, 3));
/// ```
pub trait IntoRange: sealed::Sealed {
    /// The indices; there are none if the end is before the start.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::IntoRange;
    /// assert_eq!((8.into_range(), (3..8).into_range()), (0..8, 3..8));
    /// ```
    fn into_range(self) -> Range<usize>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for core::ops::Range<usize> {}
}

/// Start and end of `range`, with the end not before the start: lengths are computed as their difference without a check.
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
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use spelt_policies::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(8).range(), 0..8);")]
            /// ```
            #[inline(always)]
            pub fn new(range: impl IntoRange) -> Self {
                let (begin, end) = ends(range);
                Self { begin, end }
            }

            /// The indices.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use spelt_policies::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(3..8).range(), 3..8);")]
            /// ```
            #[inline(always)]
            pub fn range(&self) -> Range<usize> {
                self.begin..self.end
            }
        }
    };
}

nested_range! {
    /// Indices distributed among the threads of a team: Kokkos's `TeamThreadRange`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::ThreadRange;
    /// let range = ThreadRange::new(2..8); // usually `team.thread_range(2..8)`
    /// assert_eq!(range.range().len(), 6);
    /// ```
    ThreadRange
}
nested_range! {
    /// Indices distributed among the vector lanes of a thread: Kokkos's `ThreadVectorRange`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::VectorRange;
    /// let range = VectorRange::new(2..8); // usually `team.vector_range(2..8)`
    /// assert_eq!(range.range().len(), 6);
    /// ```
    VectorRange
}
nested_range! {
    /// Indices distributed among all lanes of all threads of a team: Kokkos's `TeamVectorRange`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::TeamVectorRange;
    /// let range = TeamVectorRange::new(2..8); // usually `team.team_vector_range(2..8)`
    /// assert_eq!(range.range().len(), 6);
    /// ```
    TeamVectorRange
}

/// A box of indices distributed among the threads of a team: Kokkos's `TeamThreadMDRange`, of rank 2 to 7.
///
/// # Examples
/// ```
/// use spelt_policies::ThreadMdRange;
/// let range = ThreadMdRange::new([0..3, 2..6]); // usually `team.thread_md_range([0..3, 2..6])`
/// assert_eq!(range.ranges(), [0..3, 2..6]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ThreadMdRange<const N: usize> {
    ranges: [(usize, usize); N],
}

impl<const N: usize> ThreadMdRange<N> {
    /// The box of `ranges`.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::ThreadMdRange;
    /// assert_eq!(ThreadMdRange::new([3, 4]).ranges(), [0..3, 0..4]);
    /// ```
    #[inline(always)]
    pub fn new<I: IntoRange>(ranges: [I; N]) -> Self {
        const { assert!(N >= 2 && N <= 7, "the rank of a thread_md_range is 2 to 7") };
        Self { ranges: ranges.map(ends) }
    }

    /// The indices in each dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_policies::ThreadMdRange;
    /// assert_eq!(ThreadMdRange::new([0..3, 2..6]).ranges(), [0..3, 2..6]);
    /// ```
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
