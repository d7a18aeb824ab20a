//! The blocks of pairs that a block-sparse reduction keeps.

use core::mem::replace;
use core::ops::Range;

use spelt_core::{Error, ErrorKind, HostSpace, Layout, ReadView, Result};

use super::tree::MAX_PAIRS;
use crate::room::{collected, filled, push, room};

/// The blocks of pairs (i, j), out of M times N, that [`reduce_blocks_over_j`](crate::reduce_blocks_over_j) and
/// [`reduce_blocks_over_i`](crate::reduce_blocks_over_i) keep.
///
/// It is KeOps's tuple of six arrays, checked. The first three serve reductions over j: rows `ranges_i[k]` are paired with the
/// intervals `redranges_j[slices_i[k - 1]..slices_i[k]]`, where the first slice begins at 0; so `slices_i` are ends. The last three
/// are the same with i and j exchanged. Ranges are half-open.
///
/// Rows outside all ranges keep nothing, and so do ranges without intervals. Intervals need not be sorted: a row is reduced over them
/// in their order. If intervals of one range overlap or recur, their pairs count each time.
///
/// # Complexity
/// Memory O(ranges + intervals), on the host.
///
/// # Source
/// KeOps: the argument `ranges`, which is not checked there.
///
/// # Examples
/// Rows 0 and 1 with columns 0 and 3, rows 2 and 3 with none, row 4 with all:
/// ```
/// use spelt_algorithms::BlockRanges;
/// let ranges = BlockRanges::new(5, 4, (
///     vec![0..2, 4..5], vec![2, 3], vec![0..1, 3..4, 0..4],
///     vec![0..1, 1..3, 3..4], vec![2, 3, 5], vec![0..2, 4..5, 4..5, 0..2, 4..5],
/// ))?;
/// assert_eq!(ranges.area(), 8);
/// assert_eq!(ranges, BlockRanges::over_j(5, 4, vec![0..2, 4..5], vec![2, 3], vec![0..1, 3..4, 0..4])?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRanges {
    over_j: Half,
    over_i: Half,
}

/// Six arrays: `ranges_i`, `slices_i`, `redranges_j`, `ranges_j`, `slices_j`, `redranges_i`.
type Arrays<'a> = (
    &'a [Range<usize>],
    &'a [usize],
    &'a [Range<usize>],
    &'a [Range<usize>],
    &'a [usize],
    &'a [Range<usize>],
);

impl BlockRanges {
    /// Checks six arrays for `m` rows and `n` columns: `ranges_i`, `slices_i`, `redranges_j`, `ranges_j`, `slices_j`, `redranges_i`.
    ///
    /// Of the pairs that the halves keep, only the numbers are compared.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if a range goes beyond `m` or `n`; [`ErrorKind::Overflow`] if a row has more than 2^38 pairs;
    /// [`ErrorKind::Format`] if a range ends before it starts, row ranges overlap, there are not as many slices as ranges, slices
    /// decrease, the last slice is not the number of intervals, or the halves keep different numbers of pairs. The message
    /// says which, where, and with what values. [`ErrorKind::OutOfMemory`] if there is no memory to check them.
    #[expect(clippy::type_complexity, reason = "the six arrays are the interface, in their order")]
    pub fn new(
        m: usize,
        n: usize,
        (ranges_i, slices_i, redranges_j, ranges_j, slices_j, redranges_i): (
            Vec<Range<usize>>,
            Vec<usize>,
            Vec<Range<usize>>,
            Vec<Range<usize>>,
            Vec<usize>,
            Vec<Range<usize>>,
        ),
    ) -> Result<Self> {
        let over_j = Half::new(&OVER_J, m, n, ranges_i, slices_i, redranges_j)?;
        let over_i = Half::new(&OVER_I, n, m, ranges_j, slices_j, redranges_i)?;
        let (rows, columns) = (over_j.area(), over_i.area());
        if rows != columns {
            return malformed(format!(
                "the ranges of i keep {rows} pairs, the ranges of j {columns}: both must keep the same"
            ));
        }
        Ok(Self { over_j, over_i })
    }

    /// Checks the first three arrays and makes the other three from them: the columns between neighbouring ends of intervals become
    /// the ranges of j.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Complexity
    /// O(s log s + p) for s intervals, which the ends of all intervals cut into p pieces.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::BlockRanges;
    /// let ranges = BlockRanges::over_j(4, 9, vec![0..2, 2..4], vec![1, 2], vec![0..6, 3..9])?;
    /// let (_, _, _, ranges_j, slices_j, redranges_i) = ranges.arrays();
    /// assert_eq!((ranges_j, slices_j), (&[0..3, 3..6, 6..9][..], &[1, 3, 4][..]));
    /// assert_eq!(redranges_i, [0..2, 0..2, 2..4, 2..4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn over_j(
        m: usize,
        n: usize,
        ranges_i: Vec<Range<usize>>,
        slices_i: Vec<usize>,
        redranges_j: Vec<Range<usize>>,
    ) -> Result<Self> {
        let over_j = Half::new(&OVER_J, m, n, ranges_i, slices_i, redranges_j)?;
        let over_i = over_j.transposed()?;
        Ok(Self { over_j, over_i })
    }

    /// Keeps block (k, l), rows `ranges_i[k]` and columns `ranges_j[l]`, if `keep[[k, l]]` is true.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if `keep` does not have a row for each of `ranges_i` and a column for each of `ranges_j`; otherwise as
    /// [`new`](Self::new), where the ranges of j must not overlap either.
    ///
    /// # Complexity
    /// O(len of `keep`).
    ///
    /// # Source
    /// KeOps: `from_matrix`.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::BlockRanges;
    /// use spelt_core::View;
    /// let keep = View::from_vec("keep", [2, 3], vec![true, true, false, false, true, false])?;
    /// let ranges = BlockRanges::from_matrix(12, 30, &[2..5, 7..12], &[1..4, 4..9, 20..30], &keep)?;
    /// let (_, slices_i, redranges_j, _, slices_j, redranges_i) = ranges.arrays();
    /// assert_eq!((slices_i, redranges_j), (&[2, 3][..], &[1..4, 4..9, 4..9][..]));
    /// assert_eq!((slices_j, redranges_i), (&[1, 3, 3][..], &[2..5, 2..5, 7..12][..]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_matrix<L: Layout>(
        m: usize,
        n: usize,
        ranges_i: &[Range<usize>],
        ranges_j: &[Range<usize>],
        keep: &impl ReadView<bool, 2, HostSpace, L>,
    ) -> Result<Self> {
        let keep = keep.read();
        if keep.extents() != [ranges_i.len(), ranges_j.len()] {
            return Err(Error::new(
                ErrorKind::Extents,
                format!(
                    "`keep` has the extents {:?} for {} ranges of i and {} of j: give one row and one column for each",
                    keep.extents(),
                    ranges_i.len(),
                    ranges_j.len()
                ),
            ));
        }
        let half = |names,
                    [rows, columns]: [usize; 2],
                    ranges: &[Range<usize>],
                    reduced: &[Range<usize>],
                    kept: &dyn Fn(usize, usize) -> bool| {
            let (mut slices, mut intervals) = (room(ranges.len(), SLICES)?, Vec::new());
            for k in 0..ranges.len() {
                for l in (0..reduced.len()).filter(|&l| kept(k, l)) {
                    push(&mut intervals, reduced[l].clone(), INTERVALS)?;
                }
                slices.push(intervals.len());
            }
            let ranges = collected(ranges.iter().cloned(), RANGES)?;
            Half::new(names, rows, columns, ranges, slices, intervals)
        };
        Ok(Self {
            over_j: half(&OVER_J, [m, n], ranges_i, ranges_j, &|k, l| keep[[k, l]])?,
            over_i: half(&OVER_I, [n, m], ranges_j, ranges_i, &|l, k| keep[[k, l]])?,
        })
    }

    /// The same pairs with i and j exchanged.
    ///
    /// # Source
    /// KeOps: `swap_axes`.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::BlockRanges;
    /// let ranges = BlockRanges::over_j(4, 9, vec![1..3], vec![1], vec![0..6])?.swap_axes();
    /// assert_eq!((ranges.extents(), ranges.area()), ([9, 4], 12));
    /// assert_eq!(ranges, BlockRanges::over_j(9, 4, vec![0..6], vec![1], vec![1..3])?);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn swap_axes(self) -> Self {
        Self { over_j: self.over_i, over_i: self.over_j }
    }

    /// The numbers M and N of rows and columns.
    #[must_use]
    pub fn extents(&self) -> [usize; 2] {
        [self.over_j.rows, self.over_j.columns]
    }

    /// The number of pairs that are kept, each as often as it counts, which is the number of calls of a reduction.
    #[must_use]
    pub fn area(&self) -> u128 {
        self.over_j.area()
    }

    /// The six arrays: `ranges_i`, `slices_i`, `redranges_j`, `ranges_j`, `slices_j`, `redranges_i`.
    #[must_use]
    pub fn arrays(&self) -> Arrays<'_> {
        let (j, i) = (&self.over_j, &self.over_i);
        (&j.ranges, &j.slices, &j.reduced, &i.ranges, &i.slices, &i.reduced)
    }

    pub(super) fn rows(&self) -> &Half {
        &self.over_j
    }

    pub(super) fn columns(&self) -> &Half {
        &self.over_i
    }
}

/// The allocations that may fail.
const RANGES: &str = "ranges of a block-sparse reduction";
const SLICES: &str = "slices of a block-sparse reduction";
const INTERVALS: &str = "intervals of a block-sparse reduction";

/// The names of a half's arrays in messages: ranges, slices, intervals, and the numbers of rows and columns.
type Names = [&'static str; 5];
const OVER_J: Names = ["ranges_i", "slices_i", "redranges_j", "m", "n"];
const OVER_I: Names = ["ranges_j", "slices_j", "redranges_i", "n", "m"];

/// The half of the arrays that serves one direction.
///
/// Its ranges lie in `0..rows` and do not overlap, its intervals lie in `0..columns`, and its slices cut all of them: reductions
/// rely on this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Half {
    pub(super) rows: usize,
    pub(super) columns: usize,
    ranges: Vec<Range<usize>>,
    slices: Vec<usize>,
    reduced: Vec<Range<usize>>,
}

impl Half {
    fn new(
        [ranges_name, slices_name, reduced_name, rows_name, columns_name]: &Names,
        rows: usize,
        columns: usize,
        ranges: Vec<Range<usize>>,
        slices: Vec<usize>,
        reduced: Vec<Range<usize>>,
    ) -> Result<Self> {
        for (name, ranges, whole, extent) in
            [(ranges_name, &ranges, rows_name, rows), (reduced_name, &reduced, columns_name, columns)]
        {
            for (k, range) in ranges.iter().enumerate() {
                if range.start > range.end {
                    return malformed(format!("{name}[{k}] is {range:?}, which ends before it starts"));
                }
                if range.end > extent {
                    return Err(Error::new(
                        ErrorKind::Extents,
                        format!("{name}[{k}] is {range:?}, which goes beyond {whole} = {extent}"),
                    ));
                }
            }
        }
        if slices.len() != ranges.len() {
            return malformed(format!(
                "{slices_name} has {} ends for the {} ranges of {ranges_name}: give one for each",
                slices.len(),
                ranges.len()
            ));
        }
        for (k, pair) in slices.windows(2).enumerate() {
            if pair[0] > pair[1] {
                return malformed(format!(
                    "{slices_name} decreases from {} at {k} to {} at {}: slices are ends, which only grow",
                    pair[0],
                    pair[1],
                    k + 1
                ));
            }
        }
        let last = slices.last().copied().unwrap_or(0);
        if last != reduced.len() {
            return malformed(format!(
                "the last end of {slices_name} is {last}, but {reduced_name} has {} intervals: it must be their number",
                reduced.len()
            ));
        }
        let mut order = collected(0..ranges.len(), RANGES)?;
        order.retain(|&k| !ranges[k].is_empty());
        // In place: a stable sort needs extra memory.
        order.sort_unstable_by_key(|&k| (ranges[k].start, k));
        for pair in order.windows(2) {
            let (left, right) = (&ranges[pair[0]], &ranges[pair[1]]);
            if left.end > right.start {
                return malformed(format!(
                    "{ranges_name}[{}] and [{}], {left:?} and {right:?}, overlap: each row may be in one range only",
                    pair[0], pair[1]
                ));
            }
        }
        let half = Self { rows, columns, ranges, slices, reduced };
        for k in 0..half.ranges.len() {
            let pairs: u128 = half.intervals(k).iter().map(|interval| interval.len() as u128).sum();
            if pairs > MAX_PAIRS as u128 {
                return Err(Error::new(
                    ErrorKind::Overflow,
                    format!(
                        "rows {:?} have {pairs} pairs each, more than the {MAX_PAIRS} that fit",
                        half.ranges[k]
                    ),
                ));
            }
        }
        Ok(half)
    }

    /// The intervals of range `k`.
    pub(super) fn intervals(&self, k: usize) -> &[Range<usize>] {
        let start = if k == 0 { 0 } else { self.slices[k - 1] };
        &self.reduced[start..self.slices[k]]
    }

    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    fn area(&self) -> u128 {
        let row = |k| self.intervals(k).iter().map(|interval| interval.len() as u128).sum::<u128>();
        self.ranges.iter().enumerate().map(|(k, range)| range.len() as u128 * row(k)).sum()
    }

    /// The other half, for a half of rows: the ends of all intervals cut the columns into ranges.
    fn transposed(&self) -> Result<Self> {
        let mut cuts = room(self.reduced.len().saturating_mul(2), "ends of intervals")?;
        cuts.extend(self.reduced.iter().flat_map(|interval| [interval.start, interval.end]));
        cuts.sort_unstable();
        cuts.dedup();
        // Calls `found` with each range and each piece of the columns that an interval of it covers.
        let pieces = |found: &mut dyn FnMut(usize, usize)| {
            for k in 0..self.ranges.len() {
                for interval in self.intervals(k).iter().filter(|interval| !interval.is_empty()) {
                    let first = cuts.partition_point(|&cut| cut < interval.start);
                    (first..)
                        .take_while(|&piece| cuts[piece] < interval.end)
                        .for_each(|piece| found(k, piece));
                }
            }
        };
        // The ends of the pieces' rows, which are counted first.
        let mut ends = filled(0, cuts.len().saturating_sub(1), SLICES)?;
        pieces(&mut |_, piece| ends[piece] += 1);
        let mut all = 0;
        for end in &mut ends {
            all += *end;
            *end = all;
        }
        let (mut ranges, mut slices) = (room(ends.len(), RANGES)?, room(ends.len(), SLICES)?);
        let mut last = 0;
        for (piece, &end) in ends.iter().enumerate() {
            if end > last {
                ranges.push(cuts[piece]..cuts[piece + 1]);
                slices.push(end);
            }
            last = end;
        }
        // The places from which on each piece's rows are written, in their order.
        let mut places = ends;
        let mut start = 0;
        for place in &mut places {
            start = replace(place, start);
        }
        let mut reduced = filled(0..0, all, INTERVALS)?;
        pieces(&mut |k, piece| {
            reduced[places[piece]] = self.ranges[k].clone();
            places[piece] += 1;
        });
        Self::new(&OVER_I, self.columns, self.rows, ranges, slices, reduced)
    }
}

fn malformed<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Format, message))
}
