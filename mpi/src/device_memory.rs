//! Bytes of a message in the memory of a device.

use core::any::Any;
use core::fmt;
use core::ops::Range;
use std::cell::RefCell;
use std::rc::Rc;

use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Portable, Result, View, ViewMut, ViewRef, deep_copy,
};

/// A block of bytes in the memory of a device, for transfers.
pub(crate) trait DeviceMemory: fmt::Debug {
    /// Its first address, which the host may not follow.
    fn address(&self) -> *mut u8;
    fn len(&self) -> usize;
    /// Copies these bytes to the host.
    fn read(&self, bytes: Range<usize>, to: &mut [u8]) -> Result<()>;
    /// Replaces the bytes from `at` on by some of the host.
    fn write(&self, at: usize, from: &[u8]) -> Result<()>;
    /// Itself, for those who know its type.
    fn as_any(&self) -> &dyn Any;
}

/// A block of a space's memory.
pub(crate) struct Block<S: ExecutionSpace> {
    space: Rc<S>,
    bytes: RefCell<View<u8, 1, S::Memory>>,
}

impl<S: ExecutionSpace + 'static> Block<S> {
    /// A block without pending work.
    ///
    /// It is not of the device's pool: libraries of MPI send messages between processes of one machine by opening the other's memory, and
    /// `cuIpcGetMemHandle` refuses that of a pool.
    pub(crate) fn new(space: Rc<S>, len: usize) -> Result<Self> {
        let bytes = RefCell::new(space.message_bytes(len)?);
        space.fence()?;
        Ok(Self { space, bytes })
    }

    /// Copies rows into the block, to where `at` is, and waits until they are there.
    pub(crate) fn pack<T: Element + Portable, const R: usize>(
        &self,
        at: usize,
        rows: ViewRef<'_, T, R, S::Memory>,
    ) -> Result<()> {
        self.with_rows(at, rows.extents(), |mut elements| deep_copy(&mut elements, &rows))
    }

    /// Copies the rows at `at` into a View, and waits until they are there.
    pub(crate) fn unpack<T: Element + Portable, const R: usize>(
        &self,
        at: usize,
        mut rows: ViewMut<'_, T, R, S::Memory>,
    ) -> Result<()> {
        self.with_rows(at, rows.extents(), |elements| deep_copy(&mut rows, &elements))
    }

    /// Calls `f` with the bytes from `at` on as rows of these extents, and waits for the work that it starts.
    fn with_rows<T: Element + Portable, const R: usize>(
        &self,
        at: usize,
        extents: [usize; R],
        f: impl FnOnce(ViewMut<'_, T, R, S::Memory>) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = self.bytes.borrow_mut();
        let end = extents.iter().try_fold(size_of::<T>(), |bytes, extent| bytes.checked_mul(*extent));
        let end = end.and_then(|count| count.checked_add(at)).filter(|end| *end <= bytes.len());
        if end.is_none() || !const { T::FORM.is_memory() } {
            let message = format!(
                "{extents:?} elements of {} from byte {at} on are not in a message of {} bytes on a device",
                core::any::type_name::<T>(),
                bytes.len()
            );
            return Err(Error::new(ErrorKind::Communication, message));
        }
        let pointer = bytes.raw_mut().pointer().wrapping_add(at).cast::<T>();
        // SAFETY: the elements lie within the block, by the check above, which is borrowed exclusively until the View is dropped. Any bytes
        // are elements of this form. No work uses the block: `new` waits for the first, this function for its own, and a transfer that
        // uses it has a reference to it and is complete when the block is read or written.
        let mut elements = unsafe { self.space.unmanaged("message", extents, pointer) }?;
        let result = f(elements.view_mut());
        // Waits for the copies.
        drop(elements);
        result.and_then(|()| self.space.fence())
    }
}

impl<S: ExecutionSpace + 'static> DeviceMemory for Block<S> {
    fn address(&self) -> *mut u8 {
        self.bytes.borrow_mut().raw_mut().pointer()
    }

    fn len(&self) -> usize {
        self.bytes.borrow().len()
    }

    fn read(&self, bytes: Range<usize>, to: &mut [u8]) -> Result<()> {
        let block = self.bytes.borrow();
        let (_, from) = block.view().split_outer_at(bytes.end).0.split_outer_at(bytes.start);
        deep_copy(&mut ViewMut::from(to), &from)
    }

    fn write(&self, at: usize, from: &[u8]) -> Result<()> {
        let mut block = self.bytes.borrow_mut();
        let (_, mut to) = block.view_mut().split_outer_at(at + from.len()).0.split_outer_at(at);
        deep_copy(&mut to, &ViewRef::from(from))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<S: ExecutionSpace> fmt::Debug for Block<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("bytes", &self.bytes.borrow().len()).finish_non_exhaustive()
    }
}
