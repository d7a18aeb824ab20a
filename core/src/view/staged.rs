//! The elements of a View on the host, in the order of the indices: all at once, through a copy.

use spelt_access::{Element, Layout, Right};

use super::{HostSpace, MemorySpace, View, ViewMut, ViewRef, deep_copy};
use crate::Result;

/// Calls `take` with a copy of all elements.
pub(crate) fn read_whole<T: Element, const R: usize, M: MemorySpace, L: Layout>(
    from: ViewRef<'_, T, R, M, L>,
    take: &mut dyn FnMut(&[T]),
) -> Result<()> {
    take(from.to_layout(Right)?.as_slice().expect("a View that owns its memory is dense"));
    Ok(())
}

/// Replaces all elements by those that `give` puts into a slice.
pub(crate) fn write_whole<T: Element, const R: usize, M: MemorySpace, L: Layout>(
    mut to: ViewMut<'_, T, R, M, L>,
    give: &mut dyn FnMut(&mut [T]) -> Result<()>,
) -> Result<()> {
    let mut copy = View::<T, R, HostSpace>::zeros(to.label(), to.extents())?;
    give(copy.as_mut_slice().expect("a View that owns its memory is dense"))?;
    deep_copy(&mut to, &copy)
}
