//! Scans that restart in each segment.

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, ExecutionSpace, Layout, ReadView, Result, View, ViewMut, ViewRef, WriteView, parallel_for,
    parallel_scan,
};

use super::offsets::check_offsets;
use crate::bounds::same_length;
use crate::dense::Dense;

/// A running value, and whether it begins a segment or continues one.
///
/// The flag, all zero or not, fills a word, so that values of 2, 4 and 8 bytes leave no padding: a device that moves whole words
/// would read that unwritten.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Running<V> {
    begins: [u16; 4],
    pub(super) value: V,
}

impl<V> Running<V> {
    /// The running value at the beginning of a segment, before its first element.
    #[inline(always)]
    pub(super) fn beginning(reducer: &impl Reducer<Value = V>) -> Self {
        Self { begins: BEGINS, value: reducer.init() }
    }
}

/// The flag that is not set.
const CONTINUES: [u16; 4] = [0; 4];

/// The flag that is set.
const BEGINS: [u16; 4] = [1; 4];

/// The reducer of a segmented scan: values join within a segment.
///
/// Associative if the inner reducer is (Schwartz, Ultracomputers, 1980; Blelloch, Prefix sums and their applications,
/// 1990, section 1.5), and never commutative.
#[derive(Clone, Copy)]
pub(super) struct Segmented<R>(pub(super) R);

impl<R: Reducer> Reducer for Segmented<R>
where
    R::Value: Element,
{
    type Value = Running<R::Value>;
    type Output = ();

    const COMMUTATIVE: bool = false;
    const EXACT: bool = R::EXACT;

    #[inline(always)]
    fn init(&self) -> Running<R::Value> {
        Running { begins: CONTINUES, value: self.0.init() }
    }

    #[inline(always)]
    fn join(&self, into: &mut Running<R::Value>, from: &Running<R::Value>) {
        if from.begins != CONTINUES {
            *into = *from;
        } else {
            self.0.join(&mut into.value, &from.value);
        }
    }

    #[inline(always)]
    fn finish(&self, _value: Running<R::Value>) {}
}

/// A segmented scan, from the flags to the prefixes in `out`.
fn scan<const INCLUSIVE: bool, S, T, L, J, K, R>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory, L>,
    flags: ViewRef<'_, bool, 1, S::Memory, J>,
    out: ViewMut<'_, T, 1, S::Memory, K>,
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
    same_length("segmented scan", values, out.view())?;
    parallel_scan(
        "segmented scan",
        space.range(0..values.len()),
        (values, flags, out),
        move |i, running, last, (values, flags, mut out)| {
            if flags[i] {
                *running = Running::beginning(&reducer);
            }
            if last && !INCLUSIVE {
                out[i] = running.value;
            }
            reducer.join(&mut running.value, &values[i]);
            if last && INCLUSIVE {
                out[i] = running.value;
            }
        },
        Segmented(reducer),
    )
}

/// The flags of offsets, which are checked: where a segment that is not empty begins.
pub(super) fn flags_of<S, L, J>(
    space: &S,
    values: ViewRef<'_, impl Element, 1, S::Memory, L>,
    offsets: ViewRef<'_, usize, 1, S::Memory, J>,
) -> Result<View<bool, 1, S::Memory>>
where
    S: ExecutionSpace,
    L: Layout,
    J: Layout,
{
    let dense = Dense::of(space, offsets)?;
    let offsets = dense.view();
    let segments = check_offsets(space, offsets, values)?;
    let mut flags = space.zeros::<bool, 1>("flags", [values.len()])?;
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
/// value, and on nothing else: the same bits on every space, thread count and run. If joins are exact (integers, minima
/// and maxima), the prefixes are those of a sequential loop over each segment. Prefixes are running values: the reducer's
/// `finish` is not called.
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if lengths differ; any error of the launch on a device.
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// Work at most `5.5 n` joins of elements on one thread and `9 n` on several; where the reducer is exact, `n` and `3 n`. Beside them
/// `n / 8` joins of partial results, span `O(n / threads + log n)`, for any number and lengths of segments. Elements and flags are
/// read once from memory, every prefix is written once.
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
    scan::<true, _, _, _, _, _, _>(space, values.read(), flags.read(), out.write(), reducer)
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
    scan::<false, _, _, _, _, _, _>(space, values.read(), flags.read(), out.write(), reducer)
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
/// As [`segmented_inclusive_scan_by_flags`], and the offsets are read twice, and a byte for each element is written and read.
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
    let values = values.read();
    let flags = flags_of(space, values, offsets.read())?;
    scan::<true, _, _, _, _, _, _>(space, values, flags.view(), out.write(), reducer)
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
    let values = values.read();
    let flags = flags_of(space, values, offsets.read())?;
    scan::<false, _, _, _, _, _, _>(space, values, flags.view(), out.write(), reducer)
}
