//! Memory of messages that have come or left, kept for the next ones.

use core::cell::RefCell;

use crate::wire::FIRST;

/// The most buffers that a communicator keeps: those of a launch with a halo, which has two neighbours, twice. Unit: buffers.
const MOST: usize = 16;

/// The shortest buffer that is kept: the first piece of a message. Unit: bytes.
const SHORTEST: usize = FIRST;

/// The longest buffer that is kept. Unit: bytes. Source: estimated: making and clearing a longer one takes little beside its transfer.
const LONGEST: usize = 1 << 20;

/// Buffers that no message uses. Their bytes are those of earlier messages: a launch with a halo has messages as long as the launch before, and
/// clears none of them.
#[derive(Debug, Default)]
pub(crate) struct Buffers(RefCell<Vec<Vec<u8>>>);

impl Buffers {
    /// An empty buffer, with room for `len` bytes if there is one.
    pub(crate) fn empty(&self, len: usize) -> Vec<u8> {
        let mut bytes = self.take(len).unwrap_or_default();
        bytes.clear();
        bytes
    }

    /// A buffer of `len` bytes with any values, if there is one.
    pub(crate) fn filled(&self, len: usize) -> Option<Vec<u8>> {
        let mut bytes = self.take(len)?;
        bytes.resize(len, 0);
        Some(bytes)
    }

    /// Keeps a buffer that no message uses any more.
    pub(crate) fn keep(&self, bytes: Vec<u8>) {
        if !(SHORTEST..=LONGEST).contains(&bytes.capacity()) {
            return;
        }
        let mut kept = self.0.borrow_mut();
        if kept.len() == MOST {
            // The one that has waited longest.
            kept.remove(0);
        }
        kept.push(bytes);
    }

    /// The smallest one with this much room; of several, the last.
    fn take(&self, len: usize) -> Option<Vec<u8>> {
        let mut kept = self.0.borrow_mut();
        let with_room = kept.iter().enumerate().rev().filter(|(_, bytes)| bytes.capacity() >= len);
        let (place, _) = with_room.min_by_key(|(_, bytes)| bytes.capacity())?;
        Some(kept.remove(place))
    }
}

#[cfg(test)]
mod tests {
    use super::{Buffers, LONGEST, MOST, SHORTEST};

    #[test]
    fn a_buffer_comes_back_with_its_bytes() {
        let buffers = Buffers::default();
        let mut long = Vec::with_capacity(2 * SHORTEST);
        long.extend([7; SHORTEST + 10]);
        let (address, other) = (long.as_ptr(), vec![5; SHORTEST]);
        buffers.keep(long);
        buffers.keep(other);
        assert_eq!(buffers.filled(50), Some(vec![5; 50]), "the smallest with room");
        let again = buffers.filled(SHORTEST + 30).expect("the other one");
        assert!(again.as_ptr() == address && again.len() == SHORTEST + 30);
        assert!(again[..SHORTEST + 10].iter().all(|byte| *byte == 7), "nothing is cleared");
        assert!(again[SHORTEST + 10..].iter().all(|byte| *byte == 0));
        assert_eq!(buffers.filled(3), None);
        buffers.keep(again);
        let empty = buffers.empty(2 * SHORTEST);
        assert_eq!((empty.as_ptr(), empty.len()), (address, 0));
        assert_eq!(buffers.empty(1).capacity(), 0, "none is left");
    }

    #[test]
    fn few_of_some_length_are_kept() {
        let buffers = Buffers::default();
        [SHORTEST - 1, LONGEST + 1].into_iter().for_each(|len| buffers.keep(Vec::with_capacity(len)));
        assert!(buffers.0.borrow().is_empty());
        (1..=MOST + 3).for_each(|more| buffers.keep(vec![1; SHORTEST + more]));
        let kept: Vec<usize> = buffers.0.borrow().iter().map(Vec::len).collect();
        assert_eq!(kept, (SHORTEST + 4..=SHORTEST + MOST + 3).collect::<Vec<_>>(), "the oldest have gone");
    }
}
