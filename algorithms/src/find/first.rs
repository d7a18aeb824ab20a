//! `find`, `find_if`, `find_if_not` and `find_first_of`: the first element of a kind.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result};

use super::pieces::{Wanted, find_in, find_where};

/// The position of the first element that equals `value`, or `None`.
///
/// NaN equals nothing, and both zeros are equal: [`find_if`] finds them by other tests. The result is the same on every space,
/// thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// As [`find_if`].
///
/// # Source
/// C++ and Kokkos: `find`; Rust: `Iterator::position`.
///
/// # Examples
/// ```
/// use spelt_algorithms::find;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![3, 1, 4, 1])?;
/// assert_eq!((find(&Serial::new(), &x, 1)?, find(&Serial::new(), &x, 5)?), (Some(1), None));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn find<S, T, L>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, value: T) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("find");
    find_in(space, "find", Wanted::First, x.read(), move |x| *x == value)
}

/// The position of the first element for which `test` returns true, or `None`.
///
/// `test` is called at most once for each element. It must accept every element: it may be called for elements after the result, and a
/// panic there is a panic of the search. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// Work O(p + 64) for the result p on one thread, at most n calls on several: threads that are ahead stop within 1024 elements once p is
/// known; span O((p + n / 16) / threads), since threads take long runs of elements. Elements are read once. A launch that is soon over
/// runs on the calling thread. On a host what lies after p is passed over in at most 8192 steps without a call.
///
/// # Source
/// C++ and Kokkos: `find_if`; Rust: `Iterator::position`.
///
/// # Examples
/// ```
/// use spelt_algorithms::find_if;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![1.0, f64::NAN, 2.0, f64::NAN])?;
/// assert_eq!(find_if(&Serial::new(), &x, |x| x.is_nan())?, Some(1));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[doc(alias = "position")]
pub fn find_if<S, T, L, P>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>, test: P) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("find_if");
    find_in(space, "find_if", Wanted::First, x.read(), test)
}

/// The position of the first element for which `test` returns false, or `None`: otherwise as [`find_if`].
///
/// # Errors
/// As [`find_if`].
///
/// # Panics
/// If `test` panics.
///
/// # Complexity
/// As [`find_if`].
///
/// # Source
/// C++ and Kokkos: `find_if_not`.
///
/// # Examples
/// ```
/// use spelt_algorithms::find_if_not;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![2, 4, 5, 6])?;
/// assert_eq!(find_if_not(&Serial::new(), &x, |x| x % 2 == 0)?, Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn find_if_not<S, T, L, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    test: P,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("find_if_not");
    find_in(space, "find_if_not", Wanted::First, x.read(), move |x| !test(x))
}

/// The position of the first element that equals one of `values`, or `None`.
///
/// Each element is compared with the values in their order, until one is equal: at most once with each. The result is the same on
/// every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// As [`find_if`], with at most as many comparisons for each element as there are values. On one thread no element after the
/// result is compared.
///
/// # Source
/// C++ and Kokkos: `find_first_of`.
///
/// # Examples
/// ```
/// use spelt_algorithms::find_first_of;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec!['a', 'b', 'c', 'd'])?;
/// let values = View::from_vec("values", [2], vec!['d', 'c'])?;
/// assert_eq!(find_first_of(&Serial::new(), &x, &values)?, Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn find_first_of<S, T, U, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    values: &impl ReadView<U, 1, S::Memory, K>,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + PartialEq<U>,
    U: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("find_first_of");
    let (x, values) = (x.read(), values.read());
    let values_len = values.len();
    find_where(space, "find_first_of", x.len(), (x, values), move |i, x, values| {
        let x = &x[i];
        (0..values_len).any(|k| *x == values[k])
    })
}
