//! `count` and `count_if`: the number of elements of a kind.

use spelt_core::reducers::Sum;
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, parallel_map_reduce};

/// The number of elements that equal `value`.
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
/// As [`count_if`].
///
/// # Source
/// C++ and Kokkos: `count`.
///
/// # Examples
/// ```
/// use spelt_algorithms::count;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![3, 1, 4, 1])?;
/// assert_eq!(count(&Serial::new(), &x, 1)?, 2);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn count<S, T, L>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, value: T) -> Result<usize>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("count");
    count_if(space, x, move |x| *x == value)
}

/// The number of elements for which `test` returns true.
///
/// `test` is called once for each element. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// Work O(n), n calls; span O(n / threads + log n). Every element is read once.
///
/// # Source
/// C++ and Kokkos: `count_if`.
///
/// # Examples
/// ```
/// use spelt_algorithms::count_if;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![0.5, 1.5, 2.5, f64::NAN])?;
/// assert_eq!(count_if(&Serial::new(), &x, |x| *x > 1.0)?, 2);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn count_if<S, T, L, P>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, test: P) -> Result<usize>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("count_if");
    let x = x.read();
    parallel_map_reduce(
        "count_if",
        space.range(0..x.len()),
        x,
        move |i, x| usize::from(test(&x[i])),
        Sum::<usize>::new(),
    )
}
