//! Scans of a View of rank 1: prefixes in index order.

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, ExecutionSpace, Layout, ReadView, Result, ViewMut, ViewRef, WriteView, parallel_scan,
};

use crate::bounds::same_length;

/// Writes to `out[i]` the join of elements `0` to `i`, and returns the total.
///
/// Joins are in index order, so the reducer need only be associative. They are grouped by the
/// [canonical order](spelt_core::canonical), which depends only on the number of elements and the size of the value:
/// the same bits on every space, thread count and run. If joins are exact (integers, minima and maxima), the prefixes are
/// those of a sequential loop. The prefixes are running values; the total is finished by the reducer's `finish`,
/// and for floats its last bits may differ from those of the last prefix. A sum of floats may be one unit in the last place below
/// the prefix before it, even if no element is negative. Without elements the total is `finish(init())`.
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the lengths differ; any error of the launch on a device.
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// Work at most `5.5 n` joins of elements on one thread and `9 n` on several; where the reducer is exact, `n` and `3 n`. Beside them
/// `n / 8` joins of partial results, span `O(n / threads + log n)`. Every element is read once from memory and every prefix written
/// once; the host waits for the total.
///
/// # Examples
/// ```
/// use spelt_algorithms::inclusive_scan;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [4], vec![1, 2, 3, 4])?;
/// let mut y = View::<i32, 1>::zeros("y", [4])?;
/// assert_eq!(inclusive_scan(&Serial::new(), &x, &mut y, Sum::new())?, 10);
/// assert_eq!(y.to_vec(), [1, 3, 6, 10]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn inclusive_scan<S, T, L, K, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("inclusive_scan");
    transform_inclusive_scan(space, values, out, |value, _| value, reducer)
}

/// [`inclusive_scan`] in place: the prefixes replace the elements.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// As [`inclusive_scan`]; the View then has some prefixes and some elements.
///
/// # Complexity
/// As [`inclusive_scan`].
///
/// # Examples
/// ```
/// use spelt_algorithms::inclusive_scan_in_place;
/// use spelt_core::{Serial, View, reducers::Max};
/// let mut x = View::from_vec("x", [4], vec![2, 1, 7, 3])?;
/// assert_eq!(inclusive_scan_in_place(&Serial::new(), &mut x, Max::new())?, 7);
/// assert_eq!(x.to_vec(), [2, 2, 7, 7]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn inclusive_scan_in_place<S, T, L, R>(
    space: &S,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("inclusive_scan_in_place");
    transform_inclusive_scan_in_place(space, values, |value, _| value, reducer)
}

/// [`inclusive_scan`] of `map` applied to each element and its index.
///
/// # Errors
/// As [`inclusive_scan`].
///
/// # Panics
/// If `map` or the reducer panics.
///
/// # Complexity
/// As [`inclusive_scan`]; `map` is called at most three times for each element, and must return the same value each time.
///
/// # Source
/// C++: `std::transform_inclusive_scan`.
///
/// # Examples
/// ```
/// use spelt_algorithms::transform_inclusive_scan;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [3], vec![true, false, true])?;
/// let mut y = View::<usize, 1>::zeros("y", [3])?;
/// transform_inclusive_scan(&Serial::new(), &x, &mut y, |x, _| usize::from(x), Sum::new())?;
/// assert_eq!(y.to_vec(), [1, 1, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn transform_inclusive_scan<S, T, L, K, F, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<R::Value, 1, S::Memory, K>,
    map: F,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    F: Fn(T, usize) -> R::Value + Sync,
    R: Reducer + Copy + Sync,
    R::Value: Element,
{
    let _region = algorithm("transform_inclusive_scan");
    let (values, out) = (values.read(), out.write());
    same_length("inclusive scan", values, out.view())?;
    let range = space.range(0..values.len());
    parallel_scan(
        "inclusive scan",
        range,
        (values, out),
        move |i, prefix, last, (values, mut out)| {
            reducer.join(prefix, &map(values[i], i.get()));
            if last {
                out[i] = *prefix;
            }
        },
        reducer,
    )
}

/// [`transform_inclusive_scan`] in place: the prefixes replace the elements, and have the same bits.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `map` or the reducer panics; the View then has some prefixes and some elements.
///
/// # Complexity
/// As [`transform_inclusive_scan`].
///
/// # Examples
/// ```
/// use spelt_algorithms::transform_inclusive_scan_in_place;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let mut x = View::from_vec("x", [3], vec![3, -4, 5])?;
/// transform_inclusive_scan_in_place(&Serial::new(), &mut x, |x: i32, _| x.abs(), Sum::new())?;
/// assert_eq!(x.to_vec(), [3, 7, 12]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn transform_inclusive_scan_in_place<S, T, L, F, R>(
    space: &S,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    map: F,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    F: Fn(T, usize) -> T + Sync,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("transform_inclusive_scan_in_place");
    let values = values.write();
    let range = space.range(0..values.len());
    parallel_scan(
        "inclusive scan in place",
        range,
        values,
        move |i, prefix, last, mut values| {
            reducer.join(prefix, &map(values[i], i.get()));
            if last {
                values[i] = *prefix;
            }
        },
        reducer,
    )
}

/// A reducer with an initial value that takes part once. `NEUTRAL`: it joins no element, as prefixes begin with it and have the same bits
/// without its joins.
#[derive(Clone, Copy)]
struct Beginning<R: Reducer, const NEUTRAL: bool = false> {
    reducer: R,
    initial: R::Value,
    /// The number of elements.
    count: usize,
}

impl<R: Reducer, const NEUTRAL: bool> Beginning<R, NEUTRAL>
where
    R::Value: Element,
{
    /// The value that the `count` elements before an index make, the initial one first.
    ///
    /// Before the first element it is the initial value itself, because joining an empty prefix could change bits.
    #[inline(always)]
    fn after(&self, prefix: &R::Value, count: usize) -> R::Value {
        if NEUTRAL {
            return *prefix;
        }
        let mut value = self.initial;
        self.reducer.join(&mut value, prefix);
        // A constant, as a rule, which saves a choice for each element. A neutral identity may still change the bits of NaN.
        let changes =
            !R::EXACT || self.reducer.neutral().is_none() || !self.reducer.is_neutral(&self.reducer.init());
        if changes && count == 0 { self.initial } else { value }
    }
}

impl<R: Reducer> Beginning<R>
where
    R::Value: Element,
{
    /// The scan whose prefixes begin with a neutral initial value, as those of integers with zero; `None` if it is not known to be neutral. The
    /// reducer is exact and may be reordered.
    #[inline(always)]
    fn neutral(self) -> Option<Beginning<R, true>> {
        let Self { reducer, initial, count } = self;
        reducer.is_neutral(&initial).then_some(Beginning { reducer, initial, count })
    }
}

/// Whether a host looks for a neutral initial value: a constant, so that no loop is compiled in vain. On a device the joins take no time
/// beside the memory.
const fn may_be_neutral<S: ExecutionSpace, R: Reducer>() -> bool {
    !S::IS_DEVICE && R::EXACT && R::REORDERABLE
}

impl<R: Reducer, const NEUTRAL: bool> Reducer for Beginning<R, NEUTRAL>
where
    R::Value: Element,
{
    type Value = R::Value;
    type Output = R::Output;

    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const EXACT: bool = R::EXACT;
    const REORDERABLE: bool = R::REORDERABLE;
    const LANE_BYTES: usize = R::LANE_BYTES;
    const HALF_WORDS: u32 = R::HALF_WORDS;
    const PACKED: bool = R::PACKED;

    #[inline(always)]
    fn init(&self) -> R::Value {
        if NEUTRAL { self.initial } else { self.reducer.init() }
    }

    #[inline(always)]
    fn join(&self, into: &mut R::Value, from: &R::Value) {
        self.reducer.join(into, from);
    }

    #[inline(always)]
    fn finish(&self, value: R::Value) -> R::Output {
        self.reducer.finish(self.after(&value, self.count))
    }
}

/// Writes to `out[i]` the join of `initial` and of the elements before `i`, and returns the total, `initial` included.
///
/// The initial value is not an identity: it takes part once in each prefix, on the left, after the elements have joined. For a
/// scan without one, pass `reducer.init()`. Order and bits are as for [`inclusive_scan`]. The first prefix has the bits of
/// `initial`, and without elements the total is `initial`, finished.
///
/// # Errors
/// As [`inclusive_scan`].
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// As [`inclusive_scan`], and at most `n + 1` joins of the initial value: none on a host where it is neutral and the reducer exact and
/// [reorderable](Reducer::REORDERABLE), as zero for sums of integers. In a debug build the stack holds about 25 copies of
/// `initial`, so values of 64 KiB may need more than the 2 MiB that threads have by default.
///
/// # Examples
/// ```
/// use spelt_algorithms::exclusive_scan;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [4], vec![1, 2, 3, 4])?;
/// let mut y = View::<i32, 1>::zeros("y", [4])?;
/// assert_eq!(exclusive_scan(&Serial::new(), &x, &mut y, 100, Sum::new())?, 110);
/// assert_eq!(y.to_vec(), [100, 101, 103, 106]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn exclusive_scan<S, T, L, K, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    initial: T,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("exclusive_scan");
    transform_exclusive_scan(space, values, out, initial, |value, _| value, reducer)
}

/// [`exclusive_scan`] in place: the prefixes replace the elements.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If the reducer panics; the View then has some prefixes and some elements.
///
/// # Complexity
/// As [`exclusive_scan`].
///
/// # Examples
/// ```
/// use spelt_algorithms::exclusive_scan_in_place;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let mut counts = View::from_vec("counts", [3], vec![2_usize, 0, 3])?;
/// assert_eq!(exclusive_scan_in_place(&Serial::new(), &mut counts, 0, Sum::new())?, 5);
/// assert_eq!(counts.to_vec(), [0, 2, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn exclusive_scan_in_place<S, T, L, R>(
    space: &S,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    initial: T,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("exclusive_scan_in_place");
    transform_exclusive_scan_in_place(space, values, initial, |value, _| value, reducer)
}

/// [`exclusive_scan`] of `map` applied to each element and its index.
///
/// # Errors
/// As [`inclusive_scan`].
///
/// # Panics
/// If `map` or the reducer panics.
///
/// # Complexity
/// As [`exclusive_scan`]; `map` is called at most three times for each element, and must return the same value each time.
///
/// # Source
/// C++: `std::transform_exclusive_scan`.
///
/// # Examples
/// ```
/// use spelt_algorithms::transform_exclusive_scan;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [3], vec![4_u8, 0, 9])?;
/// let mut y = View::<usize, 1>::zeros("y", [3])?;
/// let kept = transform_exclusive_scan(&Serial::new(), &x, &mut y, 0, |x, _| usize::from(x > 3), Sum::new())?;
/// assert_eq!((y.to_vec(), kept), (vec![0, 1, 1], 2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn transform_exclusive_scan<S, T, L, K, F, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<R::Value, 1, S::Memory, K>,
    initial: R::Value,
    map: F,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    F: Fn(T, usize) -> R::Value + Sync,
    R: Reducer + Copy + Sync,
    R::Value: Element,
{
    let _region = algorithm("transform_exclusive_scan");
    let (values, out) = (values.read(), out.write());
    same_length("exclusive scan", values, out.view())?;
    let beginning = Beginning { reducer, initial, count: values.len() };
    // A loop of its own: with one operation more for each element, a core has fewer loads on their way at a time.
    if const { may_be_neutral::<S, R>() }
        && let Some(beginning) = beginning.neutral()
    {
        return exclusive(space, values, out, map, beginning);
    }
    exclusive(space, values, out, map, beginning)
}

/// The exclusive scan of Views of one length.
fn exclusive<S, T, L, K, F, R, const NEUTRAL: bool>(
    space: &S,
    values: ViewRef<'_, T, 1, S::Memory, L>,
    out: ViewMut<'_, R::Value, 1, S::Memory, K>,
    map: F,
    beginning: Beginning<R, NEUTRAL>,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    F: Fn(T, usize) -> R::Value + Sync,
    R: Reducer + Copy + Sync,
    R::Value: Element,
{
    parallel_scan(
        "exclusive scan",
        space.range(0..beginning.count),
        (values, out),
        move |i, prefix, last, (values, mut out)| {
            // Loaded before the store, which waits for nothing of this iteration: 10^7 `i64` take a tenth less.
            let value = map(values[i], i.get());
            if last {
                out[i] = beginning.after(prefix, i.get());
            }
            beginning.join(prefix, &value);
        },
        beginning,
    )
}

/// [`transform_exclusive_scan`] in place: the prefixes replace the elements, and have the same bits.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `map` or the reducer panics; the View then has some prefixes and some elements.
///
/// # Complexity
/// As [`transform_exclusive_scan`].
///
/// # Examples
/// ```
/// use spelt_algorithms::transform_exclusive_scan_in_place;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let mut x = View::from_vec("x", [3], vec![4, 0, 9])?;
/// let kept = transform_exclusive_scan_in_place(&Serial::new(), &mut x, 0, |x, _| i32::from(x > 3), Sum::new())?;
/// assert_eq!((x.to_vec(), kept), (vec![0, 1, 1], 2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn transform_exclusive_scan_in_place<S, T, L, F, R>(
    space: &S,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    initial: T,
    map: F,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    F: Fn(T, usize) -> T + Sync,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("transform_exclusive_scan_in_place");
    let values = values.write();
    let beginning = Beginning { reducer, initial, count: values.len() };
    // As above.
    if const { may_be_neutral::<S, R>() }
        && let Some(beginning) = beginning.neutral()
    {
        return exclusive_in_place(space, values, map, beginning);
    }
    exclusive_in_place(space, values, map, beginning)
}

/// The exclusive scan in place.
fn exclusive_in_place<S, T, L, F, R, const NEUTRAL: bool>(
    space: &S,
    values: ViewMut<'_, T, 1, S::Memory, L>,
    map: F,
    beginning: Beginning<R, NEUTRAL>,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    F: Fn(T, usize) -> T + Sync,
    R: Reducer<Value = T> + Copy + Sync,
{
    parallel_scan(
        "exclusive scan in place",
        space.range(0..beginning.count),
        values,
        move |i, prefix, last, mut values| {
            let value = map(values[i], i.get());
            if last {
                values[i] = beginning.after(prefix, i.get());
            }
            beginning.join(prefix, &value);
        },
        beginning,
    )
}
