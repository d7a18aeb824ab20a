//! Contributions to a scattered View that are kept until the launch is over.

use core::sync::atomic::{AtomicU64, Ordering};

/// One contribution.
///
/// The order of a host is that of the numbers, and of the calls in an iteration.
#[doc(hidden)]
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution<T> {
    /// The offset of the element in the View. Unit: elements.
    pub element: usize,
    /// The number of the iteration.
    pub number: usize,
    /// The number of the call in the iteration.
    pub call: u32,
    /// The contribution itself.
    pub value: T,
}

/// Room for the contributions of a launch, in the order of their arrival.
#[doc(hidden)]
#[derive(Debug)]
pub struct Contributions<T> {
    /// The first entry.
    pub entries: *mut Contribution<T>,
    /// The number of contributions, those without room included.
    pub count: *mut u64,
    /// The number of entries. 0: contributions are not kept.
    pub room: usize,
}

impl<T> Clone for Contributions<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Contributions<T> {}

impl<T> Contributions<T> {
    /// No room.
    pub const NONE: Self = Self { entries: core::ptr::null_mut(), count: core::ptr::null_mut(), room: 0 };

    /// Keeps a contribution if there is room, and counts it in any case.
    ///
    /// # Safety
    /// There is room for at least one entry, the count is a valid number, and other threads only call this function meanwhile.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn keep(&self, contribution: Contribution<T>) {
        // SAFETY: by the contract, the count is valid, and all threads access it by this function, atomically.
        let place = unsafe { AtomicU64::from_ptr(self.count) }.fetch_add(1, Ordering::Relaxed);
        if place < self.room as u64 {
            // SAFETY: there is room for the entry, and no other thread has this place.
            unsafe { self.entries.add(place as usize).write(contribution) }
        }
    }
}
