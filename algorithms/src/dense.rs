//! Views of rank 1 and any layout as dense ones: in place if they are already dense, otherwise by a copy.

use spelt_core::{
    Element, ExecutionSpace, Layout, MemorySpace, Result, Right, View, ViewMut, ViewRef, WriteView, deep_copy,
};

/// A View of rank 1 with contiguous elements: the caller's, or a copy of it.
pub(crate) enum Dense<'v, T: Element, M: MemorySpace> {
    Borrowed(ViewRef<'v, T, 1, M>),
    Copied(View<T, 1, M>),
}

impl<'v, T: Element, M: MemorySpace> Dense<'v, T, M> {
    /// The View itself if it is dense, otherwise a copy in the memory of `space`.
    pub(crate) fn of<S, L>(space: &S, view: ViewRef<'v, T, 1, M, L>) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
        L: Layout,
    {
        if let Ok(dense) = view.try_into_layout::<Right>() {
            return Ok(Self::Borrowed(dense));
        }
        let mut copy = space.zeros(view.label(), view.extents())?;
        deep_copy(&mut copy, &view)?;
        Ok(Self::Copied(copy))
    }

    pub(crate) fn view(&self) -> ViewRef<'_, T, 1, M> {
        match self {
            Self::Borrowed(view) => *view,
            Self::Copied(view) => view.view(),
        }
    }
}

/// Calls `work` with `view` as a dense View to read and write.
pub(crate) fn write_densely<S, T, L, O>(
    space: &S,
    view: &mut impl WriteView<T, 1, S::Memory, L>,
    work: impl FnOnce(ViewMut<'_, T, 1, S::Memory>) -> Result<O>,
) -> Result<O>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let mut view = view.write();
    if let Ok(dense) = view.view_mut().try_into_layout() {
        return work(dense);
    }
    let mut copy = space.zeros(view.label(), view.extents())?;
    deep_copy(&mut copy, &view)?;
    let result = work(copy.view_mut())?;
    deep_copy(&mut view, &copy)?;
    Ok(result)
}
