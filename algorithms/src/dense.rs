//! Views of rank 1 as slices, and their lengths compared.

use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, MemorySpace, Result, Right, View, ViewRef, deep_copy,
};

/// A View of rank 1 whose elements lie one after the other: the caller's, or a copy of it.
pub(crate) enum Dense<'v, T: Element, M: MemorySpace> {
    Borrowed(ViewRef<'v, T, 1, M>),
    Copied(View<T, 1, M>),
}

impl<'v, T: Element, M: MemorySpace> Dense<'v, T, M> {
    /// The View itself where it is dense; elsewhere a copy, in the memory of `space`.
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

/// An error unless the two Views are equally long.
pub(crate) fn same_length<T, U, M, N, L, K>(
    what: &str,
    one: ViewRef<'_, T, 1, M, L>,
    other: ViewRef<'_, U, 1, N, K>,
) -> Result<()>
where
    T: Element,
    U: Element,
    M: MemorySpace,
    N: MemorySpace,
    L: Layout,
    K: Layout,
{
    if one.len() == other.len() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Extents,
        format!(
            "{what}: view `{}` has {} elements and view `{}` has {}: give Views of equal length",
            one.label(),
            one.len(),
            other.label(),
            other.len()
        ),
    ))
}
