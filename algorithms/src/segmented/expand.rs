//! Expansion: each element gives any number of results (irregular nested parallelism, flattened).

use spelt_core::reducers::{Max, Reducer, Sum};
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, Offsets, ReadView, Result, View, ViewRef,
    parallel_for, parallel_map_reduce, parallel_scan,
};

use super::expand_reduce::reduce_results;
use super::offsets::{HOST_PIECE, first_segment};
use super::reduce::segmented_reduce;
use crate::IndexElement;
use crate::bounds::none_negative;
use crate::dense::Dense;
use crate::scan::{exclusive_scan_in_place, inclusive_scan_in_place};
use crate::unwritten::Unwritten;

/// The elements whose results one iteration of a host counts. Unit: elements. Source: estimated: a microsecond's work.
const COUNTS: usize = 4096;

/// Sums that saturate instead of wrapping: they are still associative.
#[derive(Clone, Copy)]
struct SaturatingSum;

impl Reducer for SaturatingSum {
    type Value = usize;
    type Output = usize;

    const EXACT: bool = true;
    const REORDERABLE: bool = true;

    #[inline(always)]
    fn init(&self) -> usize {
        0
    }

    #[inline(always)]
    fn join(&self, into: &mut usize, from: &usize) {
        *into = into.saturating_add(*from);
    }

    #[inline(always)]
    fn finish(&self, value: usize) -> usize {
        value
    }
}

/// Turns counts with a 0 at the end into offsets; returns these and the total number of elements.
fn sum_up<S: ExecutionSpace>(
    space: &S,
    mut counts: View<usize, 1, S::Memory>,
) -> Result<(View<usize, 1, S::Memory>, usize)> {
    let total = exclusive_scan_in_place(space, &mut counts, 0, SaturatingSum)?;
    if total == usize::MAX {
        return Err(too_many(counts.len() - 1));
    }
    Ok((counts, total))
}

/// The error of counts that add up to too many.
pub(super) fn too_many(segments: usize) -> Error {
    let message =
        format!("the counts of {segments} segments add up to more than a `usize` can hold, or are negative");
    Error::new(ErrorKind::Overflow, message)
}

/// The segment of each element, by offsets that [`sum_up`] made.
fn owners<S: ExecutionSpace>(
    space: &S,
    offsets: ViewRef<'_, usize, 1, S::Memory>,
    total: usize,
) -> Result<View<usize, 1, S::Memory>> {
    let segments = offsets.len() - 1;
    let mut owners = space.zeros::<usize, 1>("segments", [total])?;
    let (lows, highs) = (offsets.subview(0..segments), offsets.subview(1..segments + 1));
    // SAFETY: the offsets are sums of counts that did not overflow, so they do not decrease, and no two segments that are
    // not empty begin at the same element.
    let distinct = unsafe { owners.distinct() };
    parallel_for(
        "first elements of segments",
        space.range(0..segments),
        (lows, highs, distinct),
        |i, (lows, highs, mut owners)| {
            if lows[i] < highs[i] {
                owners[lows[i]] = i.get();
            }
        },
    )?;
    inclusive_scan_in_place(space, &mut owners, Max::new())?;
    Ok(owners)
}

/// The offsets of segments with these numbers of elements: their sums, 0 first and all of them last.
///
/// They are [`Offsets`], which `by_segments` and `by_segments_mut` take: nothing has to be checked or copied to the host again.
///
/// # Errors
/// [`ErrorKind::Overflow`] if a count is negative, or the sum does not fit; [`ErrorKind::OutOfMemory`]; any error of the launch on a
/// device.
///
/// # Complexity
/// Work `O(segments)`, span `O(segments / threads + log segments)`; the counts are read and the offsets written twice; on a host
/// the counts are read three times, and the offsets written once.
///
/// # Examples
/// ```
/// use spelt_algorithms::offsets_from_counts;
/// use spelt_core::{Serial, View};
/// let counts = View::from_vec("counts", [3], vec![3, 0, 4])?;
/// let offsets = offsets_from_counts(&Serial::new(), &counts)?;
/// assert_eq!((offsets.view().to_vec(), offsets.end()), (vec![0, 3, 3, 7], 7));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn offsets_from_counts<S, I, L>(
    space: &S,
    counts: &impl ReadView<I, 1, S::Memory, L>,
) -> Result<Offsets<S::Memory>>
where
    S: ExecutionSpace,
    I: IndexElement,
    L: Layout,
{
    let _region = algorithm("offsets_from_counts");
    let (offsets, total) = summed(space, counts.read())?;
    // SAFETY: sums that have not overflowed do not decrease, and the last one is the total.
    Ok(unsafe { Offsets::new_unchecked(offsets, total) })
}

/// Offsets by these counts, and the total number of elements.
fn summed<S, I, L>(
    space: &S,
    counts: ViewRef<'_, I, 1, S::Memory, L>,
) -> Result<(View<usize, 1, S::Memory>, usize)>
where
    S: ExecutionSpace,
    I: IndexElement,
    L: Layout,
{
    if const { !S::IS_DEVICE }
        && let Some(sums) = summed_plainly(space, counts)?
    {
        return Ok(sums);
    }
    let sums = counted(space, counts, |count| count);
    // A negative count is looked for where there can be one: it makes every sum too large.
    if sums.as_ref().is_err_and(|error| error.kind() == ErrorKind::Overflow) {
        none_negative(space, "count", counts)?;
    }
    sums
}

/// The same on a host, by sums that need not saturate: `None` if that many counts, each as large as the largest, could overflow.
///
/// The largest is found in vectors, and a sum that saturates takes three instructions that wait for one another.
#[allow(clippy::type_complexity)]
fn summed_plainly<S, I, L>(
    space: &S,
    counts: ViewRef<'_, I, 1, S::Memory, L>,
) -> Result<Option<(View<usize, 1, S::Memory>, usize)>>
where
    S: ExecutionSpace,
    I: IndexElement,
    L: Layout,
{
    let n = counts.len();
    let most = parallel_map_reduce(
        "largest count",
        space.range(0..n),
        counts,
        |i, counts| counts[i].place(),
        Max::<usize>::new(),
    )?;
    // A negative count is as large as a number can be.
    if most == usize::MAX || most.saturating_mul(n) == usize::MAX {
        return Ok(None);
    }
    let mut offsets = space.zeros::<usize, 1>("offsets", [n.saturating_add(1)])?;
    let total = parallel_scan(
        "offsets",
        space.range(0..n),
        (counts, offsets.subview_mut(1..n + 1)),
        |i, sum, last, (counts, mut ends)| {
            *sum += counts[i].place();
            if last {
                ends[i] = *sum;
            }
        },
        Sum::<usize>::new(),
    )?;
    Ok(Some((offsets, total)))
}

/// Offsets by the count that `size` gives for each element, called once.
fn counted<S, T, N, L>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory, L>,
    size: impl Fn(T) -> N + Sync,
) -> Result<(View<usize, 1, S::Memory>, usize)>
where
    S: ExecutionSpace,
    T: Element,
    N: IndexElement,
    L: Layout,
{
    let n = values.len();
    let mut counts = space.zeros::<usize, 1>("offsets", [n.saturating_add(1)])?;
    parallel_for("counts", space.range(0..n), (values, &mut counts), move |i, (values, mut counts)| {
        counts[i] = size(values[i]).place();
    })?;
    sum_up(space, counts)
}

/// [`counted`] on a host, where the counts are written into memory that is not zero.
#[allow(clippy::type_complexity)]
fn counted_on_host<S, T, N>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    size: impl Fn(T) -> N + Sync,
) -> Result<(View<usize, 1, S::Memory>, usize)>
where
    S: ExecutionSpace,
    T: Element,
    N: IndexElement,
{
    let n = values.len();
    let mut view = Unwritten::new(space, "offsets", n.saturating_add(1))?;
    let counts = view.elements();
    let pieces = n.div_ceil(COUNTS);
    parallel_for("counts", space.range(0..pieces + 1).chunk(1), values.lookup(), move |i, values| {
        let first = n.min(i.get() * COUNTS);
        let values = &values.as_slice()[first..n.min(first + COUNTS)];
        let end = values.len() + usize::from(i.get() == pieces);
        // SAFETY: an iteration writes the counts of its own piece, and the one after the last piece the element behind all of them.
        let (counts, end) = unsafe { counts.slice(first..first + end) }.split_at_mut(values.len());
        for (count, &value) in counts.iter_mut().zip(values) {
            count.write(size(value).place());
        }
        for end in end {
            end.write(0);
        }
    })?;
    // SAFETY: the pieces have all elements but the last, which the iteration after them has written.
    sum_up(space, unsafe { view.assume_init() })
}

/// Each index as often as its count says: `[2, 0, 1]` gives `[0, 0, 2]`.
///
/// # Errors
/// [`ErrorKind::Overflow`] if a count is negative, or the sum does not fit; [`ErrorKind::OutOfMemory`]; any error of the launch on a
/// device.
///
/// # Complexity
/// Work `O(n + total)`, span `O((n + total) / threads + log (n + total))`, for any distribution of the counts.
///
/// # Source
/// Futhark: `replicated_iota`.
///
/// # Examples
/// ```
/// use spelt_algorithms::replicated_iota;
/// use spelt_core::{Serial, View};
/// let counts = View::from_vec("counts", [3], vec![2, 0, 1])?;
/// assert_eq!(replicated_iota(&Serial::new(), &counts)?.to_vec(), [0, 0, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn replicated_iota<S, I, L>(
    space: &S,
    counts: &impl ReadView<I, 1, S::Memory, L>,
) -> Result<View<usize, 1, S::Memory>>
where
    S: ExecutionSpace,
    I: IndexElement,
    L: Layout,
{
    let _region = algorithm("replicated_iota");
    let (offsets, total) = summed(space, counts.read())?;
    owners(space, offsets.view(), total)
}

/// The results of all elements one after the other: `get(x, 0)`, `get(x, 1)`, .., `size(x)` of them, for each element `x`.
///
/// `size` is called once for each element, `get` once for each result. An element of size 0 gives nothing.
///
/// # Errors
/// As [`replicated_iota`].
///
/// # Panics
/// If a closure panics.
///
/// # Complexity
/// As [`replicated_iota`].
///
/// # Source
/// Futhark: `expand`; Elsman, Henriksen and Serup, Data-parallel flattening by expansion, 2019.
///
/// # Examples
/// ```
/// use spelt_algorithms::expand;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![2_usize, 3, 1])?;
/// assert_eq!(expand(&Serial::new(), &x, |x| x, |x, i| x * i)?.to_vec(), [0, 2, 0, 3, 6, 0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn expand<S, T, N, U, L>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    size: impl Fn(T) -> N + Sync,
    get: impl Fn(T, usize) -> U + Sync,
) -> Result<View<U, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    N: IndexElement,
    U: Element,
    L: Layout,
{
    let _region = algorithm("expand");
    expanded(space, values.read(), size, get).map(|(expanded, _)| expanded)
}

/// The reduction of the results of each element: [`expand`], reduced by segments.
///
/// There is a result for each element, `finish(init())` for one of size 0. Order and bits are as for
/// [`segmented_reduce_by_offsets`](crate::segmented_reduce_by_offsets).
///
/// # Errors
/// As [`replicated_iota`].
///
/// # Panics
/// If a closure or the reducer panics.
///
/// # Complexity
/// As [`expand`] and [`segmented_reduce_by_offsets`](crate::segmented_reduce_by_offsets). Results are stored on a device only; on a host
/// each element is read, its results are made and joined, and one value is written for each 1024 of them where there are more.
///
/// # Source
/// Futhark: `expand_outer_reduce`.
///
/// # Examples
/// ```
/// use spelt_algorithms::expand_outer_reduce;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [4], vec![2_usize, 0, 3, 1])?;
/// let sums = expand_outer_reduce(&Serial::new(), &x, |x| x, |x, i| x * i, Sum::new())?;
/// assert_eq!(sums.to_vec(), [2, 0, 9, 0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn expand_outer_reduce<S, T, N, L, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    size: impl Fn(T) -> N + Sync,
    get: impl Fn(T, usize) -> R::Value + Sync,
    reducer: R,
) -> Result<View<R::Output, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    N: IndexElement,
    L: Layout,
    R: Reducer + Copy + Sync,
    R::Value: Element,
    R::Output: Element,
{
    let _region = algorithm("expand_outer_reduce");
    let values = values.read();
    if const { !S::IS_DEVICE } {
        let values = Dense::of(space, values)?;
        return reduce_results(space, values.view(), size, get, reducer);
    }
    let (expanded, offsets) = expanded(space, values, size, get)?;
    let mut out = space.zeros("reduced", [values.len()])?;
    segmented_reduce(space, expanded.view(), offsets.view(), out.view_mut(), usize::MAX, reducer)?;
    Ok(out)
}

/// The results of all elements, and the offsets of those of each.
#[allow(clippy::type_complexity)]
fn expanded<S, T, N, U, L>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory, L>,
    size: impl Fn(T) -> N + Sync,
    get: impl Fn(T, usize) -> U + Sync,
) -> Result<(View<U, 1, S::Memory>, View<usize, 1, S::Memory>)>
where
    S: ExecutionSpace,
    T: Element,
    N: IndexElement,
    U: Element,
    L: Layout,
{
    if const { !S::IS_DEVICE } {
        let values = Dense::of(space, values)?;
        let (offsets, total) = counted_on_host(space, values.view(), size)?;
        let make = |values: &[T], segment: usize, number: usize| get(values[segment], number);
        return Ok((by_pieces(space, values.view(), offsets.view(), total, make)?, offsets));
    }
    let (offsets, total) = counted(space, values, size)?;
    let owners = owners(space, offsets.view(), total)?;
    let mut out = space.zeros("expanded", [total])?;
    parallel_for(
        "expand",
        space.range(0..total),
        (values.lookup(), offsets.lookup(), &owners, &mut out),
        move |i, (values, offsets, owners, mut out)| {
            let owner = owners[i];
            out[i] = get(values[owner], i.get() - offsets[owner]);
        },
    )?;
    Ok((out, offsets))
}

/// The host's loop over segments: `make(values, segment, number)` for each element of each segment.
///
/// The work is cut by keys as [`segmented_reduce`] cuts it: pieces are equal, however the segments differ.
fn by_pieces<S, T, U>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    offsets: ViewRef<'_, usize, 1, S::Memory>,
    total: usize,
    make: impl Fn(&[T], usize, usize) -> U + Sync,
) -> Result<View<U, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    U: Element,
{
    let mut view = Unwritten::new(space, "expanded", total)?;
    let out = view.elements();
    let segments = offsets.len() - 1;
    let keys = total + segments;
    let pieces = space.range(0..keys.div_ceil(HOST_PIECE)).chunk(1);
    parallel_for("expand", pieces, (values.lookup(), offsets.lookup()), move |i, (values, offsets)| {
        let (values, offsets) = (values.as_slice(), offsets.as_slice());
        let keys = i.get() * HOST_PIECE..keys.min((i.get() + 1) * HOST_PIECE);
        let first = first_segment(offsets, 0..segments, keys.start);
        let last = first_segment(offsets, first..segments.min(first + HOST_PIECE), keys.end);
        // The segment before may have elements in this piece.
        for segment in first.saturating_sub(1)..last {
            let (begin, end) = (offsets[segment], offsets[segment + 1]);
            let key = begin + segment;
            let from = end.min(begin + keys.start.saturating_sub(key));
            let to = end.min(begin + (keys.end - key));
            // SAFETY: element `j` of segment `s` has the key `offsets[s] + s + j`, and is written in the iteration of its key.
            let out = unsafe { out.slice(from..to) };
            for (number, out) in (from - begin..).zip(out) {
                out.write(make(values, segment, number));
            }
        }
    })?;
    // SAFETY: each element is in one segment, and its key in one of the iterations.
    Ok(unsafe { view.assume_init() })
}
