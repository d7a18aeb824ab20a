//! The rows of each rank.

use core::fmt;
use core::ops::Range;
use std::sync::Arc;

use spelt_core::{Error, ErrorKind, Result};

/// Rows of Views of rank 1 are divided at multiples of this number, which is a multiple of the length of every tile. Unit: elements.
const TILE: usize = 2048;

/// The division of the rows of Views, the indices of their first dimension, among ranks: each rank has an interval of them, in the
/// order of the ranks.
///
/// Results do not depend on it. Intervals may be empty and end anywhere.
///
/// # Examples
/// ```
/// use spelt_mpi::Partition;
/// let rows = Partition::even(10, 4);
/// assert_eq!(rows.cuts(), [0, 2, 5, 7, 10]);
/// assert_eq!((rows.rows(1), rows.owner(6)), (2..5, 2));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Partition {
    cuts: Arc<[usize]>,
}

impl Partition {
    /// Intervals of equal length, as far as this is possible: for Views of rank 2 and more.
    ///
    /// # Panics
    /// If there are no ranks.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Partition::even(7, 2).cuts(), [0, 3, 7]);
    /// ```
    #[must_use]
    pub fn even(rows: usize, ranks: usize) -> Self {
        Self::of(ranks, |rank| (rows as u128 * rank as u128 / ranks as u128) as usize)
    }

    /// Intervals of about equal length that end at multiples of 2048: for Views of rank 1. No reduction over them needs a message for a
    /// tile that two ranks share.
    ///
    /// # Panics
    /// If there are no ranks.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Partition::by_tiles(10_000, 2).cuts(), [0, 4096, 10_000]);
    /// ```
    #[must_use]
    pub fn by_tiles(rows: usize, ranks: usize) -> Self {
        let tiles = rows.div_ceil(TILE) as u128;
        Self::of(ranks, |rank| {
            ((tiles * rank as u128 / ranks as u128) as usize).saturating_mul(TILE).min(rows)
        })
    }

    /// The intervals between these numbers: rank r has the rows from `cuts[r]` to `cuts[r + 1]`.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if they do not ascend from 0, or there are fewer than two.
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::Partition;
    /// assert_eq!(Partition::from_cuts(&[0, 5, 5, 9])?.rows(1), 5..5);
    /// assert!(Partition::from_cuts(&[0, 5, 3]).is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_cuts(cuts: &[usize]) -> Result<Self> {
        if let (true, [0, _, ..]) = (cuts.is_sorted(), cuts) {
            return Ok(Self { cuts: cuts.into() });
        }
        let message = format!(
            "the cuts are {cuts:?}: give one more than there are ranks, ascending from 0 to the number of rows"
        );
        Err(Error::new(ErrorKind::Extents, message))
    }

    /// Intervals of about equal weight: `weights` has one for each row, such as the number of its nonzeros.
    ///
    /// Weights that are negative or not finite count as zero. If all are zero, the intervals are [even](Self::even).
    ///
    /// # Panics
    /// If there are no ranks.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Partition::by_weights(&[1.0, 1.0, 1.0, 3.0], 2).cuts(), [0, 3, 4]);
    /// ```
    #[must_use]
    pub fn by_weights(weights: &[f64], ranks: usize) -> Self {
        let usable = |weight: &f64| if weight.is_finite() { weight.max(0.0) } else { 0.0 };
        let sums: Vec<f64> = weights
            .iter()
            .scan(0.0, |sum, weight| {
                *sum += usable(weight);
                Some(*sum)
            })
            .collect();
        let all = sums.last().copied().unwrap_or(0.0);
        if all == 0.0 || !all.is_finite() {
            return Self::even(weights.len(), ranks);
        }
        Self::of(ranks, |rank| match rank {
            0 => 0,
            rank if rank == ranks => weights.len(),
            // A row belongs to the rank in whose share its middle lies.
            rank => {
                let share = all * (rank as f64 / ranks as f64);
                let before = |row: usize| if row == 0 { 0.0 } else { sums[row - 1] };
                let end = sums.partition_point(|sum| *sum <= share);
                end + usize::from(end < weights.len() && (before(end) + sums[end]) / 2.0 < share)
            }
        })
    }

    fn of(ranks: usize, cut: impl Fn(usize) -> usize) -> Self {
        assert!(ranks > 0, "a partition is one among ranks: there are none");
        Self { cuts: (0..=ranks).map(cut).collect() }
    }

    /// The number of ranks.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Partition::even(10, 4).ranks(), 4);
    /// ```
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The number of rows of all ranks together.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Partition::even(10, 4).len(), 10);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.cuts[self.ranks()]
    }

    /// Whether there are no rows.
    ///
    /// # Examples
    /// ```
    /// assert!(spelt_mpi::Partition::even(0, 4).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first row of each rank, and the number of rows.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Partition::even(4, 2).cuts(), [0, 2, 4]);
    /// ```
    #[must_use]
    pub fn cuts(&self) -> &[usize] {
        &self.cuts
    }

    /// The rows of a rank.
    ///
    /// # Panics
    /// If `rank` is not below the number of ranks.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Partition::even(4, 2).rows(1), 2..4);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn rows(&self, rank: usize) -> Range<usize> {
        assert!(rank < self.ranks(), "rank {rank} of {}", self.ranks());
        self.cuts[rank]..self.cuts[rank + 1]
    }

    /// The rank that has a row.
    ///
    /// # Panics
    /// If `row` is not below the number of rows.
    ///
    /// # Complexity
    /// O(log P).
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_mpi::Partition::from_cuts(&[0, 2, 2, 4])?.owner(2), 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn owner(&self, row: usize) -> usize {
        assert!(row < self.len(), "row {row} of {}", self.len());
        self.cuts.partition_point(|cut| *cut <= row) - 1
    }
}

impl fmt::Debug for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Partition").field(&self.cuts).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Partition;

    #[test]
    fn every_row_has_one_owner() {
        let weights: Vec<f64> = (0..50).map(|row| f64::from(row % 7)).collect();
        for ranks in [1, 2, 3, 7, 60] {
            let partitions = [
                Partition::even(50, ranks),
                Partition::by_tiles(5000, ranks),
                Partition::by_weights(&weights, ranks),
                Partition::by_weights(&[0.0; 5], ranks),
            ];
            for partition in partitions {
                assert_eq!(partition.ranks(), ranks);
                let owners: Vec<usize> =
                    (0..ranks).flat_map(|rank| partition.rows(rank).map(move |_| rank)).collect();
                assert!((0..partition.len()).map(|row| partition.owner(row)).eq(owners), "{partition:?}");
            }
        }
    }

    #[test]
    fn shares_are_fair() {
        let longest = |partition: &Partition| {
            (0..partition.ranks()).map(|rank| partition.rows(rank).len()).max().expect("ranks")
        };
        assert_eq!(longest(&Partition::even(100, 7)), 15);
        assert_eq!(longest(&Partition::even(usize::MAX, 3)), usize::MAX / 3);
        assert_eq!(longest(&Partition::by_tiles(2048 * 7 - 5, 7)), 2048);
        let heavy = Partition::by_weights(&[1.0, 0.0, f64::NAN, -3.0, 1.0, 2.0], 2);
        assert_eq!(heavy.cuts(), [0, 5, 6]);
    }
}
