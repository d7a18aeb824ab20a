//! `all_of`, `any_of` and `none_of`: whether elements are of a kind.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result};

use super::pieces::{Wanted, find_in};

/// Whether `test` returns true for all elements; true if there are none.
///
/// `test` is called at most once for each element, and must accept every element, as for [`any_of`]. The result is the same on every space,
/// thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// As [`any_of`].
///
/// # Source
/// C++ and Kokkos: `all_of`; Rust: `Iterator::all`.
///
/// # Examples
/// ```
/// use spelt_algorithms::all_of;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![2, 4, 6])?;
/// assert!(all_of(&Serial::new(), &x, |x| x % 2 == 0)?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn all_of<S, T, L, P>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, test: P) -> Result<bool>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("all_of");
    Ok(find_in(space, "all_of", Wanted::Any, x.read(), move |x| !test(x))?.is_none())
}

/// Whether `test` returns true for an element; false if there are none.
///
/// `test` is called at most once for each element. It must accept every element: for which ones it is called once the answer is known
/// depends on the run, and a panic there is a panic of the search. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// Work O(n), span O(n / threads); elements are read once. All threads stop within 1024 elements once one is found, on one thread
/// within 64.
///
/// # Source
/// C++ and Kokkos: `any_of`; Rust: `Iterator::any`.
///
/// # Examples
/// ```
/// use spelt_algorithms::any_of;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![1.0, f64::INFINITY, 2.0])?;
/// assert!(any_of(&Serial::new(), &x, |x| !x.is_finite())?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn any_of<S, T, L, P>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, test: P) -> Result<bool>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("any_of");
    Ok(find_in(space, "any_of", Wanted::Any, x.read(), test)?.is_some())
}

/// Whether `test` returns true for no element; true if there are none.
///
/// `test` is called at most once for each element, and must accept every element, as for [`any_of`]. The result is the same on every space,
/// thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// As [`any_of`].
///
/// # Source
/// C++ and Kokkos: `none_of`.
///
/// # Examples
/// ```
/// use spelt_algorithms::none_of;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![1, 3, 5])?;
/// assert!(none_of(&Serial::new(), &x, |x| x % 2 == 0)?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn none_of<S, T, L, P>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, test: P) -> Result<bool>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("none_of");
    Ok(!any_of(space, x, test)?)
}
