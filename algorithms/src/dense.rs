//! Views of any layout as dense ones: in place where they are dense already, else by a copy.

use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, ViewMut, ViewRef, WriteView, deep_copy};

/// Has `work` read `view` as a dense View.
pub(crate) fn read_densely<S, T, L, O>(
    space: &S,
    view: &impl ReadView<T, 1, S::Memory, L>,
    work: impl FnOnce(ViewRef<'_, T, 1, S::Memory>) -> Result<O>,
) -> Result<O>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let view = view.read();
    match view.try_into_layout() {
        Ok(dense) => work(dense),
        Err(_) => {
            let mut copy = space.zeros(view.label(), view.extents())?;
            deep_copy(&mut copy, &view)?;
            work(copy.view())
        }
    }
}

/// Has `work` read and write `view` as a dense View.
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
