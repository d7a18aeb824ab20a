//! Checks of callers' arguments: lengths that must agree, indices that must be in bounds.

use spelt_core::reducers::{Max, Min, Sum};
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, MemorySpace, Result, ViewRef, parallel_map_reduce,
    parallel_reduce,
};

use crate::IndexElement;

/// The error of two Views whose lengths must agree and differ.
pub(crate) fn same_length<A, B, M, LA, LB>(
    what: &str,
    a: ViewRef<'_, A, 1, M, LA>,
    b: ViewRef<'_, B, 1, M, LB>,
) -> Result<()>
where
    A: Element,
    B: Element,
    M: MemorySpace,
    LA: Layout,
    LB: Layout,
{
    if a.len() == b.len() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Extents,
        format!(
            "{what}: view `{}` has {} elements and view `{}` has {}: give Views of equal length",
            a.label(),
            a.len(),
            b.label(),
            b.len()
        ),
    ))
}

/// The error of negative numbers: the first of them and its place. `what` says what a number is.
pub(crate) fn none_negative<S, I, L>(
    space: &S,
    what: &str,
    numbers: ViewRef<'_, I, 1, S::Memory, L>,
) -> Result<()>
where
    S: ExecutionSpace,
    I: IndexElement,
    L: Layout,
{
    if const { !I::SIGNED } {
        return Ok(());
    }
    let first = parallel_map_reduce(
        "negative numbers",
        space.range(0..numbers.len()),
        numbers,
        move |i, numbers| if numbers[i].place() == usize::MAX { i.get() } else { usize::MAX },
        Min::<usize>::new(),
    )?;
    if first == usize::MAX {
        return Ok(());
    }
    let number = numbers.to_host()?[first];
    Err(Error::new(
        ErrorKind::Overflow,
        format!("the {what} {number:?} in view `{}` at [{first}] is negative", numbers.label()),
    ))
}

/// The error of indices outside `0..len`: their number, and the place of the first one.
pub(crate) fn all_inside<S, I, L>(
    space: &S,
    what: &str,
    indices: ViewRef<'_, I, 1, S::Memory, L>,
    len: usize,
) -> Result<()>
where
    S: ExecutionSpace,
    I: IndexElement,
    L: Layout,
{
    // The largest alone is a loop over vectors: what is wrong is found out afterwards.
    let largest = parallel_map_reduce(
        "largest index",
        space.range(0..indices.len()),
        indices,
        |i, indices| indices[i].place(),
        Max::<usize>::new(),
    )?;
    if indices.is_empty() || largest < len {
        return Ok(());
    }
    let (outside, first) = parallel_reduce(
        "indices outside",
        space.range(0..indices.len()),
        indices,
        move |i, (outside, first), indices| {
            if indices[i].place() >= len {
                *outside += 1;
                *first = i.get().min(*first);
            }
        },
        (Sum::<usize>::new(), Min::<usize>::new()),
    )?;
    Err(Error::new(
        ErrorKind::Extents,
        format!(
            "{what}: {outside} of the {} indices in view `{}` lie outside 0..{len}, the first of them at [{first}]: mend them, \
             or use the form that ignores them",
            indices.len(),
            indices.label()
        ),
    ))
}
