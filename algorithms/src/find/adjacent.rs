//! `adjacent_find`: the first two neighbours of a kind.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result};

use super::pieces::{Wanted, find_pair};

/// The position of the first element that equals the one after it, or `None`.
///
/// NaN equals nothing. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// As [`find_if`](crate::find_if).
///
/// # Source
/// C++ and Kokkos: `adjacent_find`.
///
/// # Examples
/// ```
/// use spelt_algorithms::adjacent_find;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [5], vec![0, 1, 2, 2, 2])?;
/// assert_eq!(adjacent_find(&Serial::new(), &x)?, Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn adjacent_find<S, T, L>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("adjacent_find");
    adjacent_find_by(space, x, |a, b| a == b)
}

/// The position of the first element for which `test` of it and the one after it returns true, or `None`.
///
/// `test` is called at most once for each two neighbours. It must accept all of them: it may be called for some after the result, and a
/// panic there is a panic of the search. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// As [`find_if`](crate::find_if).
///
/// # Source
/// C++ and Kokkos: `adjacent_find` with a predicate.
///
/// # Examples
/// Where the values descend:
/// ```
/// use spelt_algorithms::adjacent_find_by;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![0.0, 1.0, 3.0, 2.0])?;
/// assert_eq!(adjacent_find_by(&Serial::new(), &x, |a, b| a > b)?, Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn adjacent_find_by<S, T, L, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    test: P,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T, &T) -> bool + Sync,
{
    let _region = algorithm("adjacent_find_by");
    let x = x.read();
    find_pair(space, "adjacent_find", Wanted::First, x.len().saturating_sub(1), (x, x, 1), test)
}
