//! One place for each unit's partial result.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::{MaybeUninit, align_of, size_of};

/// Slots that lie in the launch's own stack frame when values are small. Unit: slots.
const ON_STACK: usize = super::chunks::MOST_UNITS;

/// Values up to this size may lie in the stack frame: 256 of them make 16 KiB. Unit: bytes.
const SMALL: usize = 64;

/// Room for [`ON_STACK`] small values: of bytes, for an array of the values themselves would take as much stack for a
/// large value, which does not lie there.
#[repr(align(64))]
struct Room(UnsafeCell<[MaybeUninit<u8>; ON_STACK * SMALL]>);

/// One slot.
type Slot<T> = UnsafeCell<Option<T>>;

/// `count` empty slots. They belong to one launch: a launch inside a `join` has its own.
pub(crate) struct Slots<T> {
    stack: Room,
    heap: Vec<Slot<T>>,
    count: usize,
    values: PhantomData<T>,
}

// SAFETY: the contract of `put` keeps threads apart, and values move between them.
unsafe impl<T: Send> Sync for Slots<T> {}

impl<T> Slots<T> {
    #[inline(always)]
    pub(crate) fn new(count: usize) -> Self {
        let stack = Room(UnsafeCell::new([MaybeUninit::uninit(); ON_STACK * SMALL]));
        let mut slots = Self { stack, heap: Vec::new(), count, values: PhantomData };
        if Self::on_stack(count) {
            for unit in 0..count {
                // SAFETY: the room has a place for each of up to `ON_STACK` small values, and nobody uses it yet.
                unsafe { slots.place(unit).write(UnsafeCell::new(None)) }
            }
        } else {
            slots.heap.resize_with(count, || UnsafeCell::new(None));
        }
        slots
    }

    fn on_stack(count: usize) -> bool {
        size_of::<Slot<T>>() <= SMALL && align_of::<Slot<T>>() <= align_of::<Room>() && count <= ON_STACK
    }

    /// Where the slot of `unit` lies when slots are on the stack.
    fn place(&self, unit: usize) -> *mut Slot<T> {
        self.stack.0.get().cast::<Slot<T>>().wrapping_add(unit)
    }

    fn slot(&self, unit: usize) -> &Slot<T> {
        assert!(unit < self.count);
        if Self::on_stack(self.count) {
            // SAFETY: `new` wrote the first `count` places.
            unsafe { &*self.place(unit) }
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
            for unit in 0..self.count {
                // SAFETY: `new` wrote the first `count` places, and they are dropped here only.
                unsafe { self.place(unit).drop_in_place() }
            }
        }
    }
}
