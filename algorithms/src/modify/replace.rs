//! `replace` and its variants: another value for elements of a kind.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, WriteView};

use super::{transform, transform_in_place};

/// Replaces each element that equals `old` by `new`.
///
/// NaN equals nothing, and both zeros are equal. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `==` panics; some elements are then replaced.
///
/// # Complexity
/// As [`replace_if`].
///
/// # Source
/// C++ and Kokkos: `replace`.
///
/// # Examples
/// ```
/// use spelt_algorithms::replace;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [4], vec![1, 2, 1, 3])?;
/// replace(&Serial::new(), &mut x, 1, 7)?;
/// assert_eq!(x.to_vec(), [7, 2, 7, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn replace<S, T, L>(space: &S, x: &mut impl WriteView<T, 1, S::Memory, L>, old: T, new: T) -> Result<()>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("replace");
    replace_if(space, x, move |x| *x == old, new)
}

/// Replaces each element for which `test` returns true by `new`.
///
/// `test` is called once for each element. The result is the same on every space, thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `test` panics; some elements are then replaced.
///
/// # Complexity
/// Work O(n), n calls; span O(n / threads). Every element is read and written once, so that it takes no branch.
///
/// # Source
/// C++ and Kokkos: `replace_if`.
///
/// # Examples
/// ```
/// use spelt_algorithms::replace_if;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [3], vec![1.0, f64::NAN, 2.0])?;
/// replace_if(&Serial::new(), &mut x, |x| x.is_nan(), 0.0)?;
/// assert_eq!(x.to_vec(), [1.0, 0.0, 2.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn replace_if<S, T, L, P>(
    space: &S,
    x: &mut impl WriteView<T, 1, S::Memory, L>,
    test: P,
    new: T,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("replace_if");
    transform_in_place(space, x, move |x, _| if test(&x) { new } else { x })
}

/// Copies `x` to `out` with `new` in place of each element that equals `old`: otherwise as [`replace`].
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the lengths differ; as [`replace`].
///
/// # Panics
/// If `==` panics; `out` then has some of the elements.
///
/// # Complexity
/// As [`transform`].
///
/// # Source
/// C++ and Kokkos: `replace_copy`.
///
/// # Examples
/// ```
/// use spelt_algorithms::replace_copy;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![1, 2, 1, 3])?;
/// let mut out = View::<i32, 1>::zeros("out", [4])?;
/// replace_copy(&Serial::new(), &x, &mut out, 1, 7)?;
/// assert_eq!(out.to_vec(), [7, 2, 7, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn replace_copy<S, T, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    old: T,
    new: T,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("replace_copy");
    replace_copy_if(space, x, out, move |x| *x == old, new)
}

/// Copies `x` to `out` with `new` in place of each element for which `test` returns true: otherwise as [`replace_if`].
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the lengths differ; as [`replace_if`].
///
/// # Panics
/// If `test` panics; `out` then has some of the elements.
///
/// # Complexity
/// As [`transform`].
///
/// # Source
/// C++ and Kokkos: `replace_copy_if`.
///
/// # Examples
/// ```
/// use spelt_algorithms::replace_copy_if;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![1, -2, 3, -4])?;
/// let mut out = View::<i32, 1>::zeros("out", [4])?;
/// replace_copy_if(&Serial::new(), &x, &mut out, |x| *x < 0, 0)?;
/// assert_eq!(out.to_vec(), [1, 0, 3, 0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn replace_copy_if<S, T, L, K, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    test: P,
    new: T,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("replace_copy_if");
    transform(space, x, out, move |x, _| if test(&x) { new } else { x })
}
