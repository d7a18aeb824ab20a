//! The rows that a team owns, as its nested loops are compared with them.

use crate::MAX_RANK;

/// The number of rows of a team's own part, for nested witnesses of each rank.
///
/// A loop of a team is compared with the number for the rank of its witnesses, so that arguments of different ranks may have parts of
/// different lengths.
///
/// # Examples
/// ```
/// use spelt_access::OwnRows;
/// let own = OwnRows::of(2, 8).and(OwnRows::of(3, 2)).and(OwnRows::of(2, 5));
/// assert_eq!([2, 3, 4].map(|rank| own.rows(rank)), [5, 2, usize::MAX]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnRows {
    /// The number for rank `r` is in place `r - 2`: nested witnesses have at least two components.
    rows: [usize; MAX_RANK - 1],
}

impl OwnRows {
    /// Those of arguments without parts for each team: no loop is too long.
    pub const ALL: Self = Self { rows: [usize::MAX; MAX_RANK - 1] };

    /// `rows` rows for nested witnesses of rank `rank`, from 2 to [`MAX_RANK`].
    ///
    /// # Panics
    /// If there are no nested witnesses of this rank.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::OwnRows;
    /// assert_eq!(OwnRows::of(3, 8).rows(3), 8);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn of(rank: usize, rows: usize) -> Self {
        let mut own = Self::ALL;
        own.rows[rank - 2] = rows;
        own
    }

    /// The smaller number for each rank.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::OwnRows;
    /// assert_eq!(OwnRows::of(2, 8).and(OwnRows::of(2, 5)), OwnRows::of(2, 5));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { rows: core::array::from_fn(|place| self.rows[place].min(other.rows[place])) }
    }

    /// The number for nested witnesses of rank `rank`, from 2 to [`MAX_RANK`].
    ///
    /// # Panics
    /// If there are no nested witnesses of this rank.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::OwnRows;
    /// assert_eq!(OwnRows::ALL.rows(2), usize::MAX);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn rows(&self, rank: usize) -> usize {
        self.rows[rank - 2]
    }
}
