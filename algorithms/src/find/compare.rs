//! `equal`, `mismatch` and `lexicographical_compare`: two Views, element by element.

use core::cmp::Ordering;

use spelt_core::reducers::Sum;
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, parallel_map_reduce};

use super::pieces::{Wanted, find_pair};

/// Whether `x` and `y` have the same length and equal elements.
///
/// NaN equals nothing, and both zeros are equal. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// As [`equal_by`].
///
/// # Source
/// C++ and Kokkos: `equal`; Rust: `Iterator::eq`.
///
/// # Examples
/// ```
/// use spelt_algorithms::equal;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![1, 2, 3])?;
/// assert!(equal(&Serial::new(), &x, &x)?);
/// assert!(!equal(&Serial::new(), &x, &x.subview(0..2))?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn equal<S, T, U, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    y: &impl ReadView<U, 1, S::Memory, K>,
) -> Result<bool>
where
    S: ExecutionSpace,
    T: Element + PartialEq<U>,
    U: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("equal");
    equal_by(space, x, y, |x, y| x == y)
}

/// Whether `x` and `y` have the same length, and `same` returns true for each two elements at one index.
///
/// `same` is called at most once for each index. It must accept all elements: for which ones it is called once a difference is found
/// depends on the run, and a panic there is a panic of the comparison. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `same` panics.
///
/// # Complexity
/// Work O(n), span O(n / threads); both Views are read once. If they differ, all threads stop within 1024 elements once a difference is
/// found, on one thread within 64. Nothing is compared if the lengths differ.
///
/// # Source
/// C++ and Kokkos: `equal` with a predicate.
///
/// # Examples
/// ```
/// use spelt_algorithms::equal_by;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [2], vec![1.0, 2.0_f64])?;
/// let y = View::from_vec("y", [2], vec![1.0, 2.0 + 1e-12])?;
/// assert!(equal_by(&Serial::new(), &x, &y, |x, y| (x - y).abs() < 1e-9)?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn equal_by<S, T, U, L, K, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    y: &impl ReadView<U, 1, S::Memory, K>,
    same: P,
) -> Result<bool>
where
    S: ExecutionSpace,
    T: Element,
    U: Element,
    L: Layout,
    K: Layout,
    P: Fn(&T, &U) -> bool + Sync,
{
    let _region = algorithm("equal_by");
    let (x, y) = (x.read(), y.read());
    if x.len() != y.len() {
        return Ok(false);
    }
    let differ = move |x: &T, y: &U| !same(x, y);
    Ok(find_pair(space, "equal", Wanted::Any, x.len(), (x, y, 0), differ)?.is_none())
}

/// The first index at which `x` and `y` differ, or `None` if they are [`equal`].
///
/// If all elements of the shorter one are equal to those of the other, its length is the result. NaN equals nothing. The result is
/// the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// As [`find_if`](crate::find_if), with two Views to read.
///
/// # Source
/// C++ and Kokkos: `mismatch`, which returns a pair of iterators.
///
/// # Examples
/// ```
/// use spelt_algorithms::mismatch;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![1, 2, 3, 4])?;
/// let y = View::from_vec("y", [4], vec![1, 2, 0, 0])?;
/// assert_eq!(mismatch(&Serial::new(), &x, &y)?, Some(2));
/// assert_eq!(mismatch(&Serial::new(), &x, &x.subview(0..3))?, Some(3));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn mismatch<S, T, U, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    y: &impl ReadView<U, 1, S::Memory, K>,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + PartialEq<U>,
    U: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("mismatch");
    mismatch_by(space, x, y, |x, y| x == y)
}

/// The first index at which `same` returns false, or one View has no element; `None` if there is no such index.
///
/// `same` is called at most once for each index. It must accept all elements: it may be called for some after the result, and a panic
/// there is a panic of the search. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `same` panics.
///
/// # Complexity
/// As [`mismatch`].
///
/// # Source
/// C++ and Kokkos: `mismatch` with a predicate.
///
/// # Examples
/// ```
/// use spelt_algorithms::mismatch_by;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![1.0, -2.0, 3.0_f64])?;
/// let y = View::from_vec("y", [3], vec![-1.0, 2.0, 4.0])?;
/// assert_eq!(mismatch_by(&Serial::new(), &x, &y, |x: &f64, y: &f64| x.abs() == y.abs())?, Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn mismatch_by<S, T, U, L, K, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    y: &impl ReadView<U, 1, S::Memory, K>,
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
    let _region = algorithm("mismatch_by");
    let (x, y) = (x.read(), y.read());
    let (shorter, longer) = (x.len().min(y.len()), x.len().max(y.len()));
    let differ = move |x: &T, y: &U| !same(x, y);
    let place = find_pair(space, "mismatch", Wanted::First, shorter, (x, y, 0), differ)?;
    Ok(place.or((shorter < longer).then_some(shorter)))
}

/// The order of `x` and `y` as that of words in a dictionary: that of the first elements that differ, and of the lengths if there
/// are none.
///
/// `None` if the first elements that are not equal have no order, such as a number and NaN. It is Rust's `partial_cmp` of slices; C++'s
/// function returns whether `x` comes first, and skips elements without an order. The result is the same on every space, thread
/// count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `partial_cmp` panics.
///
/// # Complexity
/// As [`mismatch`]; the first elements that differ are compared once more, by a launch of one iteration.
///
/// # Source
/// C++ and Kokkos: `lexicographical_compare`; Rust: `Iterator::partial_cmp`.
///
/// # Examples
/// ```
/// use core::cmp::Ordering::{Greater, Less};
/// use spelt_algorithms::lexicographical_compare;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![1, 2, 3])?;
/// let y = View::from_vec("y", [2], vec![1, 4])?;
/// assert_eq!(lexicographical_compare(&Serial::new(), &x, &y)?, Some(Less));
/// assert_eq!(lexicographical_compare(&Serial::new(), &x, &x.subview(0..2))?, Some(Greater));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn lexicographical_compare<S, T, U, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    y: &impl ReadView<U, 1, S::Memory, K>,
) -> Result<Option<Ordering>>
where
    S: ExecutionSpace,
    T: Element + PartialOrd<U>,
    U: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("lexicographical_compare");
    let (x, y) = (x.read(), y.read());
    let differ = |x: &T, y: &U| x.partial_cmp(y) != Some(Ordering::Equal);
    let shorter = x.len().min(y.len());
    let place = find_pair(space, "lexicographical_compare", Wanted::First, shorter, (x, y, 0), differ)?;
    let Some(place) = place else { return Ok(Some(x.len().cmp(&y.len()))) };
    let order = parallel_map_reduce(
        "lexicographical_compare: order",
        space.range(0..1),
        (x.lookup(), y.lookup()),
        move |_, (x, y)| match x[place].partial_cmp(&y[place]) {
            None => 0_u32,
            Some(Ordering::Less) => 1,
            Some(Ordering::Equal) => 2,
            Some(Ordering::Greater) => 3,
        },
        Sum::<u32>::new(),
    )?;
    Ok([None, Some(Ordering::Less), Some(Ordering::Equal), Some(Ordering::Greater)][order as usize])
}
