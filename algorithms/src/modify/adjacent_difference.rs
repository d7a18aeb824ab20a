//! `adjacent_difference`: neighbours, combined.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, WriteView, parallel_for};

use crate::bounds::same_length;
use crate::dense::{Dense, write_densely};

/// Writes to `out[i]` the value of `difference(x[i], x[i - 1])`, and to `out[0]` the first element.
///
/// `difference` is called once for each two neighbours. For exact numbers and a subtraction it is the inverse of
/// [`inclusive_scan`](crate::inclusive_scan). The result is the same on every space, thread count and run.
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the lengths differ; any error of the launch on a device;
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) for Views with gaps, which are copied.
///
/// # Panics
/// If `difference` panics; `out` then has some of the values, or is unchanged if it has gaps.
///
/// # Complexity
/// Work O(n), n - 1 calls; span O(n / threads). `x` is read once from memory, `out` written once.
///
/// # Source
/// C++ and Kokkos: `adjacent_difference`; NumPy: `diff`.
///
/// # Examples
/// ```
/// use spelt_algorithms::adjacent_difference;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [4], vec![2, 3, 7, 6])?;
/// let mut out = View::<i32, 1>::zeros("out", [4])?;
/// adjacent_difference(&Serial::new(), &x, &mut out, |x, former| x - former)?;
/// assert_eq!(out.to_vec(), [2, 1, 4, -1]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn adjacent_difference<S, T, L, K, F>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    difference: F,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    F: Fn(T, T) -> T + Sync,
{
    let _region = algorithm("adjacent_difference");
    let x = x.read();
    same_length("adjacent_difference", x, out.read())?;
    let n = x.len();
    if n == 0 {
        return Ok(());
    }
    let x = Dense::of(space, x)?;
    let x = x.view();
    write_densely(space, out, |mut out| {
        space.deep_copy(&mut out.subview_mut(0..1), &x.subview(0..1))?;
        parallel_for(
            "adjacent_difference",
            space.range(0..n - 1),
            (x.subview(1..n), x.subview(0..n - 1), out.subview_mut(1..n)),
            move |i, (x, former, mut out)| out[i] = difference(x[i], former[i]),
        )
    })
}
