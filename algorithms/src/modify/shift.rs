//! `shift_left` and `shift_right`: elements moved by some places.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, Result, ViewMut, WriteView};

use crate::dense::write_densely;

/// Moves each element `places` places towards the beginning: element `places` becomes the first.
///
/// The first `len - places` positions get new values, and the last `places` positions keep theirs. If `places` is at least the length,
/// nothing changes.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for a copy of the elements that move; any error of
/// the copies on a device.
///
/// # Complexity
/// Work O(n), span O(n / threads). If at least half of the elements are lost, the others are read and written once, otherwise twice.
///
/// # Source
/// C++ and Kokkos: `shift_left`, where the last elements are unspecified.
///
/// # Examples
/// ```
/// use spelt_algorithms::shift_left;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// shift_left(&Serial::new(), &mut x, 2)?;
/// assert_eq!(x.to_vec(), [3, 4, 5, 4, 5]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn shift_left<S, T, L>(space: &S, x: &mut impl WriteView<T, 1, S::Memory, L>, places: usize) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let _region = algorithm("shift_left");
    write_densely(space, x, |x| shift(space, x, places, false))
}

/// Moves each element `places` places towards the end: the first one gets the index `places`.
///
/// The last `len - places` positions get new values, and the first `places` positions keep theirs. If `places` is at least the length,
/// nothing changes.
///
/// # Errors
/// As [`shift_left`].
///
/// # Complexity
/// As [`shift_left`].
///
/// # Source
/// C++ and Kokkos: `shift_right`, where the first elements are unspecified; `copy_backward` within one View.
///
/// # Examples
/// ```
/// use spelt_algorithms::shift_right;
/// use spelt_core::{Serial, View};
/// let mut x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// shift_right(&Serial::new(), &mut x, 2)?;
/// assert_eq!(x.to_vec(), [1, 2, 1, 2, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn shift_right<S, T, L>(
    space: &S,
    x: &mut impl WriteView<T, 1, S::Memory, L>,
    places: usize,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let _region = algorithm("shift_right");
    write_densely(space, x, |x| shift(space, x, places, true))
}

/// Moves the elements of a dense View.
fn shift<S, T>(space: &S, mut x: ViewMut<'_, T, 1, S::Memory>, places: usize, right: bool) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
{
    let n = x.len();
    if places == 0 || places >= n {
        return Ok(());
    }
    let stay = n - places;
    if places >= stay {
        // Those that move are on one side of the places that they get.
        let (mut low, mut high) = x.split_outer_at(places);
        let mut low = low.subview_mut(0..stay);
        return if right { space.deep_copy(&mut high, &low) } else { space.deep_copy(&mut low, &high) };
    }
    let (from, to) = if right { (0..stay, places..n) } else { (places..n, 0..stay) };
    let mut copy = space.zeros::<T, 1>(x.label(), [stay])?;
    space.deep_copy(&mut copy, &x.subview(from))?;
    space.deep_copy(&mut x.subview_mut(to), &copy)
}
