//! One place for each unit's partial result, with a mark that tells whether there is one.

use core::cell::UnsafeCell;
use core::marker::PhantomData;

use super::room::Room;
use crate::arena::NoRoom;

type Slot<T> = UnsafeCell<Option<T>>;

/// Empty slots. They belong to one launch: a launch inside a `join` has its own.
pub(crate) struct Slots<T>(Room<Slot<T>>);

// SAFETY: the contract of `put` keeps threads apart, and values move between them.
unsafe impl<T: Send> Sync for Slots<T> {}

impl<T> Slots<T> {
    /// # Errors
    /// If there is no memory for them.
    #[inline]
    pub(crate) fn new(count: usize) -> Result<Self, NoRoom> {
        let room = Room::<Slot<T>>::new(count)?;
        for unit in 0..count {
            // SAFETY: the room is for `count` slots, and nothing else refers to it yet.
            unsafe { room.first().add(unit).write(UnsafeCell::new(None)) }
        }
        Ok(Self(room))
    }

    /// The number of slots.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Fills the slot of `unit`.
    ///
    /// # Safety
    /// At most one thread uses the slot of a unit at a time.
    #[inline]
    pub(crate) unsafe fn put(&self, unit: usize, value: T) {
        // SAFETY: no other thread uses the slot.
        unsafe { self.shared().put(unit, value) }
    }

    /// The same slots, for threads that fill them: their address and number, so that no thread reads `self`.
    #[inline]
    pub(crate) fn shared(&self) -> SharedSlots<'_, T> {
        SharedSlots { first: self.0.first(), count: self.len(), slots: PhantomData }
    }

    /// Empties the slot of `unit`, while other threads use other slots.
    ///
    /// # Safety
    /// At most one thread uses the slot of a unit at a time.
    #[inline]
    pub(crate) unsafe fn take_shared(&self, unit: usize) -> Option<T> {
        // SAFETY: no other thread uses the slot.
        unsafe { (*self.shared().slot(unit).get()).take() }
    }

    /// Empties the slot of `unit`.
    #[inline]
    pub(crate) fn take(&mut self, unit: usize) -> Option<T> {
        // SAFETY: `&mut self`: no thread uses any slot.
        unsafe { self.take_shared(unit) }
    }
}

/// Slots that several threads fill.
pub(crate) struct SharedSlots<'a, T> {
    first: *const Slot<T>,
    count: usize,
    slots: PhantomData<&'a Slots<T>>,
}

// SAFETY: the contract of `put` keeps threads apart, and values move between them.
unsafe impl<T: Send> Sync for SharedSlots<'_, T> {}

impl<'a, T> SharedSlots<'a, T> {
    #[inline]
    fn slot(&self, unit: usize) -> &'a Slot<T> {
        assert!(unit < self.count);
        // SAFETY: `Slots::shared` took the address and number of slots that `new` wrote, and that are borrowed for `'a`.
        unsafe { &*self.first.add(unit) }
    }

    /// Fills the slot of `unit`.
    ///
    /// # Safety
    /// At most one thread uses the slot of a unit at a time.
    #[inline]
    pub(crate) unsafe fn put(&self, unit: usize, value: T) {
        // SAFETY: no other thread uses the slot.
        unsafe { *self.slot(unit).get() = Some(value) }
    }
}

impl<T> Drop for Slots<T> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            for unit in 0..self.len() {
                drop(self.take(unit));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use super::*;
    use crate::host::room::ON_STACK;

    #[test]
    fn there_is_no_slot_beyond_the_last() {
        let mut slots = Slots::<u8>::new(4).expect("memory");
        assert_eq!(slots.take(3), None);
        assert!(catch_unwind(AssertUnwindSafe(|| slots.take(4))).is_err());
    }

    /// Its alignment is larger than a buffer's.
    #[repr(align(8192))]
    struct Far(#[expect(dead_code, reason = "it is dropped")] Arc<()>);

    /// Values that are never taken, like those of a launch that panics.
    #[test]
    fn what_is_left_in_slots_is_dropped() {
        let value = Arc::new(());
        for count in [4, ON_STACK] {
            let mut slots = Slots::new(count).expect("memory");
            for unit in [0, 2, count - 1] {
                // SAFETY: one thread uses the slots.
                unsafe { slots.put(unit, value.clone()) };
            }
            assert!(slots.take(0).is_some() && slots.take(1).is_none());
            assert_eq!(Arc::strong_count(&value), 3);
            drop(slots);
            assert_eq!(Arc::strong_count(&value), 1, "{count} slots");
        }
        let slots = Slots::new(2).expect("memory");
        // SAFETY: one thread uses the slots.
        unsafe { slots.put(1, Far(value.clone())) };
        drop(slots);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
