//! The elements of a device's View on the host, in the order of the indices, some at a time through pinned memory: while the host works on some, the
//! next ones travel.

use core::ptr::NonNull;
use std::sync::Mutex;

use spelt_access::{Element, Layout, RawView, Right, Stride};

use super::context::{Context, lock};
use super::copy::{download, owner, start_with_host, upload};
use super::copy_plan::{Side, address, plan};
use super::driver::{self, Address, MemoryKind};
use super::memory::{CudaHostPinnedSpace, CudaSpace};
use super::stream::Stream;
use crate::Result;
use crate::tools::BegunCopy;
use crate::view::staged::{read_whole, write_whole};
use crate::view::{ViewMut, ViewRef, begin_copy};

/// The size of a buffer. Unit: bytes. Source: pinned pages are taken from all programs of a machine, and copies of this size already run at the
/// speed of the bus.
pub(super) const BUFFER: usize = 2 << 20;

/// The most pairs of buffers that wait for their next use. Unit: pairs. Source: in a program of many processes, one thread of each
/// sends; ranks that are threads of one process are for tests.
const KEPT: usize = 4;

/// The label of the buffers, for tools.
const LABEL: &str = "staging";

/// The pairs of pinned buffers of a context that no copy uses.
#[derive(Default)]
pub(super) struct Buffers(Mutex<Vec<NonNull<u8>>>);

impl Buffers {
    /// Frees them. The context must be bound, and whole.
    pub(super) fn free(&self) {
        for pair in lock(&self.0).drain(..) {
            // SAFETY: it came from `allocate_pinned`, and no copy uses it. Errors cannot be reported from `drop`, which calls this.
            let _ = unsafe { driver::free_pinned(pair.as_ptr()) };
        }
    }

    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        lock(&self.0).len()
    }
}

/// Two buffers, which one copy uses alone: they wait for the next one when this is dropped.
struct Pair<'c> {
    context: &'c Context,
    start: NonNull<u8>,
}

impl<'c> Pair<'c> {
    /// `None` if there is no memory to pin.
    fn take(context: &'c Context) -> Result<Option<Self>> {
        context.bind()?;
        let kept = lock(&context.buffers().0).pop();
        if let Some(start) = kept {
            return Ok(Some(Self { context, start }));
        }
        match driver::allocate_pinned(2 * BUFFER) {
            Ok(start) => Ok(NonNull::new(start).map(|start| Self { context, start })),
            Err(fault) if fault.out_of_memory() => Ok(None),
            Err(fault) => Err(context.failed("pinning memory for copies", fault)),
        }
    }

    /// The buffer for this piece, of a copy whose pieces take turns.
    fn buffer<T>(&self, piece: usize) -> *mut T {
        // SAFETY: a pair has two buffers of this size.
        unsafe { self.start.add(piece % 2 * BUFFER) }.cast().as_ptr()
    }
}

impl Drop for Pair<'_> {
    fn drop(&mut self) {
        let mut kept = lock(&self.context.buffers().0);
        if kept.len() < KEPT {
            kept.push(self.start);
        } else if self.context.bind_to_free() {
            // SAFETY: it came from `allocate_pinned`; the copy that used it has ended. Errors cannot be reported from `drop`.
            let _ = unsafe { driver::free_pinned(self.start.as_ptr()) };
        }
    }
}

/// Some elements that follow one another in the order of the indices.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece<const R: usize> {
    /// The place of the first one. Unit: elements.
    offset: usize,
    extents: [usize; R],
}

impl<const R: usize> Piece<R> {
    fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// This piece of the elements from `start` on, with these strides.
    fn of<T>(&self, start: *mut T, strides: [usize; R]) -> RawView<T, R, Stride> {
        RawView::new(start.wrapping_add(self.offset), self.extents, strides)
    }
}

/// All elements of a View of these extents, none of which is 0, in pieces of at most `room` elements.
fn pieces<const R: usize>(extents: [usize; R], strides: [usize; R], room: usize) -> Vec<Piece<R>> {
    // The dimensions from `whole` on fit into a piece, together with some indices of the one before.
    let (mut whole, mut inner) = (R, 1);
    while whole > 0 && inner * extents[whole - 1] <= room {
        whole -= 1;
        inner *= extents[whole];
    }
    let Some(cut) = whole.checked_sub(1) else { return vec![Piece { offset: 0, extents }] };
    let mut pieces = Vec::new();
    for outer in 0..extents[..cut].iter().product() {
        let (mut rest, mut offset) = (outer, 0);
        for dimension in (0..cut).rev() {
            offset += rest % extents[dimension] * strides[dimension];
            rest /= extents[dimension];
        }
        for first in (0..extents[cut]).step_by(room / inner) {
            let mut piece = Piece { offset: offset + first * strides[cut], extents };
            piece.extents[..cut].fill(1);
            piece.extents[cut] = (room / inner).min(extents[cut] - first);
            pieces.push(piece);
        }
    }
    pieces
}

/// A copy of one piece that has started; dropping it waits for its end.
struct Started<'s> {
    /// `None` once it has ended.
    stream: Option<&'s Stream>,
    _begun: Option<BegunCopy>,
}

impl Started<'_> {
    fn wait(mut self) -> Result<()> {
        self.stream.take().map_or(Ok(()), Stream::synchronize)
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        // After an error or a panic, which is told already.
        self.stream.take().map(Stream::synchronize);
    }
}

fn device(address: *mut u8) -> Side {
    Side { address: address.addr() as Address, kind: MemoryKind::CU_MEMORYTYPE_DEVICE }
}

/// Starts the copy of a piece into a buffer.
///
/// # Safety
/// The buffer has room for the piece, and is not used until the result has been waited for or dropped.
unsafe fn fetch<'s, T: Element, const R: usize, L: Layout>(
    from: ViewRef<'_, T, R, CudaSpace, L>,
    piece: &Piece<R>,
    buffer: *mut T,
    stream: &'s Stream,
) -> Result<Started<'s>> {
    let target = RawView::new(buffer, piece.extents, Right::strides(piece.extents));
    // SAFETY: the buffer has room for the elements and is used for them alone; only the copy, which fills it, reaches it by this View.
    let to = unsafe { ViewMut::<T, R, CudaHostPinnedSpace, Right>::new(target, LABEL, None) };
    let source = piece.of(from.raw().pointer(), from.raw().strides());
    // SAFETY: they are some of the View's elements.
    let from = unsafe { ViewRef::<T, R, CudaSpace, Stride>::new(source, from.label(), Some(owner(&from))) };
    let mut started = Started { stream: None, _begun: begin_copy(&to, &from) };
    let plan = plan::<T, R>(piece.extents, target.strides(), source.strides());
    if !plan.is_simple() {
        return download(to, from, MemoryKind::CU_MEMORYTYPE_HOST, None).map(|()| started);
    }
    let to = Side { address: address(buffer), kind: MemoryKind::CU_MEMORYTYPE_HOST };
    started.stream = Some(stream);
    start_with_host(stream, owner(&from), false, from.label(), |stream| {
        // SAFETY: each line is elements of one side at the place of the same elements of the other; the buffer is not used, and the View
        // borrowed, until the copy has ended.
        unsafe { plan.run(to, device(source.pointer().cast()), stream) }
    })?;
    Ok(started)
}

/// Starts the copy of a piece from a buffer, which has its elements.
///
/// # Safety
/// The buffer has these elements, and is not used until the result has been waited for or dropped.
unsafe fn send<'s, T: Element, const R: usize, L: Layout>(
    to: &mut ViewMut<'_, T, R, CudaSpace, L>,
    piece: &Piece<R>,
    buffer: *mut T,
    stream: &'s Stream,
) -> Result<Started<'s>> {
    let source = RawView::new(buffer, piece.extents, Right::strides(piece.extents));
    // SAFETY: the buffer has the elements, and nothing writes them meanwhile.
    let from = unsafe { ViewRef::<T, R, CudaHostPinnedSpace, Right>::new(source, LABEL, None) };
    let strides = to.raw().strides();
    let target = piece.of(to.raw_mut().pointer(), strides);
    let whole = to.view();
    // SAFETY: they are some of the View's elements, which is borrowed exclusively.
    let to = unsafe { ViewMut::<T, R, CudaSpace, Stride>::new(target, whole.label(), Some(owner(&whole))) };
    let mut started = Started { stream: None, _begun: begin_copy(&to, &from) };
    let plan = plan::<T, R>(piece.extents, target.strides(), source.strides());
    if !plan.is_simple() {
        return upload(to, from, MemoryKind::CU_MEMORYTYPE_HOST, None).map(|()| started);
    }
    let from = Side { address: address(buffer), kind: MemoryKind::CU_MEMORYTYPE_HOST };
    started.stream = Some(stream);
    start_with_host(stream, owner(&whole), true, whole.label(), |stream| {
        // SAFETY: each line is elements of one side at the place of the same elements of the other; the buffer is not used, and the View
        // borrowed, until the copy has ended.
        unsafe { plan.run(device(target.pointer().cast()), from, stream) }
    })?;
    Ok(started)
}

/// [`MemorySpace::read_staged`](crate::MemorySpace::read_staged) of device memory.
pub(super) fn read<T: Element, const R: usize, L: Layout>(
    from: ViewRef<'_, T, R, CudaSpace, L>,
    take: &mut dyn FnMut(&[T]),
) -> Result<()> {
    let owner = owner(&from);
    let Some((pair, pieces)) = divided(owner.context(), from)? else { return read_whole(from, take) };
    let stream = owner.stream_for(None);
    let mut arrived: &[T] = &[];
    for (number, piece) in pieces.iter().enumerate() {
        let buffer = pair.buffer(number);
        // SAFETY: a piece fits into a buffer. `arrived` is the other one; what this one had before has been taken.
        let started = unsafe { fetch(from, piece, buffer, &stream)? };
        if number > 0 {
            take(arrived);
        }
        started.wait()?;
        // SAFETY: the copy has ended, and has filled the buffer with elements; the next piece goes into the other one.
        arrived = unsafe { core::slice::from_raw_parts(buffer, piece.len()) };
    }
    take(arrived);
    Ok(())
}

/// [`MemorySpace::write_staged`](crate::MemorySpace::write_staged) of device memory.
pub(super) fn write<T: Element, const R: usize, L: Layout>(
    mut to: ViewMut<'_, T, R, CudaSpace, L>,
    give: &mut dyn FnMut(&mut [T]) -> Result<()>,
) -> Result<()> {
    let (context, stream) = {
        let whole = to.view();
        (owner(&whole).context().clone(), owner(&whole).stream_for(None))
    };
    let Some((pair, pieces)) = divided(&context, to.view())? else { return write_whole(to, give) };
    let mut leaving: Option<Started<'_>> = None;
    for (number, piece) in pieces.iter().enumerate() {
        let buffer = pair.buffer::<T>(number);
        // SAFETY: a piece fits into a buffer, whose last copy has ended, and zeros are a value of every `Element`.
        let elements = unsafe {
            buffer.write_bytes(0, piece.len());
            core::slice::from_raw_parts_mut(buffer, piece.len())
        };
        give(elements)?;
        leaving.take().map_or(Ok(()), Started::wait)?;
        // SAFETY: it has the piece's elements; the next ones go into the other buffer.
        leaving = Some(unsafe { send(&mut to, piece, buffer, &stream)? });
    }
    leaving.map_or(Ok(()), Started::wait)
}

/// Buffers for a View's elements, and its pieces; `None` if there are no buffers, no bytes, or elements that do not fit into one.
fn divided<'c, T: Element, const R: usize, L: Layout>(
    context: &'c Context,
    view: ViewRef<'_, T, R, CudaSpace, L>,
) -> Result<Option<(Pair<'c>, Vec<Piece<R>>)>> {
    if view.size_bytes() == 0 || size_of::<T>() > BUFFER {
        return Ok(None);
    }
    let pieces = || pieces(view.extents(), view.raw().strides(), BUFFER / size_of::<T>());
    Ok(Pair::take(context)?.map(|pair| (pair, pieces())))
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    /// The offsets of a piece's elements.
    fn offsets(piece: &Piece<3>, strides: [usize; 3]) -> Vec<usize> {
        let [a, b, c] = piece.extents;
        let all = (0..a).flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
        all.map(|index| piece.offset + (0..3).map(|d| index[d] * strides[d]).sum::<usize>()).collect()
    }

    #[test]
    fn pieces_are_all_elements_in_the_order_of_the_indices() {
        let extents = [3, 4, 5];
        let whole = Piece { offset: 0, extents };
        for strides in [[20, 5, 1], [1, 3, 12], [100, 7, 2]] {
            for room in 1..=61 {
                let pieces = pieces(extents, strides, room);
                assert!(pieces.iter().all(|piece| (1..=room).contains(&piece.len())), "{room}");
                let all: Vec<_> = pieces.iter().flat_map(|piece| offsets(piece, strides)).collect();
                assert_eq!(all, offsets(&whole, strides), "{room}");
            }
        }
        // As few as the order allows.
        assert_eq!(
            [1, 5, 19, 20, 59, 60].map(|room| pieces(extents, [20, 5, 1], room).len()),
            [60, 12, 6, 3, 2, 1]
        );
        assert_eq!(pieces([], [], 1), [Piece { offset: 0, extents: [] }]);
    }
}
