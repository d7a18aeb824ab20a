//! `filter`, `filter_flagged` and `positions`: the selected elements, in order.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, View};

use super::compact::{Flags, compact, count, element, index};
use crate::bounds::same_length;

/// The elements of `x` for which `keep` returns true, in their order, in a new View of exactly their number.
///
/// `keep` is called once for each element. The result is the same on every space, thread count and run.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for the result and a flag for each element.
///
/// # Panics
/// If `keep` panics.
///
/// # Complexity
/// Work O(n), n calls; span O(n / threads + log n). Two launches, on a host four, and one number read back: `x` is read twice, and
/// 3 n bytes of flags are written and read. On a host a View with gaps is copied.
///
/// # Source
/// Futhark: `filter`; CUB: `DeviceSelect::If`. Blelloch, *Prefix sums and their applications*, 1990: a scan of the flags gives
/// the destination of each element.
///
/// # Examples
/// ```
/// use spelt_algorithms::filter;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [5], vec![3, -1, 4, -1, 5])?;
/// let positive = filter(&Serial::new(), &x, |&x| x > 0)?;
/// assert_eq!(positive.as_slice(), Some(&[3, 4, 5][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn filter<S, T, L, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    keep: P,
) -> Result<View<T, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("filter");
    let x = x.read();
    Flags::of(space, x, keep)?.compact(space, x, element)
}

/// The elements of `x` with a set flag, in their order, in a new View of exactly their number.
///
/// # Errors
/// [`Extents`](spelt_core::ErrorKind::Extents) if the numbers of flags and elements differ;
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory).
///
/// # Complexity
/// As [`filter`], without its calls; `x` is read twice, the flags three times.
///
/// # Source
/// CUB: `DeviceSelect::Flagged`.
///
/// # Examples
/// ```
/// use spelt_algorithms::filter_flagged;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![10, 20, 30])?;
/// let flags = View::from_vec("flags", [3], vec![true, false, true])?;
/// assert_eq!(filter_flagged(&Serial::new(), &x, &flags)?.as_slice(), Some(&[10, 30][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn filter_flagged<S, T, L, LF>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    flags: &impl ReadView<bool, 1, S::Memory, LF>,
) -> Result<View<T, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    LF: Layout,
{
    let _region = algorithm("filter_flagged");
    let (x, flags) = (x.read(), flags.read());
    same_length("filter_flagged", x, flags)?;
    compact(space, flags, count(space, flags)?, x, element)
}

/// The indices of the elements of `x` for which `select` returns true, ascending, in a new View of exactly their number.
///
/// `select` is called once for each element. With [`gather`](crate::gather) it selects from Views parallel to `x`.
///
/// # Errors
/// As [`filter`].
///
/// # Panics
/// If `select` panics.
///
/// # Complexity
/// As [`filter`], with indices written in place of elements.
///
/// # Source
/// NumPy: `flatnonzero`.
///
/// # Examples
/// ```
/// use spelt_algorithms::positions;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![0.0, f64::NAN, 1.0, f64::NAN])?;
/// assert_eq!(positions(&Serial::new(), &x, |x| x.is_nan())?.as_slice(), Some(&[1, 3][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn positions<S, T, L, P>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    select: P,
) -> Result<View<usize, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("positions");
    let x = x.read();
    Flags::of(space, x, select)?.compact(space, x, index)
}
