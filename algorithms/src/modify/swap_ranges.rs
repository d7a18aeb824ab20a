//! `swap_ranges`: the elements of two Views, exchanged.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, Result, WriteView, parallel_for};

use crate::bounds::same_length;

/// Exchanges the elements of `x` and `y`.
///
/// [`split_at`](spelt_core::ViewMut::split_at) makes two parts of one View; whole Views of one type are exchanged by
/// [`core::mem::swap`], without a copy.
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the lengths differ; any error of the launch on a device.
///
/// # Complexity
/// Work O(n), span O(n / threads); both Views are read and written once.
///
/// # Source
/// C++ and Kokkos: `swap_ranges`; Rust: `slice::swap_with_slice`.
///
/// # Examples
/// ```
/// use spelt_algorithms::swap_ranges;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [4], vec![1, 2, 3, 4])?;
/// let (mut low, mut high) = x.view_mut().split_at(0, 2);
/// swap_ranges(&Serial::new(), &mut low, &mut high)?;
/// assert_eq!(x.to_vec(), [3, 4, 1, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn swap_ranges<S, T, L, K>(
    space: &S,
    x: &mut impl WriteView<T, 1, S::Memory, L>,
    y: &mut impl WriteView<T, 1, S::Memory, K>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("swap_ranges");
    let (x, y) = (x.write(), y.write());
    same_length("swap_ranges", x.view(), y.view())?;
    parallel_for("swap_ranges", space.range(0..x.len()), (x, y), move |i, (mut x, mut y)| {
        core::mem::swap(&mut x[i], &mut y[i]);
    })
}
