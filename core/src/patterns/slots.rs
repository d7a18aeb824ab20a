//! One place for each unit's partial result.

use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, size_of};

/// Slots that lie in the launch's own stack frame when values are small. Unit: slots.
const ON_STACK: usize = super::chunks::MOST_UNITS;

/// Values up to this size may lie in the stack frame: 256 of them make 16 KiB. Unit: bytes.
const SMALL: usize = 64;

/// `count` empty slots. They belong to one launch: a launch inside a `join` has its own.
pub(crate) struct Slots<T> {
    stack: [MaybeUninit<UnsafeCell<Option<T>>>; ON_STACK],
    heap: Vec<UnsafeCell<Option<T>>>,
    count: usize,
}

// SAFETY: the contract of `put` keeps threads apart, and values move between them.
unsafe impl<T: Send> Sync for Slots<T> {}

impl<T> Slots<T> {
    #[inline]
    pub(crate) fn new(count: usize) -> Self {
        let mut slots = Self { stack: [const { MaybeUninit::uninit() }; ON_STACK], heap: Vec::new(), count };
        if Self::on_stack(count) {
            for slot in &mut slots.stack[..count] {
                slot.write(UnsafeCell::new(None));
            }
        } else {
            slots.heap.resize_with(count, || UnsafeCell::new(None));
        }
        slots
    }

    fn on_stack(count: usize) -> bool {
        size_of::<Option<T>>() <= SMALL && count <= ON_STACK
    }

    fn slot(&self, unit: usize) -> &UnsafeCell<Option<T>> {
        assert!(unit < self.count);
        if Self::on_stack(self.count) {
            // SAFETY: `new` wrote the first `count` places.
            unsafe { self.stack[unit].assume_init_ref() }
        } else {
            &self.heap[unit]
        }
    }

    /// Fills the slot of `unit`.
    ///
    /// # Safety
    /// At most one thread uses the slot of a unit at a time.
    pub(crate) unsafe fn put(&self, unit: usize, value: T) {
        // SAFETY: no other thread uses the slot.
        unsafe { *self.slot(unit).get() = Some(value) }
    }

    /// Empties the slot of `unit`, while other threads use other slots.
    ///
    /// # Safety
    /// At most one thread uses the slot of a unit at a time.
    pub(crate) unsafe fn take_shared(&self, unit: usize) -> Option<T> {
        // SAFETY: no other thread uses the slot.
        unsafe { (*self.slot(unit).get()).take() }
    }

    /// Empties the slot of `unit`.
    pub(crate) fn take(&mut self, unit: usize) -> Option<T> {
        // SAFETY: `&mut self`: no thread uses any slot.
        unsafe { (*self.slot(unit).get()).take() }
    }
}

impl<T> Drop for Slots<T> {
    fn drop(&mut self) {
        if Self::on_stack(self.count) && core::mem::needs_drop::<T>() {
            for slot in &mut self.stack[..self.count] {
                // SAFETY: `new` wrote the first `count` places, and they are dropped here only.
                unsafe { slot.assume_init_drop() }
            }
        }
    }
}
