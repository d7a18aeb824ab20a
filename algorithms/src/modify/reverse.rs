//! `reverse` and `reverse_copy`: elements in the opposite order.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, ViewMut, WriteView, parallel_for};

use crate::bounds::same_length;
use crate::dense::write_densely;

/// Elements of a block on a host. Unit: elements. Source: estimated: a few hundred nanoseconds of work, for some ten of a block.
const BLOCK: usize = 1024;

/// Reverses the order of the elements.
///
/// # Errors
/// Any error of the launch on a device; [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) for Views with gaps, which are copied.
///
/// # Complexity
/// Work O(n), span O(n / threads); every element is read and written once.
///
/// # Source
/// C++ and Kokkos: `reverse`; Rust: `slice::reverse`.
///
/// # Examples
/// ```
/// use spelt_algorithms::reverse;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// reverse(&Serial::new(), &mut x)?;
/// assert_eq!(x.to_vec(), [5, 4, 3, 2, 1]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reverse<S, T, L>(space: &S, x: &mut impl WriteView<T, 1, S::Memory, L>) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let _region = algorithm("reverse");
    write_densely(space, x, |x| reverse_dense(space, x))
}

/// [`reverse`] of a dense View.
pub(super) fn reverse_dense<S, T>(space: &S, x: ViewMut<'_, T, 1, S::Memory>) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
{
    let n = x.len();
    let half = n / 2;
    // Without the element in the middle, which stays.
    let (mut left, rest) = x.split_outer_at(half);
    let mut right = rest.into_subview(n - 2 * half..);
    if const { S::IS_DEVICE } {
        // SAFETY: iterations have different indices, and so do their mirror images.
        let right = unsafe { right.distinct() };
        return parallel_for(
            "reverse",
            space.range(0..half),
            (left, right),
            move |i, (mut left, mut right)| {
                core::mem::swap(&mut left[i], &mut right[half - 1 - i.get()]);
            },
        );
    }
    // SAFETY: an iteration touches the mirror image of its block, and blocks have no element in common.
    let right = unsafe { right.distinct() };
    parallel_for(
        "reverse",
        space.range(0..half.div_ceil(BLOCK)),
        (left.by_blocks_mut(BLOCK), right),
        move |i, (mut left, mut right)| {
            let block = left.range(i);
            let Some(right) = right.slice_mut(half - block.end..half - block.start) else { return };
            for (left, right) in left[i].iter_mut().zip(right.iter_mut().rev()) {
                core::mem::swap(left, right);
            }
        },
    )
}

/// Writes the elements of `x` to `out` in the opposite order.
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the lengths differ; any error of the launch on a device.
///
/// # Complexity
/// Work O(n), span O(n / threads); `x` is read once, `out` written once.
///
/// # Source
/// C++ and Kokkos: `reverse_copy`.
///
/// # Examples
/// ```
/// use spelt_algorithms::reverse_copy;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [3], vec![1, 2, 3])?;
/// let mut out = View::<i32, 1>::zeros("out", [3])?;
/// reverse_copy(&Serial::new(), &x, &mut out)?;
/// assert_eq!(out.to_vec(), [3, 2, 1]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reverse_copy<S, T, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("reverse_copy");
    let (x, mut out) = (x.read(), out.write());
    same_length("reverse_copy", x, out.view())?;
    let n = x.len();
    if const { S::IS_DEVICE } {
        return parallel_for("reverse_copy", space.range(0..n), (x.lookup(), out), move |i, (x, mut out)| {
            out[i] = x[n - 1 - i.get()];
        });
    }
    parallel_for(
        "reverse_copy",
        space.range(0..n.div_ceil(BLOCK)),
        (x.lookup(), out.by_blocks_mut(BLOCK)),
        move |i, (x, mut out)| {
            let block = out.range(i);
            let len = block.len();
            let Some(x) = x.line([0], 0).part(n - block.end, len) else { return };
            for (out, k) in out.part_mut(i).iter_mut().zip((0..len).rev()) {
                if let Some(x) = x.get(k) {
                    *out = *x;
                }
            }
        },
    )
}
