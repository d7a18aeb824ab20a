//! `unique`: one element of each run.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, View};

use super::compact::{Flags, element};

/// The first element of each run of equal neighbours, in order, in a new View of exactly their number.
///
/// Of a sorted View these are its distinct elements. NaN equals nothing, so each NaN is a separate run. `==` is called once for
/// each two neighbours. The result is the same on every space, thread count and run.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for the result and a flag for each element.
///
/// # Panics
/// If `==` panics.
///
/// # Complexity
/// Work O(n), n - 1 comparisons; span O(n / threads + log n). Two launches, on a host four, and one number read back: `x` is
/// read twice, and 3 n bytes of flags are written and read. On a host a View with gaps is copied.
///
/// # Source
/// CUB: `DeviceSelect::Unique`; Rust: `Vec::dedup`.
///
/// # Examples
/// ```
/// use spelt_algorithms::unique;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [6], vec![1, 1, 2, 1, 3, 3])?;
/// assert_eq!(unique(&Serial::new(), &x)?.as_slice(), Some(&[1, 2, 1, 3][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn unique<S, T, L>(space: &S, x: &impl ReadView<T, 1, S::Memory, L>) -> Result<View<T, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("unique");
    let x = x.read();
    Flags::of_heads(space, x)?.compact(space, x, element)
}
