//! `transform` and `generate`: elements computed one by one.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, WriteView, parallel_for};

use crate::bounds::same_length;

/// Writes to `out[i]` the value of `map` for element `i` of `x` and its index.
///
/// `map` is called once for each element.
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the lengths differ; any error of the launch on a device.
///
/// # Panics
/// If `map` panics; `out` then has some of the values.
///
/// # Complexity
/// Work O(n), n calls; span O(n / threads). `x` is read once, `out` written once.
///
/// # Source
/// C++ and Kokkos: `transform`; Rust: `Iterator::map`.
///
/// # Examples
/// ```
/// use spelt_algorithms::transform;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![1.0_f32, 4.0, 9.0])?;
/// let mut roots = View::<f64, 1>::zeros("roots", [3])?;
/// transform(&Serial::new(), &x, &mut roots, |x, _| f64::from(x).sqrt())?;
/// assert_eq!(roots.to_vec(), [1.0, 2.0, 3.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[doc(alias = "map")]
pub fn transform<S, T, U, L, K, F>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<U, 1, S::Memory, K>,
    map: F,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    U: Element,
    L: Layout,
    K: Layout,
    F: Fn(T, usize) -> U + Sync,
{
    let _region = algorithm("transform");
    let (x, out) = (x.read(), out.write());
    same_length("transform", x, out.view())?;
    parallel_for("transform", space.range(0..x.len()), (x, out), move |i, (x, mut out)| {
        out[i] = map(x[i], i.get());
    })
}

/// Writes to `out[i]` the value of `map` for element `i` of `x`, element `i` of `y`, and their index: otherwise as [`transform`].
///
/// # Errors
/// As [`transform`].
///
/// # Panics
/// As [`transform`].
///
/// # Complexity
/// As [`transform`], with two Views to read.
///
/// # Source
/// C++ and Kokkos: `transform` with two ranges.
///
/// # Examples
/// ```
/// use spelt_algorithms::transform_binary;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![1, 2, 3])?;
/// let y = View::from_vec("y", [3], vec![4, 0, 2])?;
/// let mut most = View::<i32, 1>::zeros("most", [3])?;
/// transform_binary(&Serial::new(), &x, &y, &mut most, |x, y, _| x.max(y))?;
/// assert_eq!(most.to_vec(), [4, 2, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn transform_binary<S, T, U, V, L1, L2, L3, F>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L1>,
    y: &impl ReadView<U, 1, S::Memory, L2>,
    out: &mut impl WriteView<V, 1, S::Memory, L3>,
    map: F,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    U: Element,
    V: Element,
    L1: Layout,
    L2: Layout,
    L3: Layout,
    F: Fn(T, U, usize) -> V + Sync,
{
    let _region = algorithm("transform_binary");
    let (x, y, out) = (x.read(), y.read(), out.write());
    same_length("transform_binary", x, y)?;
    same_length("transform_binary", x, out.view())?;
    parallel_for("transform_binary", space.range(0..x.len()), (x, y, out), move |i, (x, y, mut out)| {
        out[i] = map(x[i], y[i], i.get());
    })
}

/// Replaces each element by the value of `map` for it and its index: otherwise as [`transform`].
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// As [`transform`].
///
/// # Complexity
/// As [`transform`].
///
/// # Source
/// C++ and Kokkos: `transform` into the same range, and `for_each` that changes elements.
///
/// # Examples
/// ```
/// use spelt_algorithms::transform_in_place;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [3], vec![1, 2, 3])?;
/// transform_in_place(&Serial::new(), &mut x, |x, i| 10 * x + i)?;
/// assert_eq!(x.to_vec(), [10, 21, 32]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[doc(alias = "for_each")]
pub fn transform_in_place<S, T, L, F>(
    space: &S,
    x: &mut impl WriteView<T, 1, S::Memory, L>,
    map: F,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    F: Fn(T, usize) -> T + Sync,
{
    let _region = algorithm("transform_in_place");
    let x = x.write();
    parallel_for("transform_in_place", space.range(0..x.len()), x, move |i, mut x| x[i] = map(x[i], i.get()))
}

/// Writes `make(i)` to each `out[i]`.
///
/// `make` is called once for each index. C++'s generators are called without an index, in an order that parallel ones do not have. For a new
/// View see [`view_from_fn`](ExecutionSpace::view_from_fn), whose function runs on the host, and
/// [`parallel_fill`](spelt_core::parallel_fill()).
///
/// # Errors
/// Any error of the launch on a device.
///
/// # Panics
/// If `make` panics; `out` then has some of the values.
///
/// # Complexity
/// Work O(n), n calls; span O(n / threads). `out` is written once.
///
/// # Source
/// C++ and Kokkos: `generate`.
///
/// # Examples
/// ```
/// use spelt_algorithms::generate;
/// use spelt_core::{Serial, View};
/// let mut x = View::<usize, 1>::zeros("x", [4])?;
/// generate(&Serial::new(), &mut x, |i| i * i)?;
/// assert_eq!(x.to_vec(), [0, 1, 4, 9]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn generate<S, T, L, F>(space: &S, out: &mut impl WriteView<T, 1, S::Memory, L>, make: F) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    F: Fn(usize) -> T + Sync,
{
    let _region = algorithm("generate");
    let out = out.write();
    parallel_for("generate", space.range(0..out.len()), out, move |i, mut out| out[i] = make(i.get()))
}
