//! Compaction: flagged elements, without gaps.
//!
//! A closure of the caller is called once for each element and its results are stored. Destinations are computed from the
//! stored results, so an inconsistent closure does no harm.
//!
//! Picking and comparing use named functions, not closures: the type of a closure has all type parameters of the function around
//! it, so each instance would compile the kernel again.

use spelt_core::isa::dispatch;
use spelt_core::reducers::Sum;
use spelt_core::{
    Element, ExecutionSpace, Layout, Result, View, ViewRef, deep_copy_scalar, parallel_for, parallel_reduce,
    parallel_scan,
};

use crate::dense::Dense;
use crate::flag_blocks::{FlagBlocks, Pick};

/// One flag for each element, and the number of those that are set.
pub(crate) struct Flags<S: ExecutionSpace> {
    pub(crate) flags: View<bool, 1, S::Memory>,
    pub(crate) set: usize,
}

impl<S: ExecutionSpace> Flags<S> {
    /// Calls `predicate` once for each element of `x`.
    pub(crate) fn of<T, L, P>(space: &S, x: ViewRef<'_, T, 1, S::Memory, L>, predicate: P) -> Result<Self>
    where
        T: Element,
        L: Layout,
        P: Fn(&T) -> bool + Sync,
    {
        let n = x.len();
        let mut flags = space.zeros::<bool, 1>("flags", [n])?;
        let set = parallel_reduce(
            "flags",
            space.range(0..n),
            (x, &mut flags),
            move |i, set, (x, mut flags)| {
                let flag = predicate(&x[i]);
                flags[i] = flag;
                *set += usize::from(flag);
            },
            Sum::<usize>::new(),
        )?;
        Ok(Self { flags, set })
    }

    /// Flags the first element of each run of equal neighbours.
    pub(crate) fn of_heads<T, L>(space: &S, x: ViewRef<'_, T, 1, S::Memory, L>) -> Result<Self>
    where
        T: Element + PartialEq,
        L: Layout,
    {
        let n = x.len();
        let mut flags = space.zeros::<bool, 1>("heads", [n])?;
        if n == 0 {
            return Ok(Self { flags, set: 0 });
        }
        let x = Dense::of(space, x)?;
        let x = x.view();
        deep_copy_scalar(&mut flags.subview_mut(0..1), true)?;
        let changes = parallel_reduce(
            "heads",
            space.range(0..n - 1),
            (x.subview(0..n - 1), x.subview(1..n), flags.subview_mut(1..n)),
            move |i, changes, (former, latter, mut flags)| {
                let head = former[i] != latter[i];
                flags[i] = head;
                *changes += usize::from(head);
            },
            Sum::<usize>::new(),
        )?;
        Ok(Self { flags, set: 1 + changes })
    }

    /// `pick(i, x[i])` of every flagged `i`, in order.
    pub(crate) fn compact<T, U, L>(
        &self,
        space: &S,
        x: ViewRef<'_, T, 1, S::Memory, L>,
        pick: impl Fn(usize, T) -> U + Sync,
    ) -> Result<View<U, 1, S::Memory>>
    where
        T: Element,
        U: Element,
        L: Layout,
    {
        compact(space, self.flags.view(), self.set, x, pick)
    }
}

/// Picks the element.
pub(crate) fn element<T>(_index: usize, element: T) -> T {
    element
}

/// Picks the index.
pub(crate) fn index<T>(index: usize, _element: T) -> usize {
    index
}

/// The number of flags that are set.
pub(crate) fn count<S: ExecutionSpace, L: Layout>(
    space: &S,
    flags: ViewRef<'_, bool, 1, S::Memory, L>,
) -> Result<usize> {
    parallel_reduce(
        "flags set",
        space.range(0..flags.len()),
        flags,
        |i, set, flags| *set += usize::from(flags[i]),
        Sum::<usize>::new(),
    )
}

/// `pick(i, x[i])` of every `i` whose flag is set, in order; `set` flags are set.
pub(crate) fn compact<S, T, U, LF, L>(
    space: &S,
    flags: ViewRef<'_, bool, 1, S::Memory, LF>,
    set: usize,
    x: ViewRef<'_, T, 1, S::Memory, L>,
    pick: impl Fn(usize, T) -> U + Sync,
) -> Result<View<U, 1, S::Memory>>
where
    S: ExecutionSpace,
    T: Element,
    U: Element,
    LF: Layout,
    L: Layout,
{
    let mut out = space.zeros::<U, 1>(x.label(), [set])?;
    if set == 0 {
        return Ok(out);
    }
    if const { !S::IS_DEVICE } {
        let (flags, x) = (Dense::of(space, flags)?, Dense::of(space, x)?);
        let (flags, x) = (flags.view(), x.view());
        let blocks = FlagBlocks::new(space, flags, false)?;
        let shape = blocks.shape();
        // SAFETY: a block writes as many elements as it has flags set, after those of the blocks before it.
        let places = unsafe { out.distinct() };
        parallel_for(
            "compact",
            blocks.policy(space),
            (flags.lookup(), x.lookup(), blocks.before.lookup(), places),
            move |i, (flags, x, before, mut out)| {
                let (elements, places) = shape.of(i.get(), before.as_slice());
                let first = elements.start;
                let (flags, x) = (&flags.as_slice()[elements.clone()], &x.as_slice()[elements]);
                if let Some(out) = out.slice_mut(places) {
                    dispatch(Pick { flags, head: false, out, pick: |k| pick(first + k, x[k]) });
                }
            },
        )?;
        return Ok(out);
    }
    // SAFETY: an iteration writes only where its flag is set, at the number of flags set before it, which no two such
    // iterations share. The flags are data that nothing writes meanwhile, and only this function counts them.
    let places = unsafe { out.distinct() };
    parallel_scan(
        "compact",
        space.range(0..x.len()),
        (flags, x, places),
        move |i, before, last, (flags, x, mut out)| {
            let flag = flags[i];
            if last && flag {
                out[*before] = pick(i.get(), x[i]);
            }
            *before += usize::from(flag);
        },
        Sum::<usize>::new(),
    )?;
    Ok(out)
}
