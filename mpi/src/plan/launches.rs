//! Rows into messages and out of them, by launches on the plan's space.

use core::any::Any;
use core::ops::Range;

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, HostSpace, Layout, MemorySpace, Portable, Reach, Result, View, ViewMut, ViewRef,
    deep_copy, parallel_for,
};

use super::messages::{Filling, Received, Rest};
use super::{Indices, Plan};
use crate::device_memory::{if_there_is_memory, of_memory};
use crate::distributed::storage::{rows, rows_mut};

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

/// A View of zeros for rows of messages. It takes the memory of blocks if there is none else: of those that nothing uses, and then of those of
/// the messages, which must `leave` the device.
fn zeros<S, T, const R: usize>(
    plan: &Plan<'_, S>,
    label: &str,
    extents: [usize; R],
    leave: impl FnOnce() -> Result<()>,
) -> Result<Staging<S, T, R>>
where
    S: ExecutionSpace,
    T: Element,
{
    if let Some(zeros) = if_there_is_memory(plan.space.zeros(label, extents))? {
        return Ok(zeros);
    }
    plan.blocks.free();
    if let Some(zeros) = if_there_is_memory(plan.space.zeros(label, extents))? {
        return Ok(zeros);
    }
    leave()?;
    plan.blocks.free();
    plan.space.zeros(label, extents)
}

/// Appends the rows `list` of a View to messages, each of which takes the next ones. Returns the bytes that came from a device to the host.
pub(super) fn pack<S, T, const R: usize, M, L>(
    plan: &Plan<'_, S>,
    label: &str,
    list: &Indices<S>,
    view: ViewRef<'_, T, R, M, L>,
    messages: &mut [Filling<S::Memory>],
) -> Result<usize>
where
    S: ExecutionSpace + Reach<M>,
    T: Element + Portable,
    M: MemorySpace,
    L: Layout,
{
    let extents = with_rows(list.len(), view.extents());
    let mut bytes_on_host = 0;
    let mut staging: Staging<S, T, R> = zeros(plan, view.label(), extents, || {
        messages.iter_mut().try_for_each(|message| {
            bytes_on_host += message.leave_device()?;
            Ok(())
        })
    })?;
    let policy = plan.space.md_range(all(extents));
    parallel_for(
        label,
        policy,
        (list.lookup(), view.lookup(), &mut staging),
        move |i, (list, view, mut staging)| {
            let index = i.index();
            staging[i] = view[in_row(list[index[0]], index)];
        },
    )?;
    let on_host = (&staging as &dyn Any).downcast_ref::<View<T, R, HostSpace>>();
    let pinned = match on_host {
        None if messages.iter().any(|message| message.block.is_none()) => {
            let mut pinned = plan.space.pinned_zeros(view.label(), extents)?;
            deep_copy(&mut pinned, &staging)?;
            Some(pinned)
        }
        _ => None,
    };
    let elements = on_host.map_or_else(
        || pinned.as_ref().map_or(&[][..], |pinned| pinned.as_slice().expect(DENSE)),
        |on_host| on_host.as_slice().expect(DENSE),
    );
    let mut first = 0;
    let row = extents[1..].iter().product::<usize>();
    for Filling { rows: count, bytes, block } in messages {
        let part = first..first + *count;
        first = part.end;
        match block {
            Some((block, at)) => {
                let part = rows(staging.view(), part);
                block.pack(*at, part)?;
                *at += part.size_bytes();
            }
            None => {
                let part = &elements[part.start * row..part.end * row];
                bytes.reserve(size_of_val(part));
                T::write_slice(part, bytes);
                bytes_on_host += size_of_val(part);
            }
        }
    }
    Ok(if on_host.is_some() { 0 } else { bytes_on_host })
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
    let all = with_rows(received.iter().map(|received| received.rows).sum(), extents);
    let row = extents[1..].iter().product::<usize>();
    // Returns the bytes that were read.
    let read = |mut elements: &mut [T], received: &mut [Received<'_>]| {
        let mut bytes = 0;
        for Received { between, rows: count, rest } in received {
            let (own, others) = elements.split_at_mut(*count * row);
            if let Rest::Host(message, read) = rest {
                let mut rest = &message[*read..];
                between.elements(own, &mut rest)?;
                *read = message.len() - rest.len();
                bytes += size_of_val(own);
            }
            elements = others;
        }
        Ok::<usize, spelt_core::Error>(bytes)
    };
    let mut staging: Staging<S, T, R> =
        zeros(plan, label, all, || received.iter_mut().try_for_each(Received::leave_device))?;
    if let Some(on_host) = (&mut staging as &mut dyn Any).downcast_mut::<View<T, R, HostSpace>>() {
        read(on_host.as_mut_slice().expect(DENSE), received)?;
        return Ok(staging);
    }
    if received.iter().any(|received| matches!(received.rest, Rest::Host(..))) {
        let mut pinned = plan.space.pinned_zeros(label, all)?;
        plan.count_staged(read(pinned.as_mut_slice().expect(DENSE), received)?);
        deep_copy(&mut staging, &pinned)?;
    }
    let mut first = 0;
    for Received { rows: count, rest, .. } in received {
        let part = first..first + *count;
        first = part.end;
        if let Rest::Device(block, at) = rest {
            let part = rows_mut(staging.view_mut(), part);
            let bytes = part.size_bytes();
            of_memory::<S::Memory>(&**block)?.unpack(*at, part)?;
            *at += bytes;
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
