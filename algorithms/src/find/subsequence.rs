//! `search`, `find_end` and `search_n`: one View within another, and runs of one value.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, LookupAccess, ReadView, Result, parallel_for};

use super::pieces::{PART, PIECES, Pieces, Wanted, find_where};

/// The first position from which on the elements of `x` equal those of `pattern`, or `None`.
///
/// An empty pattern is found at 0. NaN equals nothing. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// As [`search_by`].
///
/// # Source
/// C++ and Kokkos: `search`; Rust: `str::find`.
///
/// # Examples
/// ```
/// use spelt_algorithms::search;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [6], vec![1, 2, 1, 2, 3, 1])?;
/// let pattern = View::from_vec("pattern", [3], vec![1, 2, 3])?;
/// assert_eq!(search(&Serial::new(), &x, &pattern)?, Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn search<S, T, U, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    pattern: &impl ReadView<U, 1, S::Memory, K>,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + PartialEq<U>,
    U: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("search");
    search_by(space, x, pattern, |x, y| x == y)
}

/// [`search`] with `same` in place of `==`.
///
/// For each position `same` is called for the elements of the pattern in their order, until it returns false. It must
/// accept all elements: it may be called for positions after the result, and a panic there is a panic of the search. The result is the same
/// on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `same` panics.
///
/// # Complexity
/// For the result p, or n elements without one, and a pattern of m: work O(p m), and O(p) where most positions differ in their first
/// elements; span O((p + n / 16) m / threads + m). On one thread nothing after the pattern is compared; otherwise as
/// [`find_if`](crate::find_if).
///
/// # Source
/// C++ and Kokkos: `search` with a predicate.
///
/// # Examples
/// ```
/// use spelt_algorithms::search_by;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![1.0, 2.1, 2.9, 4.0_f64])?;
/// let pattern = View::from_vec("pattern", [2], vec![2.0, 3.0])?;
/// assert_eq!(search_by(&Serial::new(), &x, &pattern, |x: &f64, y: &f64| (x - y).abs() < 0.2)?, Some(1));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn search_by<S, T, U, L, K, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    pattern: &impl ReadView<U, 1, S::Memory, K>,
    same: P,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element,
    U: Element,
    L: Layout,
    K: Layout,
    P: Fn(&T, &U) -> bool + Sync,
{
    let _region = algorithm("search_by");
    let (x, pattern) = (x.read(), pattern.read());
    let m = pattern.len();
    let Some(starts) = starts(x.len(), m) else { return Ok(None) };
    find_where(space, "search", starts, (x, pattern), move |i, x, pattern| begins(i, m, x, pattern, &same))
}

/// The last position from which on the elements of `x` equal those of `pattern`, or `None`.
///
/// An empty pattern is found at the end of `x`. NaN equals nothing. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// As [`search_by`], from the end on: p is the number of positions after the result.
///
/// # Source
/// C++ and Kokkos: `find_end`; Rust: `str::rfind`.
///
/// # Examples
/// ```
/// use spelt_algorithms::find_end;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [6], vec![1, 2, 0, 1, 2, 0])?;
/// let pattern = View::from_vec("pattern", [2], vec![1, 2])?;
/// assert_eq!(find_end(&Serial::new(), &x, &pattern)?, Some(3));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn find_end<S, T, U, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    pattern: &impl ReadView<U, 1, S::Memory, K>,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + PartialEq<U>,
    U: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("find_end");
    let (x, pattern) = (x.read(), pattern.read());
    let m = pattern.len();
    let Some(starts) = starts(x.len(), m) else { return Ok(None) };
    let last = starts - 1;
    let from_end = find_where(space, "find_end", starts, (x, pattern), move |i, x, pattern| {
        begins(last - i, m, x, pattern, &|x: &T, y: &U| x == y)
    })?;
    Ok(from_end.map(|i| last - i))
}

/// The number of positions at which `m` of `n` elements can begin, unless there are none.
fn starts(n: usize, m: usize) -> Option<usize> {
    n.checked_sub(m).map(|last| last + 1)
}

/// Whether the `m` elements of `pattern` begin at `start`.
#[inline(always)]
fn begins<T, U, L: Layout, K: Layout>(
    start: usize,
    m: usize,
    x: &LookupAccess<'_, T, 1, L>,
    pattern: &LookupAccess<'_, U, 1, K>,
    same: &impl Fn(&T, &U) -> bool,
) -> bool {
    (0..m).all(|k| same(&x[start + k], &pattern[k]))
}

/// The first position from which on `count` elements equal `value`, or `None`.
///
/// A count of 0 is found at 0. NaN equals nothing. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// At most 2 comparisons for each element before the end of what is found, and on several threads for elements after it; where runs
/// are short, one for each `count` elements, since a run that contains no element at a distance of `count` is too short. Span
/// O(n / threads + count).
///
/// # Source
/// C++ and Kokkos: `search_n`.
///
/// # Examples
/// ```
/// use spelt_algorithms::search_n;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [7], vec![0, 1, 0, 0, 1, 0, 0])?;
/// assert_eq!(search_n(&Serial::new(), &x, 2, 0)?, Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn search_n<S, T, L>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    count: usize,
    value: T,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("search_n");
    let x = x.read();
    let Some(starts) = starts(x.len(), count) else { return Ok(None) };
    if count == 0 {
        return Ok(Some(0));
    }
    // A run reaches `count` elements beyond its part: parts of as many are read twice at most.
    let part = count.max(PART);
    let parts = if const { S::IS_DEVICE } { 1 } else { (starts / part / PIECES).max(1) };
    let pieces = Pieces::new(starts, Wanted::First);
    pieces.best_of(space, |best| {
        parallel_for(
            "search_n",
            space.range(0..starts.div_ceil(parts * part)),
            (x.lookup(), best),
            move |i, (x, best)| {
                for first in (i.get() * (parts * part)..starts).step_by(part).take(parts) {
                    let end = pieces.open(&best).min(first.saturating_add(part));
                    if end <= first {
                        return;
                    }
                    if let Some(place) = first_run(first, end, count, |k| x[k] == value) {
                        return pieces.note(&best, place);
                    }
                }
            },
        )
    })
}

/// The first of the positions `start..end` from which on `is` returns true `count` times.
#[inline(always)]
fn first_run(mut start: usize, end: usize, count: usize, is: impl Fn(usize) -> bool) -> Option<usize> {
    // The elements from `start` up to here are known.
    let mut known = start;
    while start < end {
        // Backwards: a miss rules out all positions before it.
        match (known..start + count).rev().find(|&k| !is(k)) {
            None => return Some(start),
            Some(miss) => {
                known = start + count;
                start = miss + 1;
            }
        }
    }
    None
}
