//! Whole Views as messages: those of a device in a block of its memory, where messages take that, and through the host otherwise.

use std::rc::Rc;

use spelt_core::{Element, Layout, MemorySpace, Portable, Result, ViewMut, ViewRef};

use super::elements::{Between, Shape, message, write_elements};
use crate::communicator::Communicator;
use crate::device_memory::{Block, DeviceMemory, if_there_is_memory, of_memory};
use crate::message::{Arrived, Payload};
use crate::wire::START;

/// A block on the device of a View for its elements; `None` if messages do not take its memory or have another form of the elements, or if there is
/// no memory for them.
fn block<T, const R: usize, M, L>(
    ranks: &Communicator,
    view: ViewRef<'_, T, R, M, L>,
) -> Result<Option<Block<M>>>
where
    T: Element + Portable,
    M: MemorySpace,
    L: Layout,
{
    if !ranks.takes_device_memory() || !const { T::FORM.is_memory() } || view.is_empty() {
        return Ok(None);
    }
    let bytes = if_there_is_memory(M::message_bytes(view, view.size_bytes()))?.flatten();
    bytes.map(Block::new).transpose()
}

/// Counts the elements of a View of a device that pass through the host.
fn count<T, const R: usize, M, L>(ranks: &Communicator, view: ViewRef<'_, T, R, M, L>)
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    if const { !M::HOST_ACCESSIBLE } {
        ranks.count_staged(view.size_bytes());
    }
}

/// The View as a message: its shape and its elements.
pub(super) fn payload<T, const R: usize, M, L>(
    ranks: &Communicator,
    view: ViewRef<'_, T, R, M, L>,
) -> Result<Payload>
where
    T: Element + Portable,
    M: MemorySpace,
    L: Layout,
{
    let mut start = Vec::new();
    Shape::of::<T>(&view.extents()).write(&mut start);
    let block = if start.len() <= START { block(ranks, view)? } else { None };
    if let Some(block) = block {
        block.pack(0, view)?;
        return Ok(Payload::Device(start, Rc::new(block)));
    }
    count(ranks, view);
    message(view).map(Payload::from)
}

/// Memory for a message with the elements of this View, where it can come to the View's device.
pub(super) fn room<T, const R: usize, M, L>(
    ranks: &Communicator,
    view: ViewRef<'_, T, R, M, L>,
) -> Result<Option<Rc<dyn DeviceMemory>>>
where
    T: Element + Portable,
    M: MemorySpace,
    L: Layout,
{
    Ok(block(ranks, view)?.map(|block| Rc::new(block) as Rc<dyn DeviceMemory>))
}

/// Puts the elements of a message into a View of the same type and extents.
pub(super) fn take<T, const R: usize, M, L>(
    ranks: &Communicator,
    between: Between<'_>,
    view: ViewMut<'_, T, R, M, L>,
    message: &Arrived,
) -> Result<()>
where
    T: Element + Portable,
    M: MemorySpace,
    L: Layout,
{
    let (Arrived::Host(start) | Arrived::Device(start, _)) = message;
    let mut start = &start[..];
    between.same_shape(&mut start, &Shape::of::<T>(&view.extents()))?;
    match message {
        Arrived::Host(_) => {
            count(ranks, view.view());
            write_elements(view, |to| between.elements(to, &mut start))?;
            between.end(start)
        }
        Arrived::Device(_, block) => {
            between.end(start)?;
            of_memory::<M>(&**block)?.unpack(0, view)
        }
    }
}
