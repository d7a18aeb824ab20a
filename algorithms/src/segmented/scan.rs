//! Scans that restart in each segment.

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, ExecutionSpace, Layout, ReadView, Result, View, ViewMut, ViewRef, WriteView, parallel_for,
};

use super::host::scan_on_host;
use super::offsets::check_offsets;
use super::runs::scan_on_device;
use crate::bounds::same_length;
use crate::dense::{Dense, write_densely};

/// A segmented scan, from the flags to the prefixes in `out`.
fn by_flags<const INCLUSIVE: bool, S, T, L, J, K, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory, L>,
    flags: ViewRef<'_, bool, 1, S::Memory, J>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    same_length("segmented scan", values, flags)?;
    same_length("segmented scan", values, out.read())?;
    let (values, flags) = (Dense::of(space, values)?, Dense::of(space, flags)?);
    write_densely(space, out, |out| {
        by_dense_flags::<INCLUSIVE, false, _, _, _>(space, values.view(), flags.view(), out, reducer)
    })
}

/// A segmented scan of Views without gaps and of equal lengths.
pub(super) fn by_dense_flags<const INCLUSIVE: bool, const IN_PLACE: bool, S, T, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    flags: ViewRef<'_, bool, 1, S::Memory>,
    out: ViewMut<'_, T, 1, S::Memory>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
{
    if const { S::IS_DEVICE } {
        scan_on_device::<INCLUSIVE, IN_PLACE, _, _, _>(space, values, flags, out, reducer)
    } else {
        scan_on_host::<INCLUSIVE, IN_PLACE, _, _, _, _>(space, values, flags, out, usize::MAX, reducer)
    }
}

/// A segmented scan, from the offsets to the prefixes in `out`.
fn by_offsets<const INCLUSIVE: bool, S, T, L, J, K, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory, L>,
    offsets: &impl ReadView<usize, 1, S::Memory, J>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let known = offsets.segment_shape();
    let offsets = Dense::of(space, offsets.read())?;
    let (_, longest) = check_offsets(space, offsets.view(), known, values)?;
    same_length("segmented scan", values, out.read())?;
    let values = Dense::of(space, values)?;
    write_densely(space, out, |out| {
        by_dense_offsets::<INCLUSIVE, false, _, _, _>(
            space,
            values.view(),
            offsets.view(),
            out,
            longest,
            reducer,
        )
    })
}

/// A segmented scan of Views without gaps, and of equal lengths, by offsets that have been checked: no segment has more than `longest`
/// elements.
pub(super) fn by_dense_offsets<const INCLUSIVE: bool, const IN_PLACE: bool, S, T, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory>,
    offsets: ViewRef<'_, usize, 1, S::Memory>,
    out: ViewMut<'_, T, 1, S::Memory>,
    longest: usize,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
{
    if const { S::IS_DEVICE } {
        let flags = flags_of(space, offsets, out.len())?;
        scan_on_device::<INCLUSIVE, IN_PLACE, _, _, _>(space, values, flags.view(), out, reducer)
    } else {
        scan_on_host::<INCLUSIVE, IN_PLACE, _, _, _, _>(space, values, offsets, out, longest, reducer)
    }
}

/// The flags of offsets that have been checked: where a segment that is not empty begins.
fn flags_of<S>(
    space: &S,
    offsets: ViewRef<'_, usize, 1, S::Memory>,
    n: usize,
) -> Result<View<bool, 1, S::Memory>>
where
    S: ExecutionSpace,
{
    let segments = offsets.len() - 1;
    let mut flags = space.zeros::<bool, 1>("flags", [n])?;
    let (lows, highs) = (offsets.subview(0..segments), offsets.subview(1..segments + 1));
    // SAFETY: the offsets do not decrease, which has been checked and stays so while they are borrowed; so no two segments
    // that are not empty begin at the same element.
    let distinct = unsafe { flags.distinct() };
    parallel_for(
        "flags of segments",
        space.range(0..segments),
        (lows, highs, distinct),
        |i, (lows, highs, mut flags)| {
            if lows[i] < highs[i] {
                flags[lows[i]] = true;
            }
        },
    )?;
    Ok(flags)
}

/// Scans each segment that `flags` mark: `out[i]` is the join of the elements from the beginning of its segment to `i`.
///
/// A segment begins at every `true`, and at the first element whether it is flagged or not. Joins are in index order, so an
/// associative reducer is enough. How they are grouped depends on the flags, the number of elements and the size of the
/// value, and on nothing else: the same bits on every space, thread count and run. Elements are cut into runs of 16, from the first one
/// on, and runs into blocks of 16. A run joins from left to right, from the identity at its beginning and at that of each segment; the
/// ends of the runs of a block join from left to right, and those of blocks as [`parallel_scan`](spelt_core::parallel_scan()) joins that many. An
/// element whose segment began before its run has the value before the run joined with that of its run. If joins are exact (integers,
/// minima and maxima), the prefixes are those of a sequential loop over each segment. Prefixes are running values: the reducer's
/// `finish` is not called.
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if lengths differ; [`ErrorKind::OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) for the
/// carries of blocks, and copies of Views with gaps; any error of the launch on a device.
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// Work at most `3 n` joins of elements, `2 n` where segments begin in most runs, and `n / 8` joins of partial results; span
/// `O(n / threads + log n)`, for any number and lengths of segments. Flags are read twice, elements twice as well where segments are
/// longer than 256 elements, every prefix is written once; values of `n / 256` blocks are kept, on a device of `n / 16` runs too. Views
/// with gaps are copied.
///
/// # Source
/// Blelloch, Prefix sums and their applications, 1990.
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_inclusive_scan_by_flags;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// let flags = View::from_vec("flags", [5], vec![true, false, false, true, false])?;
/// let mut y = View::<i32, 1>::zeros("y", [5])?;
/// segmented_inclusive_scan_by_flags(&Serial::new(), &x, &flags, &mut y, Sum::new())?;
/// assert_eq!(y.to_vec(), [1, 3, 6, 4, 9]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_inclusive_scan_by_flags<S, T, L, J, K, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    flags: &impl ReadView<bool, 1, S::Memory, J>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("segmented_inclusive_scan_by_flags");
    by_flags::<true, _, _, _, _, _, _>(space, values.read(), flags.read(), out, reducer)
}

/// Scans each segment that `flags` mark, without its own element: `out[i]` is the join of the elements from the beginning of
/// its segment to before `i`, and the identity where a segment begins.
///
/// Otherwise as [`segmented_inclusive_scan_by_flags`].
///
/// # Errors
/// As [`segmented_inclusive_scan_by_flags`].
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// As [`segmented_inclusive_scan_by_flags`].
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_exclusive_scan_by_flags;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// let flags = View::from_vec("flags", [5], vec![false, false, false, true, false])?;
/// let mut y = View::<i32, 1>::zeros("y", [5])?;
/// segmented_exclusive_scan_by_flags(&Serial::new(), &x, &flags, &mut y, Sum::new())?;
/// assert_eq!(y.to_vec(), [0, 1, 3, 0, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_exclusive_scan_by_flags<S, T, L, J, K, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    flags: &impl ReadView<bool, 1, S::Memory, J>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("segmented_exclusive_scan_by_flags");
    by_flags::<false, _, _, _, _, _, _>(space, values.read(), flags.read(), out, reducer)
}

/// Scans each segment from `offsets[s]` to before `offsets[s + 1]`: `out[i]` is the join of the elements from the beginning
/// of its segment to `i`.
///
/// The number of offsets is that of the segments plus 1; the first is 0, the last the number of elements, and they never
/// decrease. Segments may be empty. [`offsets_from_integers`](crate::offsets_from_integers) converts offsets of other integers once, and
/// its `view()` is taken here. Order and bits are as for [`segmented_inclusive_scan_by_flags`].
///
/// # Errors
/// [`ErrorKind::Format`](spelt_core::ErrorKind::Format) if offsets decrease, leave a gap or go beyond the elements, with
/// position and values; nothing is written then. [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if lengths differ;
/// any error of the launch on a device.
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// As [`segmented_inclusive_scan_by_flags`]; the offsets are read three times. On a host elements are read once, and offsets twice, where no
/// segment has more than 256 elements. On a device a byte for each element is written and read.
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_inclusive_scan_by_offsets;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// let offsets = View::from_vec("offsets", [4], vec![0, 3, 3, 5])?;
/// let mut y = View::<i32, 1>::zeros("y", [5])?;
/// segmented_inclusive_scan_by_offsets(&Serial::new(), &x, &offsets, &mut y, Sum::new())?;
/// assert_eq!(y.to_vec(), [1, 3, 6, 4, 9]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_inclusive_scan_by_offsets<S, T, L, J, K, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    offsets: &impl ReadView<usize, 1, S::Memory, J>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("segmented_inclusive_scan_by_offsets");
    by_offsets::<true, _, _, _, _, _, _>(space, values.read(), offsets, out, reducer)
}

/// Scans each segment from `offsets[s]` to before `offsets[s + 1]`, without its own element: `out[i]` is the join of the
/// elements from the beginning of its segment to before `i`, and the identity where a segment begins.
///
/// Otherwise as [`segmented_inclusive_scan_by_offsets`].
///
/// # Errors
/// As [`segmented_inclusive_scan_by_offsets`].
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// As [`segmented_inclusive_scan_by_offsets`].
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_exclusive_scan_by_offsets;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// let offsets = View::from_vec("offsets", [3], vec![0, 3, 5])?;
/// let mut y = View::<i32, 1>::zeros("y", [5])?;
/// segmented_exclusive_scan_by_offsets(&Serial::new(), &x, &offsets, &mut y, Sum::new())?;
/// assert_eq!(y.to_vec(), [0, 1, 3, 0, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_exclusive_scan_by_offsets<S, T, L, J, K, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    offsets: &impl ReadView<usize, 1, S::Memory, J>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("segmented_exclusive_scan_by_offsets");
    by_offsets::<false, _, _, _, _, _, _>(space, values.read(), offsets, out, reducer)
}
