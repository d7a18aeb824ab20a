//! Memory for one value of each unit of a launch, which it does not initialise.

use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, align_of, size_of};

use super::chunks::MAX_UNITS;
use crate::arena::{Buffer, NoRoom};

/// Rooms up to this size are in the launch's own stack frame. Unit: bytes. Source: 256 units of `f64` with their marks, and a page, so
/// that probing the frame is cheap.
pub(super) const ON_STACK: usize = MAX_UNITS * 16;

/// Memory for small rooms.
#[repr(align(64))]
struct Frame(UnsafeCell<MaybeUninit<[u8; ON_STACK]>>);

/// The memory of a room.
#[expect(clippy::large_enum_variant, reason = "the frame is there to be in the frame")]
enum Place<T> {
    Stack(Frame),
    /// A buffer that later launches use again.
    Buffer(Buffer),
    /// For values with a larger alignment than a buffer's: the capacity of an empty `Vec`.
    Heap(Vec<T>),
}

/// Memory for `len` values, which it neither writes nor drops.
pub(super) struct Room<T> {
    place: Place<T>,
    len: usize,
}

impl<T> Room<T> {
    /// # Errors
    /// If there is no memory.
    #[inline]
    pub(super) fn new(len: usize) -> Result<Self, NoRoom> {
        let Some(bytes) = len.checked_mul(size_of::<T>()) else {
            return Err(NoRoom { bytes: usize::MAX });
        };
        let place = if align_of::<T>() > align_of::<Frame>() {
            let mut room = Vec::new();
            room.try_reserve_exact(len).map_err(|_| NoRoom { bytes })?;
            Place::Heap(room)
        } else if bytes <= ON_STACK {
            Place::Stack(Frame(UnsafeCell::new(MaybeUninit::uninit())))
        } else {
            Place::Buffer(Buffer::try_take(bytes).ok_or(NoRoom { bytes })?)
        };
        Ok(Self { place, len })
    }

    /// The number of values.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The address of the first value, until the room moves. Only cells may be written there while the room is shared.
    #[inline]
    pub(super) fn first(&self) -> *mut T {
        match &self.place {
            Place::Stack(frame) => frame.0.get().cast(),
            Place::Buffer(buffer) => buffer.places::<T>(self.len).cast(),
            Place::Heap(room) => room.as_ptr().cast_mut(),
        }
    }
}

impl<T> Drop for Room<T> {
    #[inline]
    fn drop(&mut self) {
        if let Place::Buffer(_) = self.place {
            let place = core::mem::replace(&mut self.place, Place::Heap(Vec::new()));
            if let Place::Buffer(buffer) = place {
                buffer.give_back();
            }
        }
    }
}
