//! Rows into messages and out of them, by launches on the plan's space.

use core::any::Any;
use core::ops::Range;

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, HostSpace, Layout, MemorySpace, Portable, Reach, Result, View, ViewMut, ViewRef,
    deep_copy, parallel_for,
};

use super::{Indices, Plan, Received};
use crate::views::elements::Shape;

/// Rows of messages, in memory of the space.
type Staging<S, T, const R: usize> = View<T, R, <S as ExecutionSpace>::Memory>;

/// All indices of these extents.
fn all<const R: usize>(extents: [usize; R]) -> [Range<usize>; R] {
    extents.map(|extent| 0..extent)
}

/// The extents with another number of rows.
fn with_rows<const R: usize>(rows: usize, mut extents: [usize; R]) -> [usize; R] {
    extents[0] = rows;
    extents
}

/// The index with another row.
#[inline(always)]
fn in_row<const R: usize>(row: usize, mut index: [usize; R]) -> [usize; R] {
    index[0] = row;
    index
}

/// Appends the rows `list` of a View to messages, each of which takes the next `counts` of them. Returns the bytes that came from a device.
pub(super) fn pack<S, T, const R: usize, M, L>(
    space: &S,
    label: &str,
    (list, counts): (&Indices<S>, impl Iterator<Item = usize>),
    view: ViewRef<'_, T, R, M, L>,
    messages: &mut [Vec<u8>],
) -> Result<usize>
where
    S: ExecutionSpace + Reach<M>,
    T: Element + Portable,
    M: MemorySpace,
    L: Layout,
{
    let extents = with_rows(list.len(), view.extents());
    let mut staging: Staging<S, T, R> = space.zeros(view.label(), extents)?;
    let policy = space.md_range(all(extents));
    parallel_for(
        label,
        policy,
        (list.lookup(), view.lookup(), &mut staging),
        move |i, (list, view, mut staging)| {
            let index = i.index();
            staging[i] = view[in_row(list[index[0]], index)];
        },
    )?;
    let write = |mut rows: &[T]| {
        let row = rows.len().checked_div(list.len()).unwrap_or(0);
        for (count, message) in counts.zip(messages) {
            let (own, others) = rows.split_at(count * row);
            message.reserve(size_of_val(own) + 64);
            Shape::of::<T>(&with_rows(count, extents)).write(message);
            T::write_slice(own, message);
            rows = others;
        }
    };
    match (&staging as &dyn Any).downcast_ref::<View<T, R, HostSpace>>() {
        Some(on_host) => {
            write(on_host.as_slice().expect(DENSE));
            Ok(0)
        }
        None => {
            let mut pinned = space.pinned_zeros(view.label(), extents)?;
            deep_copy(&mut pinned, &staging)?;
            write(pinned.as_slice().expect(DENSE));
            Ok(staging.size_bytes())
        }
    }
}

/// Why a View has a slice.
const DENSE: &str = "a View that owns its memory is dense";

/// The next rows of all messages, one after another.
fn staged<S, T, const R: usize>(
    plan: &Plan<'_, S>,
    label: &str,
    extents: [usize; R],
    received: &mut [Received<'_>],
) -> Result<Staging<S, T, R>>
where
    S: ExecutionSpace,
    T: Element + Portable,
{
    let count = received.iter().map(|received| received.rows).sum::<usize>();
    let all = with_rows(count, extents);
    let read = |mut rows: &mut [T]| {
        let row = rows.len().checked_div(count).unwrap_or(0);
        for Received { between, rows: count, rest } in received {
            let (own, others) = rows.split_at_mut(*count * row);
            between.same_shape(rest, &Shape::of::<T>(&with_rows(*count, extents)))?;
            between.elements(own, rest)?;
            rows = others;
        }
        Ok::<(), spelt_core::Error>(())
    };
    let mut staging: Staging<S, T, R> = plan.space.zeros(label, all)?;
    match (&mut staging as &mut dyn Any).downcast_mut::<View<T, R, HostSpace>>() {
        Some(on_host) => read(on_host.as_mut_slice().expect(DENSE))?,
        None => {
            let mut pinned = plan.space.pinned_zeros(label, all)?;
            read(pinned.as_mut_slice().expect(DENSE))?;
            deep_copy(&mut staging, &pinned)?;
            plan.count_staged(staging.size_bytes());
        }
    }
    Ok(staging)
}

/// Fills the ghosts from own rows and from those of the messages.
pub(super) fn fill<S, T, const R: usize, M, N, L, K>(
    plan: &Plan<'_, S>,
    label: &str,
    view: ViewRef<'_, T, R, M, L>,
    ghosts: ViewMut<'_, T, R, N, K>,
    received: &mut [Received<'_>],
) -> Result<()>
where
    S: ExecutionSpace + Reach<M> + Reach<N>,
    T: Element + Portable,
    M: MemorySpace,
    N: MemorySpace,
    L: Layout,
    K: Layout,
{
    let staging = staged::<S, T, R>(plan, view.label(), view.extents(), received)?;
    let (rows, sources) = (plan.rows, &plan.lists.sources);
    let policy = plan.space.md_range(all(ghosts.extents()));
    parallel_for(
        label,
        policy,
        (sources.lookup(), view.lookup(), staging.lookup(), ghosts),
        move |i, (sources, view, staging, mut ghosts)| {
            let index = i.index();
            let source = sources[index[0]];
            ghosts[i] = match source.checked_sub(rows) {
                None => view[in_row(source, index)],
                Some(staged) => staging[in_row(staged, index)],
            };
        },
    )
}

/// Joins own ghosts and those of the messages into the own rows.
pub(super) fn join<S, T, const R: usize, M, N, L, K, Op>(
    plan: &Plan<'_, S>,
    label: &str,
    (ghosts, reducer): (ViewRef<'_, T, R, M, L>, Op),
    mut view: ViewMut<'_, T, R, N, K>,
    received: &mut [Received<'_>],
) -> Result<()>
where
    S: ExecutionSpace + Reach<M> + Reach<N>,
    T: Element + Portable,
    M: MemorySpace,
    N: MemorySpace,
    L: Layout,
    K: Layout,
    Op: Reducer<Value = T, Output = T> + Copy + Send + Sync,
{
    let staging = staged::<S, T, R>(plan, ghosts.label(), ghosts.extents(), received)?;
    let (own, lists) = (plan.ghosts, &plan.lists);
    let policy = plan.space.md_range(all(with_rows(lists.targets.len(), view.extents())));
    // SAFETY: the targets are distinct rows, so no two iterations have both the same target and the same indices after it.
    let target = unsafe { view.distinct() };
    parallel_for(
        label,
        policy,
        (
            (lists.targets.lookup(), lists.offsets.lookup(), lists.contributions.lookup()),
            (ghosts.lookup(), staging.lookup(), target),
        ),
        move |i, ((targets, offsets, contributions), (ghosts, staging, mut target))| {
            let index = i.index();
            let place = in_row(targets[index[0]], index);
            let mut value = target[place];
            for number in offsets[index[0]]..offsets[index[0] + 1] {
                let source = contributions[number];
                let contribution = match source.checked_sub(own) {
                    None => ghosts[in_row(source, index)],
                    Some(staged) => staging[in_row(staged, index)],
                };
                reducer.join(&mut value, &contribution);
            }
            target[place] = value;
        },
    )
}
