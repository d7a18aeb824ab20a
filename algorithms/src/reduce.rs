//! Reductions of all elements of a View of rank 1.

use spelt_core::reducers::{InOrder, Reducer};
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, parallel_map_reduce};

/// Joins all elements in index order: the reducer need only be associative, for any value of
/// [`COMMUTATIVE`](Reducer::COMMUTATIVE).
///
/// The joins are grouped by the [canonical order](spelt_core::canonical) of reducers that do not commute (or, if order
/// changes no bit, of those that do). It depends only on the number of elements and the size of the value: the same bits on
/// every space, thread count and run. Each element joins a running value that begins with the reducer's identity. Without
/// elements the result is `finish(init())`.
///
/// For sums of floats [`reduce_commutative`] is faster, and its order is also fixed.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// Work `n` joins and at most `n / 64 + 31` more (one for each run but the first), span `O(n / threads + log n)`. Every element is
/// read once.
///
/// # Examples
/// ```
/// use spelt_algorithms::reduce;
/// use spelt_core::{Serial, View, reducers::custom};
/// let factors = View::from_vec("factors", [3], vec![[1_u64, 1, 0, 1], [1, 0, 1, 1], [1, 1, 0, 1]])?;
/// let product = custom([1, 0, 0, 1], |a: &mut [u64; 4], b: &[u64; 4]| {
///     *a = [a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]];
/// });
/// assert_eq!(reduce(&Serial::new(), &factors, product)?, [2, 3, 1, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce<S, T, L, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    R: Reducer<Value = T> + Sync,
{
    let _region = algorithm("reduce");
    transform_reduce(space, values, |value, _| value, reducer)
}

/// Joins all elements, in index order only if the reducer does not commute.
///
/// The order is the [canonical](spelt_core::canonical) one: the same bits on every space, thread count and run, for floats
/// too. It runs in independent lanes, which vectorise. Without elements the result is `finish(init())`.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If the reducer panics.
///
/// # Complexity
/// Work `n` joins and at most one more for each lane of each tile (one in 64 elements, in tiles that are full), span
/// `O(n / threads + log n)`. Every element is read once.
///
/// # Examples
/// ```
/// use spelt_algorithms::reduce_commutative;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_fn("x", [1000], |[i]| i as f64)?;
/// assert_eq!(reduce_commutative(&Serial::new(), &x, Sum::new())?, 499_500.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_commutative<S, T, L, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    R: Reducer<Value = T> + Sync,
{
    let _region = algorithm("reduce_commutative");
    transform_reduce_commutative(space, values, |value, _| value, reducer)
}

/// [`reduce`] of `map` applied to each element and its index.
///
/// # Errors
/// As [`reduce`].
///
/// # Panics
/// If `map` or the reducer panics.
///
/// # Complexity
/// As [`reduce`], and `n` calls of `map`, one for each element.
///
/// # Source
/// C++: `std::transform_reduce`, in index order.
///
/// # Examples
/// The first of the smallest elements:
/// ```
/// use spelt_algorithms::transform_reduce;
/// use spelt_core::{Serial, View, reducers::{MinLoc, MinLocValue}};
/// let x = View::from_vec("x", [4], vec![3.0, 1.0, 1.0, 2.0])?;
/// let least = transform_reduce(&Serial::new(), &x, |val, loc| MinLocValue { val, loc }, MinLoc::<f64>::new())?;
/// assert_eq!((least.val, least.loc), (1.0, 1));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn transform_reduce<S, T, L, F, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    map: F,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    F: Fn(T, usize) -> R::Value + Sync,
    R: Reducer + Sync,
    R::Value: Send,
{
    let _region = algorithm("transform_reduce");
    transform_reduce_commutative(space, values, map, InOrder::new(reducer))
}

/// [`reduce_commutative`] of `map` applied to each element and its index.
///
/// # Errors
/// As [`reduce_commutative`].
///
/// # Panics
/// If `map` or the reducer panics.
///
/// # Complexity
/// As [`reduce_commutative`], and `n` calls of `map`, one for each element.
///
/// # Source
/// C++: `std::transform_reduce`.
///
/// # Examples
/// ```
/// use spelt_algorithms::transform_reduce_commutative;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_vec("x", [3], vec![1.0_f32, 2.0, 3.0])?;
/// let squares =
///     transform_reduce_commutative(&Serial::new(), &x, |x, _| f64::from(x) * f64::from(x), Sum::<f64>::new())?;
/// assert_eq!(squares, 14.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn transform_reduce_commutative<S, T, L, F, R>(
    space: &S,
    values: &impl ReadView<T, 1, S::Memory, L>,
    map: F,
    reducer: R,
) -> Result<R::Output>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    F: Fn(T, usize) -> R::Value + Sync,
    R: Reducer + Sync,
    R::Value: Send,
{
    let _region = algorithm("transform_reduce_commutative");
    let values = values.read();
    let range = space.range(0..values.len());
    parallel_map_reduce("reduce", range, values, move |i, values| map(values[i], i.get()), reducer)
}
