//! `remove` and `remove_if`: the other elements, moved to the front.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, Result, WriteView};

use crate::dense::write_densely;
use crate::filter;

/// Moves the elements that do not equal `value` to the front, in their order, and returns their number.
///
/// The elements after them are unchanged. NaN equals nothing, and both zeros are equal. The result is the same on every space,
/// thread count and run.
///
/// # Errors
/// As [`remove_if`].
///
/// # Panics
/// If `==` panics; `x` is then unchanged.
///
/// # Complexity
/// As [`remove_if`].
///
/// # Source
/// C++ and Kokkos: `remove`.
///
/// # Examples
/// ```
/// use spelt_algorithms::remove;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [5], vec![3, 0, 4, 0, 5])?;
/// let kept = remove(&Serial::new(), &mut x, 0)?;
/// assert_eq!(x.subview(0..kept).to_vec(), [3, 4, 5]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn remove<S, T, L>(space: &S, x: &mut impl WriteView<T, 1, S::Memory, L>, value: T) -> Result<usize>
where
    S: ExecutionSpace,
    T: Element + PartialEq,
    L: Layout,
{
    let _region = algorithm("remove");
    remove_if(space, x, move |x| *x == value)
}

/// Moves the elements for which `test` returns false to the front, in their order, and returns their number.
///
/// The elements after them are unchanged. `test` is called once for each element. The result is the same on every space, thread count
/// and run. [`filter`] returns the elements in a new View of exactly their number.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for a copy of the elements that stay and a flag for
/// each element; `x` is then unchanged. Any error of the launches and copies on a device; `x` may then be changed.
///
/// # Panics
/// If `test` panics; `x` is then unchanged.
///
/// # Complexity
/// As [`filter`], and a copy of the elements that stay. A View with gaps is copied.
///
/// # Source
/// C++ and Kokkos: `remove_if`; Rust: `Vec::retain`.
///
/// # Examples
/// ```
/// use spelt_algorithms::remove_if;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [5], vec![3, -1, 4, -1, 5])?;
/// let kept = remove_if(&Serial::new(), &mut x, |x| *x < 0)?;
/// assert_eq!((kept, x.to_vec()), (3, vec![3, 4, 5, -1, 5]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[doc(alias = "retain")]
pub fn remove_if<S, T, L, P>(space: &S, x: &mut impl WriteView<T, 1, S::Memory, L>, test: P) -> Result<usize>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    P: Fn(&T) -> bool + Sync,
{
    let _region = algorithm("remove_if");
    write_densely(space, x, |mut x| {
        let kept = filter(space, &x, move |x| !test(x))?;
        space.deep_copy(&mut x.subview_mut(0..kept.len()), &kept)?;
        Ok(kept.len())
    })
}
