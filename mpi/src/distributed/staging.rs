//! Rows of a View on their way to and from messages: through memory of the host that the space copies to fastest, or through a block of the
//! space's own memory, where messages take that.

use core::ops::Range;
use std::cell::RefCell;
use std::rc::Rc;

use spelt_core::{Element, ExecutionSpace, MemorySpace, Portable, Result, View, ViewMut, ViewRef, deep_copy};

use super::storage::{rows, rows_mut};
use crate::device_memory::{Blocks, DeviceMemory, of_memory};

/// The largest buffer of a View with small rows. Unit: bytes. Source: pinned pages are taken from all programs of a machine, and copies of
/// this size already run at the speed of the bus.
const BUFFER: usize = 4 << 20;

/// Makes Views of a space, and copies rows of them through memory of the host.
pub(crate) trait Staging<T: Element, const R: usize, M: MemorySpace> {
    /// A View of zeros.
    fn zeros(&self, label: &str, extents: [usize; R]) -> Result<View<T, R, M>>;

    /// Calls `take` with the elements of rows, some at a time.
    fn read(&self, from: ViewRef<'_, T, R, M>, take: &mut dyn FnMut(&[T])) -> Result<()>;

    /// Replaces the elements of rows, some at a time, by those that `give` puts into the slice. Ends when it returns `None`, and returns that.
    fn write(
        &self,
        to: ViewMut<'_, T, R, M>,
        give: &mut dyn FnMut(&mut [T]) -> Option<()>,
    ) -> Result<Option<()>>;

    /// A block of the space's memory for a message, which nothing uses; `None` if there is no memory for it.
    fn block(&self, len: usize) -> Result<Option<Rc<dyn DeviceMemory>>>;

    /// Copies rows into a block of this memory, to where `at` is.
    fn pack(&self, from: ViewRef<'_, T, R, M>, to: &dyn DeviceMemory, at: usize) -> Result<()>;

    /// Copies the rows at `at` of a block of this memory into a View.
    fn unpack(&self, to: ViewMut<'_, T, R, M>, from: &dyn DeviceMemory, at: usize) -> Result<()>;
}

/// The buffers of a View. The one that is pinned for a device is made at the first copy, grows, and is kept.
pub(crate) struct Pinned<T: Element, const R: usize, S: ExecutionSpace> {
    space: Rc<S>,
    buffer: RefCell<Option<View<T, R, S::Pinned>>>,
    blocks: Blocks<S::Memory>,
}

impl<T: Element, const R: usize, S: ExecutionSpace> Pinned<T, R, S> {
    pub(crate) fn new(space: Rc<S>) -> Self {
        Self { space, buffer: RefCell::new(None), blocks: Blocks::default() }
    }

    /// Calls `f` with a buffer of these extents.
    fn with<O>(
        &self,
        extents: [usize; R],
        f: impl FnOnce(ViewMut<'_, T, R, S::Pinned>) -> Result<O>,
    ) -> Result<O> {
        let mut buffer = self.buffer.borrow_mut();
        let fits = |kept: &View<T, R, S::Pinned>| {
            kept.extents()[0] >= extents[0] && kept.extents()[1..] == extents[1..]
        };
        let kept = match buffer.take().filter(fits) {
            Some(kept) => buffer.insert(kept),
            None => buffer.insert(self.space.pinned_zeros("staging", extents)?),
        };
        f(rows_mut(kept.view_mut(), 0..extents[0]))
    }
}

impl<T: Element + Portable, const R: usize, S: ExecutionSpace + 'static> Staging<T, R, S::Memory>
    for Pinned<T, R, S>
{
    fn zeros(&self, label: &str, extents: [usize; R]) -> Result<View<T, R, S::Memory>> {
        self.space.zeros(label, extents)
    }

    fn read(&self, from: ViewRef<'_, T, R, S::Memory>, take: &mut dyn FnMut(&[T])) -> Result<()> {
        pieces::<T, R>(from.extents()).try_for_each(|piece| {
            let from = rows(from, piece);
            self.with(from.extents(), |mut buffer| {
                deep_copy(&mut buffer, &from)?;
                take(buffer.as_slice().unwrap_or_default());
                Ok(())
            })
        })
    }

    fn write(
        &self,
        mut to: ViewMut<'_, T, R, S::Memory>,
        give: &mut dyn FnMut(&mut [T]) -> Option<()>,
    ) -> Result<Option<()>> {
        for piece in pieces::<T, R>(to.extents()) {
            let mut to = rows_mut(to.view_mut(), piece);
            let given = self.with(to.extents(), |mut buffer| {
                let given = give(buffer.as_mut_slice().unwrap_or_default());
                if given.is_some() {
                    deep_copy(&mut to, &buffer)?;
                }
                Ok(given)
            })?;
            if given.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    fn block(&self, len: usize) -> Result<Option<Rc<dyn DeviceMemory>>> {
        let block = self.blocks.get(len, |len| self.space.message_bytes(len))?;
        Ok(block.map(|block| block as Rc<dyn DeviceMemory>))
    }

    fn pack(&self, from: ViewRef<'_, T, R, S::Memory>, to: &dyn DeviceMemory, at: usize) -> Result<()> {
        of_memory::<S::Memory>(to)?.pack(at, from)
    }

    fn unpack(&self, to: ViewMut<'_, T, R, S::Memory>, from: &dyn DeviceMemory, at: usize) -> Result<()> {
        of_memory::<S::Memory>(from)?.unpack(at, to)
    }
}

/// The rows of a View of these extents, in pieces that fit into a buffer.
fn pieces<T, const R: usize>(extents: [usize; R]) -> impl Iterator<Item = Range<usize>> {
    let row = extents[1..].iter().product::<usize>() * size_of::<T>();
    let rows = (BUFFER / row.max(1)).max(1);
    (0..extents[0]).step_by(rows).map(move |first| first..extents[0].min(first + rows))
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use spelt_core::{Serial, View};

    use super::{BUFFER, Pinned, Staging};

    /// Rows of a bit more than a third of the buffer: two fit, and the last piece has one.
    const EXTENTS: [usize; 2] = [5, BUFFER / 3 / size_of::<u32>() + 1];

    #[test]
    fn rows_pass_through_a_small_buffer() {
        let pinned = Pinned::<u32, 2, Serial>::new(Rc::new(Serial::new()));
        let from = View::from_fn("from", EXTENTS, |[i, j]| (i * EXTENTS[1] + j) as u32).expect("small");
        let (mut elements, mut lengths) = (Vec::new(), Vec::new());
        let mut take = |part: &[u32]| {
            elements.extend_from_slice(part);
            lengths.push(part.len() / EXTENTS[1]);
        };
        pinned.read(from.view(), &mut take).expect("no error");
        assert_eq!(lengths, [2, 2, 1]);
        assert_eq!(elements, from.to_vec());

        let mut to = View::zeros("to", EXTENTS).expect("small");
        let mut rest = &elements[..];
        let mut give = |part: &mut [u32]| {
            let (now, later) = rest.split_at_checked(part.len())?;
            part.copy_from_slice(now);
            rest = later;
            Some(())
        };
        assert_eq!(pinned.write(to.view_mut(), &mut give).expect("no error"), Some(()));
        assert_eq!(to.to_vec(), elements);
        assert_eq!(pinned.write(to.view_mut(), &mut give).expect("no error"), None);
        assert_eq!(to.to_vec(), elements);
    }

    #[test]
    fn nothing_passes_for_no_rows() {
        let pinned = Pinned::<u32, 2, Serial>::new(Rc::new(Serial::new()));
        let empty = View::<u32, 2>::zeros("empty", [0, 7]).expect("small");
        pinned.read(empty.view(), &mut |_| panic!("there are no rows")).expect("no error");
    }
}
