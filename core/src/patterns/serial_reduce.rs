//! `serial_reduce` and `serial_map_reduce`: the canonical order, run by the calling thread.

use spelt_order::cursor::{Boxed, Line, Place};
use spelt_order::search::Contributions;
use spelt_reducers::at_index::Extremes;
use spelt_reducers::of_contributions::OfContributions;
use spelt_reducers::{MapReducer, Reducer};

use crate::device::{HAS_DEVICES, on_device};
use crate::team::{Lent, MAX_MOVED, Nested, reduce_here, search_here};

/// Reduces over `0..n` on the calling thread, inside a kernel or outside, to the bits of [`parallel_reduce`].
///
/// `contribute(k, value)` contributes iteration `k` to a running value; it is called exactly once for each `k` below `n`, in an
/// unspecified order. Use `serial_reduce` for a reduction of some thousand iterations in each iteration of a launch, such as the
/// sum of a row: nothing is launched, nothing is allocated for values up to 512 bytes, and the loop is compiled for the
/// processor's vectors. In a kernel at AVX2 or AVX-512, where `n` is the length of a slice, the compiler usually leaves out the checks of its
/// elements.
///
/// # Guarantee
/// The bits depend on `n` and on the reducer only: they are those of `parallel_reduce` over `0..n`, on every space.
///
/// # Panics
/// If a contribution or a join panics.
///
/// # Complexity
/// Work and span O(n); as many joins as in `parallel_reduce`.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, reducers::Sum, serial_reduce};
/// let x = View::from_fn("x", [3, 100], |[i, j]| (i * j) as u32)?;
/// let mut sums = View::<u32, 1>::zeros("sums", [3])?;
/// let space = Serial::new();
/// parallel_for("sums of rows", space.range(0..3), (x.by_rows(), &mut sums), |i, (x, mut sums)| {
///     let row = &x[i];
///     sums[i] = serial_reduce(row.len(), |k, sum| *sum += row[k], &Sum::new());
/// })?;
/// assert_eq!(sums.to_vec(), [0, 4950, 9900]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// [`parallel_reduce`]: crate::parallel_reduce()
#[inline(always)]
pub fn serial_reduce<R: Reducer>(
    n: usize,
    contribute: impl FnMut(usize, &mut R::Value),
    reducer: &R,
) -> R::Output {
    reduce(n, contribute, reducer)
}

/// A closure that holds much is borrowed: its copies would take more time and stack than they save.
#[inline(always)]
fn reduce<R: Reducer, F: FnMut(usize, &mut R::Value)>(n: usize, mut contribute: F, reducer: &R) -> R::Output {
    if const { size_of::<F>() > MAX_MOVED } {
        reduce_moved(n, &mut contribute, reducer)
    } else {
        reduce_moved(n, contribute, reducer)
    }
}

#[inline(always)]
fn reduce_moved<R: Reducer>(
    n: usize,
    mut contribute: impl FnMut(usize, &mut R::Value),
    reducer: &R,
) -> R::Output {
    let body = Nested::reduction(move |place: Line, distance: usize, value: &mut R::Value| {
        // SAFETY: the loop goes over the indices below `n`.
        contribute(unsafe { below(place.index + distance, n) }, value);
    });
    reduce_here::<false, _, _, _>(reducer, n, |first| Line { index: first }, body)
}

/// [`serial_reduce`] over the indices below `extents`, the last one fastest.
///
/// For closures that cannot panic: others, as with checked reads, are slower than over lines one by one.
///
/// # Guarantee
/// The bits are those of [`parallel_reduce`](crate::parallel_reduce()) over a box of these extents, which are those of a range of as many
/// iterations.
///
/// # Panics
/// If a contribution or a join panics, or the product of the extents, one after the other, is above `usize::MAX`.
///
/// # Examples
/// ```
/// use spelt_core::{reducers::Sum, serial_reduce_box};
/// let sum = serial_reduce_box([3, 100], |[i, j], sum| *sum += i * j, &Sum::<usize>::new());
/// assert_eq!(sum, 3 * 4950);
/// ```
#[doc(hidden)]
#[inline(always)]
pub fn serial_reduce_box<R: Reducer, const N: usize>(
    extents: [usize; N],
    mut contribute: impl FnMut([usize; N], &mut R::Value),
    reducer: &R,
) -> R::Output {
    const { assert!(N > 0, "a box of indices without components") }
    let n = extents.iter().try_fold(1_usize, |n, extent| n.checked_mul(*extent));
    let n = n.expect("a box has at most `usize::MAX` places");
    let mut body = Nested::reduction(|place: Boxed<N>, distance: usize, value: &mut R::Value| {
        contribute(place.at(distance), value);
    });
    let place = |first| Boxed::new([0; N], extents, first);
    reduce_here::<true, _, _, _>(reducer, n, place, Lent(&mut body))
}

/// [`serial_reduce`] in its mapped form: the closure returns the contribution of its index.
///
/// With [`MinLoc::at_index()`](spelt_reducers::AtIndex) and the like, the location is the index. The closure may then run several
/// times for an index, and must only compute.
///
/// # Guarantee
/// The bits are those of [`parallel_map_reduce`](crate::parallel_map_reduce()) over `0..n`, on every space.
///
/// # Panics
/// If the closure or a join panics.
///
/// # Complexity
/// Work and span O(n). With locations, rows of up to 4096 elements are read once; longer ones once, and for each location about 4096
/// elements again; rows without a value that is better than the reducer's identity, such as NaNs alone, four times at most.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, reducers::MinLoc, serial_map_reduce};
/// let x = View::from_fn("x", [3, 100], |[i, j]| (i as f64 * 10.2 - j as f64).abs())?;
/// let mut nearest = View::<usize, 1>::zeros("nearest", [3])?;
/// let space = Serial::new();
/// parallel_for("rows", space.range(0..3), (x.by_rows(), &mut nearest), |i, (x, mut nearest)| {
///     let row = &x[i];
///     nearest[i] = serial_map_reduce(row.len(), |k| row[k], MinLoc::at_index()).loc;
/// })?;
/// assert_eq!(nearest.to_vec(), [0, 10, 20]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline(always)]
pub fn serial_map_reduce<M: MapReducer<usize>>(
    n: usize,
    map: impl FnMut(usize) -> M::Item,
    mapped: M,
) -> <M::Reducer as Reducer>::Output {
    map_reduce(n, map, mapped)
}

/// As [`reduce`].
#[inline(always)]
fn map_reduce<M: MapReducer<usize>, F: FnMut(usize) -> M::Item>(
    n: usize,
    mut map: F,
    mapped: M,
) -> <M::Reducer as Reducer>::Output {
    if const { size_of::<F>() > MAX_MOVED } {
        map_reduce_moved(n, &mut map, mapped)
    } else {
        map_reduce_moved(n, map, mapped)
    }
}

#[inline(always)]
fn map_reduce_moved<M: MapReducer<usize>>(
    n: usize,
    mut map: impl FnMut(usize) -> M::Item,
    mapped: M,
) -> <M::Reducer as Reducer>::Output {
    let reducer = mapped.reducer();
    let mut items = Nested::reduction(move |place: Line, distance: usize, item: &mut Option<M::Item>| {
        // SAFETY: the loop goes over the indices below `n`.
        *item = Some(map(unsafe { below(place.index + distance, n) }));
    });
    let (place, location) = (|first| Line { index: first }, |place: Line, distance| place.index + distance);
    if const { <M::Extremes as Extremes<M::Item>>::NUMBER > 0 } && (const { !HAS_DEVICES } || !on_device()) {
        return reducer.finish(search_here::<M, _, _>(&reducer, n, place, &mut items, location));
    }
    let contributions = Contributions::<M, _, _, _>::new(&reducer, items, location);
    reduce_here::<false, _, _, _>(&OfContributions(&reducer), n, place, contributions)
}

/// `k`, of which the compiler knows that it is below `n`: a loop over the length of a slice reads its elements without checks.
///
/// # Safety
/// `k < n`.
#[inline(always)]
unsafe fn below(k: usize, n: usize) -> usize {
    // SAFETY: as the contract asks.
    unsafe { core::hint::assert_unchecked(k < n) };
    k
}
