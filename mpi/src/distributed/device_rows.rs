//! The rows of one message: whether it lies in the memory of a device, and how rows are put into it and taken out.

use core::any::TypeId;
use core::ops::Range;
use std::rc::Rc;

use spelt_core::Result;

use super::storage::Storage;
use crate::device_memory::DeviceMemory;
use crate::message::{Arrived, Payload};

/// Rows of one View, as bytes of its device's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceRows {
    /// The type of the memory.
    pub(crate) memory: TypeId,
    pub(crate) bytes: usize,
    /// The alignment of its elements.
    pub(crate) alignment: usize,
}

/// The place of a message with rows of several Views, one after another without gaps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Place {
    /// No row so far.
    #[default]
    Empty,
    /// Memory of devices, of this type; bytes so far.
    Device(TypeId, usize),
    /// The host's memory, because of some of the rows.
    Host,
}

impl Place {
    /// The place if these rows come next.
    pub(super) fn with(self, rows: Option<DeviceRows>) -> Self {
        let Some(DeviceRows { memory, bytes, alignment }) = rows else { return Place::Host };
        match self {
            Place::Empty => Place::Device(memory, bytes),
            Place::Device(of, before) if of == memory && before.is_multiple_of(alignment) => {
                Place::Device(memory, before + bytes)
            }
            Place::Device(..) | Place::Host => Place::Host,
        }
    }

    /// A block for the message if it lies in the memory of a device, which is that of these rows and has room for it.
    pub(super) fn block(self, rows: &dyn Storage) -> Result<Option<Rc<dyn DeviceMemory>>> {
        match self {
            Place::Device(_, len) => rows.block(len),
            Place::Empty | Place::Host => Ok(None),
        }
    }
}

/// A message, while rows are put into it.
#[derive(Debug)]
pub(super) enum Filling {
    Host(Vec<u8>),
    /// A block, and the bytes that have been written.
    Device(Rc<dyn DeviceMemory>, usize),
}

impl Filling {
    /// In the block, or in the empty buffer that `buffer` makes.
    pub(super) fn new(block: Option<Rc<dyn DeviceMemory>>, buffer: impl FnOnce() -> Vec<u8>) -> Self {
        block.map_or_else(|| Filling::Host(buffer()), |block| Filling::Device(block, 0))
    }

    /// Appends rows. Returns the bytes that came from a device to the host.
    pub(super) fn append(&mut self, from: &dyn Storage, rows: Range<usize>) -> Result<usize> {
        match self {
            Filling::Host(bytes) => {
                let before = bytes.len();
                from.pack(rows, bytes)?;
                Ok(if from.is_on_device() { bytes.len() - before } else { 0 })
            }
            Filling::Device(block, at) => {
                let bytes = from.device_rows(rows.len()).map_or(0, |rows| rows.bytes);
                from.pack_on_device(rows, &**block, *at)?;
                *at += bytes;
                Ok(0)
            }
        }
    }
}

impl From<Filling> for Payload {
    fn from(filling: Filling) -> Self {
        match filling {
            Filling::Host(bytes) => bytes.into(),
            Filling::Device(block, _) => Payload::Device(Vec::new(), block),
        }
    }
}

impl From<Filling> for Arrived {
    fn from(filling: Filling) -> Self {
        match filling {
            Filling::Host(bytes) => Arrived::Host(bytes),
            Filling::Device(block, _) => Arrived::Device(Vec::new(), block),
        }
    }
}

/// A message from which rows are taken.
#[derive(Debug)]
pub(super) enum Rest<'m> {
    Host(&'m [u8]),
    /// A block, and the bytes that have been read.
    Device(&'m dyn DeviceMemory, usize),
}

impl<'m> Rest<'m> {
    pub(super) fn of(message: &'m Arrived) -> Self {
        match message {
            Arrived::Host(bytes) => Rest::Host(bytes),
            Arrived::Device(_, block) => Rest::Device(&**block, 0),
        }
    }

    /// Takes the next rows. Returns the bytes that went from the host to a device.
    pub(super) fn take(&mut self, to: &mut dyn Storage, rows: Range<usize>) -> Result<usize> {
        match self {
            Rest::Host(bytes) => {
                let before = bytes.len();
                to.unpack(rows, bytes)?;
                Ok(if to.is_on_device() { before - bytes.len() } else { 0 })
            }
            Rest::Device(block, at) => {
                let bytes = to.device_rows(rows.len()).map_or(0, |rows| rows.bytes);
                to.unpack_on_device(rows, *block, *at)?;
                *at += bytes;
                Ok(0)
            }
        }
    }

    /// The bytes that are left.
    pub(super) fn len(&self) -> usize {
        match self {
            Rest::Host(bytes) => bytes.len(),
            Rest::Device(block, at) => block.len() - at,
        }
    }
}
