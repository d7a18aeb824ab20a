//! `find_if`, `any_of`, `all_of` and `count_if` of a team.

use spelt_core::reducers::{Min, Sum};
use spelt_core::{IntoRange, NestedIdx, Team};

/// Indices that a thread tests before the team looks at what is found. Unit: indices. Source: the rows of a tile, which a warp reduces.
const EACH: usize = 64;

/// At least so many indices are tested between two looks. Unit: indices. Source: estimated: a meeting of host threads takes longer than
/// some hundred tests.
const LEAST: usize = 256;

/// The first index of `range` for which `test` returns true, or `None`.
///
/// `test` is called at most once for each index, also for some after the result, and `test` must accept every index: a
/// panic there is a panic of the search. Other searches are tests that compare: `x[rj] != y[rj]`
/// is a mismatch, `x[[row, rj.inner()]] == x[[row, rj.inner() + 1]]` finds equal neighbours.
///
/// # Panics
/// If a View that the witnesses index does not cover `range`; if the team's threads do not all make this call; if `test` panics.
///
/// # Complexity
/// For the result p: work O(p), fewer than max(64 t, 256) calls after it in a team of t threads; span O(p / t). One reduction of the team for
/// every max(64 t, 256) indices.
///
/// # Source
/// Kokkos: `find_if` with a team.
///
/// # Examples
/// The first negative element of each row:
/// ```
/// use spelt_algorithms::team;
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let a = View::from_vec("a", [2, 4], vec![1, 2, -3, -4, 5, 6, 7, 8])?;
/// let mut first = View::<usize, 1>::zeros("first", [2])?;
/// parallel_for("first", space.team(2, AUTO), (&a, &mut first), |t, (a, mut first)| {
///     let place = team::find_if(t, 4, |rj| a[rj] < 0);
///     t.single(|w| first[w] = place.unwrap_or(4));
/// })?;
/// assert_eq!(first.to_vec(), [2, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[track_caller]
pub fn find_if<'k, V>(
    team: &mut Team<'k, V>,
    range: impl IntoRange,
    mut test: impl for<'j> FnMut(NestedIdx<'k, 'j, 2>) -> bool,
) -> Option<usize> {
    let policy = team.thread_range(range);
    // The pieces depend on the size of the team, a panic does not.
    team.check_covered(&policy);
    let range = policy.range();
    let piece = (EACH * team.team_size()).max(LEAST);
    let mut start = range.start;
    while start < range.end {
        let end = range.end.min(start.saturating_add(piece));
        // All threads get the same number, so they stop together, regardless of what each one's test returned.
        let first = team.parallel_reduce(
            team.thread_range(start..end),
            |rj, first| {
                let place = if test(rj) { rj.inner() } else { usize::MAX };
                *first = place.min(*first);
            },
            Min::<usize>::new(),
        );
        if first < end {
            return Some(first);
        }
        start = end;
    }
    None
}

/// Whether `test` returns true for an index of `range`; false if there are none: otherwise as [`find_if`].
///
/// # Panics
/// As [`find_if`].
///
/// # Complexity
/// As [`find_if`].
///
/// # Source
/// Kokkos: `any_of` and `none_of` with a team.
///
/// # Examples
/// ```
/// use spelt_algorithms::team;
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let a = View::from_vec("a", [2, 2], vec![1.0, f64::NAN, 2.0, 3.0])?;
/// let mut bad = View::<bool, 1>::zeros("bad", [2])?;
/// parallel_for("bad", space.team(2, AUTO), (&a, &mut bad), |t, (a, mut bad)| {
///     let any = team::any_of(t, 2, |rj| a[rj].is_nan());
///     t.single(|w| bad[w] = any);
/// })?;
/// assert_eq!(bad.to_vec(), [true, false]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[track_caller]
pub fn any_of<'k, V>(
    team: &mut Team<'k, V>,
    range: impl IntoRange,
    test: impl for<'j> FnMut(NestedIdx<'k, 'j, 2>) -> bool,
) -> bool {
    find_if(team, range, test).is_some()
}

/// Whether `test` returns true for all indices of `range`; true if there are none: otherwise as [`find_if`].
///
/// # Panics
/// As [`find_if`].
///
/// # Complexity
/// As [`find_if`].
///
/// # Source
/// Kokkos: `all_of`, and `equal` and `is_sorted`, with a team.
///
/// # Examples
/// Whether each row is sorted:
/// ```
/// use spelt_algorithms::team;
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let a = View::from_vec("a", [2, 3], vec![1, 3, 2, 4, 4, 5])?;
/// let mut sorted = View::<bool, 1>::zeros("sorted", [2])?;
/// parallel_for("sorted", space.team(2, AUTO), (&a, &mut sorted), |t, (a, mut sorted)| {
///     let row = t.league_rank();
///     let all = team::all_of(t, 1..3, |rj| a[[row, rj.inner() - 1]] <= a[rj]);
///     t.single(|w| sorted[w] = all);
/// })?;
/// assert_eq!(sorted.to_vec(), [false, true]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[track_caller]
pub fn all_of<'k, V>(
    team: &mut Team<'k, V>,
    range: impl IntoRange,
    mut test: impl for<'j> FnMut(NestedIdx<'k, 'j, 2>) -> bool,
) -> bool {
    find_if(team, range, |rj| !test(rj)).is_none()
}

/// The number of indices of `range` for which `test` returns true.
///
/// `test` is called once for each index.
///
/// # Panics
/// If a View that the witnesses index does not cover `range`; if the team's threads do not all make this call; if `test` panics.
///
/// # Complexity
/// Work O(n) for n indices; span O(n / t + log n) in a team of t threads.
///
/// # Source
/// Kokkos: `count_if` with a team.
///
/// # Examples
/// ```
/// use spelt_algorithms::team;
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let a = View::from_fn("a", [2, 5], |[i, j]| i + j)?;
/// let mut even = View::<usize, 1>::zeros("even", [2])?;
/// parallel_for("even", space.team(2, AUTO), (&a, &mut even), |t, (a, mut even)| {
///     let count = team::count_if(t, 5, |rj| a[rj] % 2 == 0);
///     t.single(|w| even[w] = count);
/// })?;
/// assert_eq!(even.to_vec(), [3, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[track_caller]
pub fn count_if<'k, V>(
    team: &mut Team<'k, V>,
    range: impl IntoRange,
    mut test: impl for<'j> FnMut(NestedIdx<'k, 'j, 2>) -> bool,
) -> usize {
    let range = team.thread_range(range);
    team.parallel_reduce(range, |rj, count| *count += usize::from(test(rj)), Sum::<usize>::new())
}
