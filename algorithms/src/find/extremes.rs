//! `min_element`, `max_element` and `minmax_element`: the positions of extremes.

use spelt_core::reducers::{MaxLoc, MinLoc, MinMaxElement, MinMaxLoc};
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, parallel_map_reduce};

/// The location of a reduction over `0..n`, unless it found nothing.
fn place(location: usize, n: usize) -> Option<usize> {
    (location < n).then_some(location)
}

/// The position of the smallest element, the first of equal ones; `None` if there is no element, or only NaN.
///
/// NaN is ignored, and both zeros are equal, as in [`arg_min_axes`](crate::arg_min_axes). The result is the same on every space,
/// thread count and run.
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If a comparison of the elements panics.
///
/// # Complexity
/// Work O(n), span O(n / threads + log n). On a host the values are read once, and the tile with the result twice.
///
/// # Source
/// C++ and Kokkos: `min_element`; NumPy: `argmin`, where NaN is smallest.
///
/// # Examples
/// ```
/// use spelt_algorithms::min_element;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![f64::NAN, 1.0, 0.5, 0.5])?;
/// assert_eq!(min_element(&Serial::new(), &x)?, Some(2));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[doc(alias = "argmin")]
pub fn min_element<S, T, L>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + MinMaxElement,
    L: Layout,
{
    let _region = algorithm("min_element");
    let x = x.read();
    let n = x.len();
    let least =
        parallel_map_reduce("min_element", space.range(0..n), x, |i, x| x[i], MinLoc::<T>::at_index())?;
    Ok(place(least.loc, n))
}

/// The position of the largest element, the first of equal ones; `None` if there is no element, or only NaN: otherwise as [`min_element`].
///
/// # Errors
/// As [`min_element`].
///
/// # Panics
/// As [`min_element`].
///
/// # Complexity
/// As [`min_element`].
///
/// # Source
/// C++ and Kokkos: `max_element`; NumPy: `argmax`, where NaN is largest.
///
/// # Examples
/// ```
/// use spelt_algorithms::max_element;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![3, 7, 7, 1])?;
/// assert_eq!(max_element(&Serial::new(), &x)?, Some(1));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[doc(alias = "argmax")]
pub fn max_element<S, T, L>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element + MinMaxElement,
    L: Layout,
{
    let _region = algorithm("max_element");
    let x = x.read();
    let n = x.len();
    let most =
        parallel_map_reduce("max_element", space.range(0..n), x, |i, x| x[i], MaxLoc::<T>::at_index())?;
    Ok(place(most.loc, n))
}

/// The positions of the smallest and of the largest element, each the first of equal ones; `None` if there is no element, or only NaN.
///
/// It is [`min_element`] and [`max_element`] in one pass. C++ and Kokkos return the last of the largest elements.
///
/// # Errors
/// As [`min_element`].
///
/// # Panics
/// As [`min_element`].
///
/// # Complexity
/// As [`min_element`]; two tiles are read twice.
///
/// # Source
/// C++ and Kokkos: `minmax_element`.
///
/// # Examples
/// ```
/// use spelt_algorithms::minmax_element;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![3, 7, 7, 1])?;
/// assert_eq!(minmax_element(&Serial::new(), &x)?, Some((3, 1)));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn minmax_element<S, T, L>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
) -> Result<Option<(usize, usize)>>
where
    S: ExecutionSpace,
    T: Element + MinMaxElement,
    L: Layout,
{
    let _region = algorithm("minmax_element");
    let x = x.read();
    let n = x.len();
    let both =
        parallel_map_reduce("minmax_element", space.range(0..n), x, |i, x| x[i], MinMaxLoc::<T>::at_index())?;
    Ok(place(both.min_loc, n).zip(place(both.max_loc, n)))
}
