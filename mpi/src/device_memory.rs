//! Bytes of a message in the memory of a device.

use core::any::Any;
use core::fmt;
use core::ops::Range;
use std::cell::RefCell;
use std::rc::Rc;

use spelt_core::{
    Element, Error, ErrorKind, Layout, MemorySpace, Portable, Result, View, ViewMut, ViewRef, deep_copy,
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

/// A block of this memory.
pub(crate) struct Block<M: MemorySpace>(RefCell<View<u8, 1, M>>);

impl<M: MemorySpace> Block<M> {
    /// A block of these bytes, without pending work.
    ///
    /// Those of a device are not of its pool: libraries of MPI send messages between processes of one machine by opening the other's memory,
    /// and `cuIpcGetMemHandle` refuses that of a pool.
    pub(crate) fn new(bytes: View<u8, 1, M>) -> Result<Self> {
        M::wait(bytes.view())?;
        Ok(Self(RefCell::new(bytes)))
    }

    /// Copies elements into the block, to where `at` is, and waits until they are there.
    pub(crate) fn pack<T: Element + Portable, const R: usize, L: Layout>(
        &self,
        at: usize,
        from: ViewRef<'_, T, R, M, L>,
    ) -> Result<()> {
        self.with_elements(at, from.extents(), |mut elements| deep_copy(&mut elements, &from))
    }

    /// Copies the elements at `at` into a View, and waits until they are there.
    pub(crate) fn unpack<T: Element + Portable, const R: usize, L: Layout>(
        &self,
        at: usize,
        mut to: ViewMut<'_, T, R, M, L>,
    ) -> Result<()> {
        self.with_elements(at, to.extents(), |elements| deep_copy(&mut to, &elements))
    }

    /// Calls `f` with the bytes from `at` on as elements of these extents, and waits for the work that it starts.
    fn with_elements<T: Element + Portable, const R: usize>(
        &self,
        at: usize,
        extents: [usize; R],
        f: impl FnOnce(ViewMut<'_, T, R, M>) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = self.0.borrow_mut();
        let len = bytes.len();
        let Some(elements) = bytes.elements_mut(at, extents) else {
            let message = format!(
                "{extents:?} elements of {} from byte {at} on are not in a message of {len} bytes on a device",
                core::any::type_name::<T>()
            );
            return Err(Error::new(ErrorKind::Communication, message));
        };
        let result = f(elements);
        // Also after an error: some work may have been started.
        let waited = M::wait(bytes.view());
        result.and(waited)
    }
}

impl<M: MemorySpace> DeviceMemory for Block<M> {
    fn address(&self) -> *mut u8 {
        self.0.borrow_mut().raw_mut().pointer()
    }

    fn len(&self) -> usize {
        self.0.borrow().len()
    }

    fn read(&self, bytes: Range<usize>, to: &mut [u8]) -> Result<()> {
        let block = self.0.borrow();
        let (_, from) = block.view().split_outer_at(bytes.end).0.split_outer_at(bytes.start);
        deep_copy(&mut ViewMut::from(to), &from)
    }

    fn write(&self, at: usize, from: &[u8]) -> Result<()> {
        let mut block = self.0.borrow_mut();
        let (_, mut to) = block.view_mut().split_outer_at(at + from.len()).0.split_outer_at(at);
        deep_copy(&mut to, &ViewRef::from(from))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<M: MemorySpace> fmt::Debug for Block<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("bytes", &self.0.borrow().len()).finish_non_exhaustive()
    }
}

/// A block as one of this memory.
///
/// # Errors
/// If it is of another one.
pub(crate) fn of_memory<M: MemorySpace>(block: &dyn DeviceMemory) -> Result<&Block<M>> {
    block.as_any().downcast_ref().ok_or_else(|| {
        let message = format!("a message in the memory of a device is not in {}", M::NAME);
        Error::new(ErrorKind::Communication, message)
    })
}

/// The most blocks that wait for a message of their length. Unit: blocks. Source: two neighbours take four, and launches with four different
/// halos may alternate.
const FREE: usize = 16;

/// The memory that was asked for; `None` if there is too little.
///
/// A message without a block passes through the host, on this rank alone: the other one need not know.
pub(crate) fn if_there_is_memory<T>(taken: Result<T>) -> Result<Option<T>> {
    match taken {
        Err(error) if error.kind() == ErrorKind::OutOfMemory => Ok(None),
        taken => taken.map(Some),
    }
}

/// Whether no message uses a block of [`Blocks`].
fn is_free<M: MemorySpace>(block: &Rc<Block<M>>) -> bool {
    Rc::strong_count(block) == 1
}

/// Blocks that are kept from message to message: taking memory that other processes can open waits for all work of the device.
#[derive(Debug)]
pub(crate) struct Blocks<M: MemorySpace> {
    /// The last used one at the end. One that a message still uses has more references.
    kept: RefCell<Vec<Rc<Block<M>>>>,
}

impl<M: MemorySpace> Default for Blocks<M> {
    fn default() -> Self {
        Self { kept: RefCell::default() }
    }
}

impl<M: MemorySpace> Blocks<M> {
    /// A block of `len` bytes, which nothing uses: a kept one, or one of the bytes that `new` makes. `None` if there is no memory for these,
    /// even without the kept ones.
    pub(crate) fn get(
        &self,
        len: usize,
        new: impl Fn(usize) -> Result<View<u8, 1, M>>,
    ) -> Result<Option<Rc<Block<M>>>> {
        let mut kept = self.kept.borrow_mut();
        // Messages of the launches in a loop have the same lengths each time, which differ between neighbours.
        let block = match kept.iter().position(|block| is_free(block) && block.len() == len) {
            Some(place) => kept.remove(place),
            None => {
                let free = kept.iter().filter(|block| is_free(block)).count();
                let mut surplus = free.saturating_sub(FREE);
                kept.retain(|block| {
                    let drops = surplus > 0 && is_free(block);
                    surplus -= usize::from(drops);
                    !drops
                });
                let mut bytes = if_there_is_memory(new(len))?;
                if bytes.is_none() {
                    kept.retain(|block| !is_free(block));
                    bytes = if_there_is_memory(new(len))?;
                }
                let Some(bytes) = bytes else { return Ok(None) };
                Rc::new(Block::new(bytes)?)
            }
        };
        kept.push(Rc::clone(&block));
        Ok(Some(block))
    }

    /// Frees the blocks that nothing uses.
    pub(crate) fn free(&self) {
        self.kept.borrow_mut().retain(|block| !is_free(block));
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use spelt_core::{Error, ErrorKind, View};

    use super::{Blocks, DeviceMemory, FREE};

    #[test]
    fn blocks_wait_for_the_next_message_of_their_length() {
        let blocks = Blocks::default();
        let first_byte = |len: usize, used: u8| {
            let block = blocks.get(len, |len| View::<u8, 1>::zeros("message", [len])).expect("small");
            let block = block.expect("memory");
            assert_eq!(block.len(), len);
            let mut byte = [0];
            block.read(0..1, &mut byte).expect("on the host");
            block.write(0, &[used]).expect("on the host");
            (byte[0], block)
        };
        // Two neighbours with rows of their own lengths, from both of which messages come at once; a new block has zeros.
        for exchange in 0..3 {
            let blocks = [8, 24, 8].map(|len| first_byte(len, 1));
            assert_eq!(blocks.map(|(before, _)| before), [u8::from(exchange > 0); 3], "{exchange}");
        }
        // Those that have waited longest leave.
        for len in 100..100 + FREE {
            assert_eq!(first_byte(len, 2).0, 0);
        }
        assert_eq!(blocks.kept.borrow().len(), FREE + 1);
        assert_eq!([100 + FREE - 1, 100, 8, 24].map(|len| first_byte(len, 3).0), [2, 2, 1, 0]);
        // One that is in use never does.
        let (_, held) = first_byte(24, 4);
        for len in 200..200 + 2 * FREE {
            first_byte(len, 5);
        }
        let mut byte = [0];
        held.read(0..1, &mut byte).expect("on the host");
        assert_eq!((byte, blocks.kept.borrow().len()), ([4], FREE + 2));
    }

    #[test]
    fn kept_blocks_make_room() {
        // How many of the next attempts find too little memory.
        let (blocks, failures) = (Blocks::default(), Cell::new(0));
        let get = |len: usize| {
            blocks.get(len, |len| match failures.get() {
                0 => View::<u8, 1>::zeros("message", [len]),
                left => {
                    failures.set(left - 1);
                    Err(Error::new(ErrorKind::OutOfMemory, "too little"))
                }
            })
        };
        let kept = || blocks.kept.borrow().iter().map(|block| block.len()).collect::<Vec<_>>();
        let first = get(8).expect("no error").expect("memory");
        drop([16, 24].map(get));
        assert_eq!(kept(), [8, 16, 24]);
        failures.set(1);
        drop(get(32).expect("no error").expect("memory without those that nothing uses"));
        assert_eq!((kept(), failures.get()), (vec![8, 32], 0));
        failures.set(2);
        assert!(get(40).expect("no error").is_none());
        assert_eq!((kept(), failures.get()), (vec![8], 0));
        drop(get(48));
        blocks.free();
        assert_eq!(kept(), [8]);
        drop(first);
        blocks.free();
        assert!(kept().is_empty());
        let other = blocks.get(56, |_| Err(Error::new(ErrorKind::Device, "lost")));
        assert_eq!(other.expect_err("an error of another kind").kind(), ErrorKind::Device);
    }
}
