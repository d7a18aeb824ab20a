//! The messages of one transfer: the shapes of all its Views, and behind them their rows, in memory of the host or of a device.

use core::fmt;
use std::rc::Rc;

use spelt_core::{Element, ExecutionSpace, MemorySpace, Portable, Result};

use super::{Peer, Plan, PlannedViews};
use crate::device_memory::{Block, DeviceMemory};
use crate::message::{Arrived, Payload, zeroed};
use crate::views::elements::{Between, Shape};
use crate::wire::{Kind, START};

/// The rows of one View in the messages of a transfer.
#[derive(Clone, Debug)]
pub struct RowsOf {
    /// That of rows, whose number differs between messages.
    shape: Shape,
    /// The bytes of a row and the alignment of its elements, if the plan's space has them in the memory of a device, in the form of messages.
    on_device: Option<[usize; 2]>,
}

impl RowsOf {
    /// Rows of these further extents, packed by a space.
    pub(super) fn new<S: ExecutionSpace, T: Element + Portable>(extents: &[usize]) -> Self {
        let is_as_messages = const { !S::Memory::HOST_ACCESSIBLE && T::FORM.is_memory() };
        let bytes = extents[1..].iter().product::<usize>() * size_of::<T>();
        Self { shape: Shape::of::<T>(extents), on_device: is_as_messages.then_some([bytes, align_of::<T>()]) }
    }

    fn shape(&self, rows: usize) -> Shape {
        let mut shape = self.shape.clone();
        shape.extents[0] = rows;
        shape
    }
}

/// A message, while rows are put into it.
///
/// It passes to the host where a launch needs the memory of its block.
pub struct Filling<M: MemorySpace> {
    /// The rows of each View in it.
    pub(super) rows: usize,
    /// The shapes, and rows behind them if there is no block.
    pub(super) bytes: Vec<u8>,
    /// A block for the rows, of which this number of bytes has been written.
    pub(super) block: Option<(Rc<Block<M>>, usize)>,
}

impl<M: MemorySpace> Filling<M> {
    /// Moves rows from the block to the host, and gives up the block. Returns their bytes.
    pub(super) fn leave_device(&mut self) -> Result<usize> {
        let Some((block, written)) = self.block.take() else { return Ok(0) };
        let before = self.bytes.len();
        self.bytes.resize(before + written, 0);
        block.read(0..written, &mut self.bytes[before..])?;
        Ok(written)
    }
}

impl<M: MemorySpace> fmt::Debug for Filling<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filling")
            .field("rows", &self.rows)
            .field("block", &self.block)
            .finish_non_exhaustive()
    }
}

impl<M: MemorySpace> From<Filling<M>> for Payload {
    fn from(filling: Filling<M>) -> Self {
        match filling.block {
            Some((block, _)) => Payload::Device(filling.bytes, block),
            None => filling.bytes.into(),
        }
    }
}

/// A message from another rank, whose shapes have been read.
#[derive(Debug)]
pub struct Received<'m> {
    pub(super) between: Between<'m>,
    /// The rows of each View in it.
    pub(super) rows: usize,
    pub(super) rest: Rest,
}

/// The rows of a message that have not been read.
#[derive(Debug)]
pub(super) enum Rest {
    /// Bytes, and how many of them have been read.
    Host(Vec<u8>, usize),
    /// A block, and the bytes that have been read.
    Device(Rc<dyn DeviceMemory>, usize),
}

impl<'m> Received<'m> {
    /// # Errors
    /// If the shapes are not those of these Views.
    fn new(between: Between<'m>, rows: usize, message: Arrived, views: &[RowsOf]) -> Result<Self> {
        let (bytes, block) = match message {
            Arrived::Host(bytes) => (bytes, None),
            Arrived::Device(bytes, block) => (bytes, Some(block)),
        };
        let mut start = &bytes[..];
        views.iter().try_for_each(|view| between.same_shape(&mut start, &view.shape(rows)))?;
        let rest = match block {
            Some(block) => {
                between.end(start)?;
                Rest::Device(block, 0)
            }
            None => {
                let read = bytes.len() - start.len();
                Rest::Host(bytes, read)
            }
        };
        Ok(Self { between, rows, rest })
    }

    /// Moves what has not been read from the block to the host, and gives up the block.
    pub(super) fn leave_device(&mut self) -> Result<()> {
        if let Rest::Device(block, read) = &self.rest {
            let mut bytes = zeroed(block.len() - read, self.between.from)?;
            block.read(*read..block.len(), &mut bytes)?;
            self.rest = Rest::Host(bytes, 0);
        }
        Ok(())
    }

    /// # Errors
    /// If not all of it has been read.
    fn end(&self) -> Result<()> {
        match &self.rest {
            Rest::Host(bytes, read) => self.between.end(&bytes[*read..]),
            // The block has the length of the rows.
            Rest::Device(block, read) => {
                debug_assert_eq!(*read, block.len());
                Ok(())
            }
        }
    }
}

impl<S: ExecutionSpace> Plan<'_, S> {
    /// Sends a message to each of some ranks, and reads one from each of others. `rows_with` is the number of rows of a message.
    pub(super) fn transfer<D, K>(
        &self,
        kind: Kind,
        label: &str,
        [to, from]: [&[Peer]; 2],
        rows_with: fn(&Peer) -> usize,
        mut views: impl PlannedViews<S, D, K>,
    ) -> Result<()> {
        views.check(self, label)?;
        let mut rows = Vec::new();
        views.rows(&mut rows);
        self.ranks.collective(kind, self.number, label, |ongoing| {
            let messages = to.iter().map(|peer| self.message(&rows, rows_with(peer)));
            let mut messages = messages.collect::<Result<Vec<_>>>()?;
            views.pack(self, label, &mut messages)?;
            for peer in from {
                let block = self.block(&rows, rows_with(peer))?;
                ongoing.post(peer.rank, block.map(|block| block as Rc<dyn DeviceMemory>))?;
            }
            for (peer, message) in to.iter().zip(messages) {
                ongoing.send(peer.rank, message)?;
            }
            let arrived = ongoing.arrived()?;
            let received = from.iter().zip(arrived).map(|(peer, message)| {
                let between = Between { label, from: peer.rank, to: self.ranks.rank() };
                Received::new(between, rows_with(peer), message, &rows)
            });
            let mut received = received.collect::<Result<Vec<_>>>()?;
            views.unpack(self, label, &mut received)?;
            received.iter().try_for_each(Received::end)
        })
    }

    /// A message with this number of rows of each View, of which it has the shapes.
    fn message(&self, views: &[RowsOf], rows: usize) -> Result<Filling<S::Memory>> {
        let mut bytes = Vec::new();
        views.iter().for_each(|view| view.shape(rows).write(&mut bytes));
        let block = if bytes.len() <= START { self.block(views, rows)? } else { None };
        Ok(Filling { rows, bytes, block: block.map(|block| (block, 0)) })
    }

    /// A block for this number of rows of each View, one after another without gaps, if messages take the memory in which the rows are,
    /// and there is memory for it.
    fn block(&self, views: &[RowsOf], rows: usize) -> Result<Option<Rc<Block<S::Memory>>>> {
        if !self.ranks.takes_device_memory() {
            return Ok(None);
        }
        let len = views.iter().try_fold(0_usize, |len, view| {
            let [bytes, alignment] = view.on_device?;
            len.checked_add(bytes.checked_mul(rows)?).filter(|_| len.is_multiple_of(alignment))
        });
        let Some(len) = len.filter(|len| *len > 0) else { return Ok(None) };
        self.blocks.get(len, |len| self.space.message_bytes(len))
    }
}
