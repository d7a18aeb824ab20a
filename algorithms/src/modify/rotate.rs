//! `rotate` and `rotate_copy`: the last elements before the first ones.

use spelt_core::tools::algorithm;
use spelt_core::{Element, Error, ErrorKind, ExecutionSpace, Layout, ReadView, Result, WriteView};

use super::reverse::reverse_dense;
use crate::bounds::same_length;
use crate::dense::{Dense, write_densely};

/// Rotates the elements to the left, so that element `middle` becomes the first.
///
/// Both parts keep their order: the former first element is now at `len - middle`.
///
/// # Errors
/// [`ErrorKind::Extents`] if `middle` is larger than the number of elements; any error of the launches on a device;
/// [`OutOfMemory`](ErrorKind::OutOfMemory) for Views with gaps, which are copied.
///
/// # Complexity
/// Work O(n), span O(n / threads), in place (a View with gaps is copied): both parts are reversed, then the whole. Every element is read
/// and written twice.
///
/// # Source
/// C++ and Kokkos: `rotate`; Rust: `slice::rotate_left`.
///
/// # Examples
/// ```
/// use spelt_algorithms::rotate;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// rotate(&Serial::new(), &mut x, 2)?;
/// assert_eq!(x.to_vec(), [3, 4, 5, 1, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[doc(alias = "rotate_left")]
pub fn rotate<S, T, L>(space: &S, x: &mut impl WriteView<T, 1, S::Memory, L>, middle: usize) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let _region = algorithm("rotate");
    inside("rotate", x.read().label(), x.read().len(), middle)?;
    write_densely(space, x, |mut x| {
        let (first, last) = x.view_mut().split_outer_at(middle);
        if first.is_empty() || last.is_empty() {
            return Ok(());
        }
        reverse_dense(space, first)?;
        reverse_dense(space, last)?;
        reverse_dense(space, x)
    })
}

/// Writes the elements of `x` from `middle` on to `out`, and after them the others.
///
/// # Errors
/// [`ErrorKind::Extents`] if `middle` is larger than the number of elements, or if the lengths differ; any error of the copies on a
/// device; [`OutOfMemory`](ErrorKind::OutOfMemory) for Views with gaps, which are copied.
///
/// # Complexity
/// Work O(n), span O(n / threads): two copies. `x` is read once, `out` written once.
///
/// # Source
/// C++ and Kokkos: `rotate_copy`.
///
/// # Examples
/// ```
/// use spelt_algorithms::rotate_copy;
/// use spelt_core::{Serial, View};
/// let x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// let mut out = View::<i32, 1>::zeros("out", [5])?;
/// rotate_copy(&Serial::new(), &x, &mut out, 2)?;
/// assert_eq!(out.to_vec(), [3, 4, 5, 1, 2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn rotate_copy<S, T, L, K>(
    space: &S,
    x: &impl ReadView<T, 1, S::Memory, L>,
    out: &mut impl WriteView<T, 1, S::Memory, K>,
    middle: usize,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
{
    let _region = algorithm("rotate_copy");
    let x = x.read();
    inside("rotate_copy", x.label(), x.len(), middle)?;
    same_length("rotate_copy", x, out.read())?;
    let x = Dense::of(space, x)?;
    write_densely(space, out, |out| {
        let (last, first) = x.view().split_outer_at(middle);
        let (mut to_first, mut to_last) = out.split_outer_at(first.len());
        space.deep_copy(&mut to_first, &first)?;
        space.deep_copy(&mut to_last, &last)
    })
}

/// The error of a place beyond the end.
fn inside(what: &str, label: &str, n: usize, middle: usize) -> Result<()> {
    if middle <= n {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Extents,
        format!("{what}: view `{label}` has {n} elements, none at {middle}: give a number from 0 to {n}"),
    ))
}
