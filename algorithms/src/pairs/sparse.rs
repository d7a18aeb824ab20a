//! Reductions over the pairs that a block-sparse pattern keeps.

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{
    Dynamic, Element, Error, ErrorKind, ExecutionSpace, Layout, LookupAccess, MemorySpace, ReadView, Result,
    Right, View, ViewMut, ViewRef, WriteView, parallel_for,
};

use super::ranges::{BlockRanges, Half};
use super::rows::{HostRows, Place, rows_of};
use super::teams::{self, TeamRow};
use crate::room::{collected, push, room};

/// Reduces over the kept `j` for every `i`: [`reduce_pairs_over_j`](crate::reduce_pairs_over_j) for a part of the pairs.
///
/// The intervals of a row's range, one after the other, are one list of indices, and values join in the canonical order of a
/// reduction over that list. So if one interval, or several adjacent ones in ascending order, hold all indices, the
/// result has the bits of the dense reduction. A row that keeps nothing, because it is in no range or its range has no
/// intervals, becomes `finish(init())`.
///
/// # Errors
/// [`ErrorKind::Extents`] if `x`, `y` and `a` are not as long as `ranges` says; [`ErrorKind::OutOfMemory`] if there is no room for
/// the ranges in the space's memory.
///
/// # Panics
/// As [`reduce_pairs_over_j`](crate::reduce_pairs_over_j).
///
/// # Complexity
/// Work exactly [`area`](BlockRanges::area) calls of `f`, and O(M + intervals); if intervals are shorter than 32, up to 32 steps a
/// row of 16 for each interval. Span: the longest row. Copies O(M / 16 + ranges + intervals) words to the space. On a device up to 128
/// rows of a range are a team, which reads each of their `y` once, into shared memory; all teams have the threads that the range with
/// the most rows needs.
///
/// # Source
/// KeOps: reductions over `axis=1` with `ranges`.
///
/// # Examples
/// ```
/// use spelt_algorithms::{BlockRanges, reduce_blocks_over_j};
/// use spelt_core::{Serial, View, reducers::Sum};
/// let ranges = BlockRanges::over_j(3, 4, vec![0..2], vec![2], vec![0..1, 2..4])?;
/// let (x, y) = (View::from_fn("x", [3], |[i]| i)?, View::from_fn("y", [4], |[j]| 10 * j)?);
/// let mut a = View::from_fn("a", [3], |_| 7)?;
/// reduce_blocks_over_j(&Serial::new(), &ranges, &x, &y, &mut a, |_, sum, (x, y)| *sum += x + y, Sum::<usize>::new())?;
/// assert_eq!(a.to_vec(), [50, 53, 0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_blocks_over_j<S, X, Y, LX, LY, LA, R, F>(
    space: &S,
    ranges: &BlockRanges,
    x: &impl ReadView<X, 1, S::Memory, LX>,
    y: &impl ReadView<Y, 1, S::Memory, LY>,
    a: &mut impl WriteView<R::Output, 1, S::Memory, LA>,
    f: F,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    X: Element,
    Y: Element,
    LX: Layout,
    LY: Layout,
    LA: Layout,
    R: Reducer + Sync,
    R::Output: Element,
    F: Fn([usize; 2], &mut R::Value, (X, Y)) + Sync,
{
    let _region = algorithm("reduce_blocks_over_j");
    let (x, y, a) = (x.read(), y.read(), a.write());
    check("reduce_blocks_over_j", ranges, [x.len(), y.len()], "x", a.len(), x.len())?;
    reduce("reduce_blocks_over_j", space, ranges.rows(), x, y, a, f, reducer)
}

/// Reduces over the kept `i` for every `j`: the transposed form of [`reduce_blocks_over_j`], by the last three arrays of `ranges`.
///
/// # Errors
/// As [`reduce_blocks_over_j`].
///
/// # Panics
/// As [`reduce_blocks_over_j`].
///
/// # Complexity
/// As [`reduce_blocks_over_j`], with the parts of `x` and `y` exchanged.
///
/// # Source
/// KeOps: reductions over `axis=0` with `ranges`.
///
/// # Examples
/// ```
/// use spelt_algorithms::{BlockRanges, reduce_blocks_over_i};
/// use spelt_core::{Serial, View, reducers::Sum};
/// let ranges = BlockRanges::over_j(3, 4, vec![0..2], vec![2], vec![0..1, 2..4])?;
/// let (x, y) = (View::from_fn("x", [3], |[i]| i)?, View::from_fn("y", [4], |[j]| 10 * j)?);
/// let mut b = View::from_fn("b", [4], |_| 7)?;
/// reduce_blocks_over_i(&Serial::new(), &ranges, &x, &y, &mut b, |_, sum, (x, y)| *sum += x + y, Sum::<usize>::new())?;
/// assert_eq!(b.to_vec(), [1, 0, 41, 61]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_blocks_over_i<S, X, Y, LX, LY, LB, R, F>(
    space: &S,
    ranges: &BlockRanges,
    x: &impl ReadView<X, 1, S::Memory, LX>,
    y: &impl ReadView<Y, 1, S::Memory, LY>,
    b: &mut impl WriteView<R::Output, 1, S::Memory, LB>,
    f: F,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    X: Element,
    Y: Element,
    LX: Layout,
    LY: Layout,
    LB: Layout,
    R: Reducer + Sync,
    R::Output: Element,
    F: Fn([usize; 2], &mut R::Value, (X, Y)) + Sync,
{
    let _region = algorithm("reduce_blocks_over_i");
    let (x, y, b) = (x.read(), y.read(), b.write());
    check("reduce_blocks_over_i", ranges, [x.len(), y.len()], "y", b.len(), y.len())?;
    let turned = move |[j, i]: [usize; 2], value: &mut R::Value, (y, x)| f([i, j], value, (x, y));
    reduce("reduce_blocks_over_i", space, ranges.columns(), y, x, b, turned, reducer)
}

fn check(
    function: &str,
    ranges: &BlockRanges,
    lengths: [usize; 2],
    rows: &str,
    results: usize,
    wanted: usize,
) -> Result<()> {
    let fail = |message: String| Err(Error::new(ErrorKind::Extents, format!("{function}: {message}")));
    if ranges.extents() != lengths {
        let ([m, n], [x, y]) = (ranges.extents(), lengths);
        return fail(format!(
            "the ranges are for {m} and {n} elements, but x has {x} and y {y}: give as many"
        ));
    }
    if results != wanted {
        return fail(format!(
            "there are {results} results for the {wanted} elements of {rows}: give as many of both"
        ));
    }
    Ok(())
}

/// A place among the indices of some intervals.
struct Among<'a, 'k> {
    intervals: &'a LookupAccess<'k, [usize; 2], 1>,
    /// The intervals that are left, the one of `index` included.
    left: [usize; 2],
    index: usize,
    end: usize,
}

impl Copy for Among<'_, '_> {}
impl Clone for Among<'_, '_> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, 'k> Among<'a, 'k> {
    /// The first index of the intervals `left`.
    #[inline(always)]
    fn new(intervals: &'a LookupAccess<'k, [usize; 2], 1>, left: [usize; 2]) -> Self {
        let mut place = Self { intervals, left: [left[0].wrapping_sub(1), left[1]], index: 0, end: 0 };
        place.advance(0);
        place
    }
}

impl Place for Among<'_, '_> {
    #[inline(always)]
    fn index(self) -> usize {
        self.index
    }
    #[inline(always)]
    fn advance(&mut self, mut distance: usize) {
        while distance >= self.end - self.index {
            distance -= self.end - self.index;
            let next = self.left[0].wrapping_add(1);
            if next >= self.left[1] {
                self.index = self.end;
                return;
            }
            self.left[0] = next;
            [self.index, self.end] = self.intervals[next];
        }
        self.index += distance;
    }
}

/// The pattern, in the memory of the launch's space.
struct Plan<M: MemorySpace> {
    /// First row, number of rows, range.
    units: View<[usize; 3], 1, M>,
    /// Rows of the unit with the most, and pairs of the row with the most.
    max_rows: usize,
    max_pairs: usize,
    /// First interval, the one after the last, number of pairs of a row; after the ranges one without intervals.
    ranges: View<[usize; 3], 1, M>,
    intervals: View<[usize; 2], 1, M>,
}

/// The allocations that may fail.
const LISTS: &str = "ranges, intervals and units of a block-sparse reduction";

impl<M: MemorySpace> Plan<M> {
    /// Cuts the rows of each range, and those in none, into units of the `rows_of(rows left)` rows that the kernel takes at once.
    fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        half: &Half,
        rows_of: impl Fn(usize) -> usize,
    ) -> Result<Self> {
        let mut ranges = room(half.ranges().len().saturating_add(1), LISTS)?;
        let mut intervals = Vec::<[usize; 2]>::new();
        for k in 0..half.ranges().len() {
            let first = intervals.len();
            let mut pairs = 0;
            for interval in half.intervals(k).iter().filter(|interval| !interval.is_empty()) {
                pairs += interval.len();
                match intervals[first..].last_mut() {
                    // Adjacent intervals become one: the list of indices is the same.
                    Some(last) if last[1] == interval.start => last[1] = interval.end,
                    _ => push(&mut intervals, [interval.start, interval.end], LISTS)?,
                }
            }
            ranges.push([first, intervals.len(), pairs]);
        }
        ranges.push([0, 0, 0]);
        let mut order = collected(0..half.ranges().len(), LISTS)?;
        order.retain(|&k| !half.ranges()[k].is_empty());
        order.sort_unstable_by_key(|&k| (half.ranges()[k].start, k));
        let mut units = Vec::new();
        let mut cut = |mut from: usize, to: usize, k: usize| -> Result<()> {
            while from < to {
                let rows = rows_of(to - from);
                push(&mut units, [from, rows, k], LISTS)?;
                from += rows;
            }
            Ok(())
        };
        let (mut row, none) = (0, half.ranges().len());
        for k in order {
            let range = &half.ranges()[k];
            cut(row, range.start, none)?;
            cut(range.start, range.end, k)?;
            row = range.end;
        }
        cut(row, half.rows, none)?;
        Ok(Self {
            max_pairs: ranges.iter().map(|range| range[2]).max().unwrap_or(0),
            max_rows: units.iter().map(|unit| unit[1]).max().unwrap_or(0),
            units: in_space(space, "units", units)?,
            ranges: in_space(space, "ranges", ranges)?,
            intervals: in_space(space, "intervals", intervals)?,
        })
    }
}

fn in_space<S: ExecutionSpace, T: Element>(
    space: &S,
    label: &str,
    vec: Vec<T>,
) -> Result<View<T, 1, S::Memory>> {
    View::<T, 1, _, Right>::from_vec(label, [vec.len()], vec)?.to_space(space)
}

/// Reduces each row `i` of `x` over its indices of `y`.
#[expect(clippy::too_many_arguments, reason = "each is one thing that a reduction knows")]
fn reduce<S, X, Y, LX, LY, LA, R, F>(
    function: &str,
    space: &S,
    half: &Half,
    x: ViewRef<'_, X, 1, S::Memory, LX>,
    y: ViewRef<'_, Y, 1, S::Memory, LY>,
    mut a: ViewMut<'_, R::Output, 1, S::Memory, LA>,
    f: F,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    X: Element,
    Y: Element,
    LX: Layout,
    LY: Layout,
    LA: Layout,
    R: Reducer + Sync,
    R::Output: Element,
    F: Fn([usize; 2], &mut R::Value, (X, Y)) + Sync,
{
    let host = !S::IS_DEVICE;
    let plan = Plan::new(space, half, |left| if host { rows_of::<R>(left) } else { left.min(teams::ROWS) })?;
    let units = plan.units.len();
    // SAFETY: units are disjoint parts of the rows: `Plan::new` walks once over ranges that do not overlap, and the rows between them.
    let results = unsafe { a.distinct() };
    let arguments =
        (x.lookup(), y.lookup(), results, plan.units.lookup(), plan.ranges.lookup(), plan.intervals.lookup());
    if S::IS_DEVICE {
        // Small teams share a warp; larger ones are whole warps.
        let threads = match plan.max_rows {
            rows @ 0..32 => rows.next_power_of_two(),
            rows => rows.next_multiple_of(32),
        };
        return parallel_for(
            function,
            space.team(units, threads).scratch(teams::scratch::<R, Y>(plan.max_pairs), 0),
            arguments,
            move |team, (x, y, mut a, units, ranges, intervals)| {
                let [first, rows, range] = units[team.league_rank()];
                let [from, to, n] = ranges[range];
                let active = team.team_rank() < rows;
                let row = first + team.team_rank().min(rows - 1);
                let (x, place) = (x[row], Among::new(&intervals, [from, to]));
                let f = |j, value: &mut R::Value, y| f([row, j], value, (x, y));
                let value = TeamRow { reducer: &reducer, active, n, place, y: |j| y[j], f }.run(team);
                if active {
                    a[row] = reducer.finish(value);
                }
            },
        );
    }
    parallel_for(
        function,
        space.range(0..units).chunk(1).schedule(Dynamic),
        arguments,
        move |unit, (x, y, mut a, units, ranges, intervals)| {
            let [row, rows, range] = units[unit.get()];
            let [first, last, n] = ranges[range];
            let place = Among::new(&intervals, [first, last]);
            let kernel = HostRows { x: &x, y: &y, a: &mut a, f: &f, reducer: &reducer };
            kernel.reduce((row, rows), n, place);
        },
    )
}
