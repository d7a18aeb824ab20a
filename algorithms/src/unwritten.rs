//! New Views that launches write, each iteration its own elements: memory that is written once.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

use spelt_core::{Element, ExecutionSpace, MemorySpace, Result, UninitView, View};

/// A new View for a launch on a device that writes all of it; zeros on a host.
///
/// # Errors
/// If there is no memory.
///
/// # Safety
/// The next launch with the View writes every element, and reads none.
pub(crate) unsafe fn room_on_device<S: ExecutionSpace, T: Element, const R: usize>(
    space: &S,
    label: &str,
    extents: [usize; R],
) -> Result<View<T, R, S::Memory>> {
    if const { !S::IS_DEVICE } {
        return space.zeros(label, extents);
    }
    // SAFETY: a device reads memory in the order of the launches with it, and the first one writes all elements, by the contract.
    Ok(unsafe { space.uninit(label, extents)?.assume_init() })
}

/// A View that has not been written yet.
pub(crate) struct Unwritten<T: Element, M: MemorySpace> {
    view: UninitView<T, 1, M>,
}

impl<T: Element, M: MemorySpace> Unwritten<T, M> {
    /// `n` elements, in the memory of a host.
    ///
    /// # Errors
    /// If there is no memory.
    ///
    /// # Panics
    /// If the space is a device.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(space: &S, label: &str, n: usize) -> Result<Self> {
        // Not in a `const` block: that is evaluated for devices too, whose branches call this nowhere.
        assert!(!S::IS_DEVICE, "the iterations write through an address of the host");
        Ok(Self { view: space.uninit(label, [n])? })
    }

    /// The elements, for the iterations of a launch.
    pub(crate) fn elements(&mut self) -> Elements<'_, T> {
        let len = self.view.extents()[0];
        Elements { first: self.view.raw_mut().pointer(), len, view: PhantomData }
    }

    /// The View.
    ///
    /// # Safety
    /// Every element has been written.
    pub(crate) unsafe fn assume_init(self) -> View<T, 1, M> {
        // SAFETY: the contract is the same.
        unsafe { self.view.assume_init() }
    }
}

/// The elements of an [`Unwritten`] View.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'v, T> {
    first: *mut T,
    len: usize,
    view: PhantomData<&'v mut [MaybeUninit<T>]>,
}

// SAFETY: elements are plain data, and the contract of `slice` keeps the iterations apart.
unsafe impl<T: Element> Send for Elements<'_, T> {}
// SAFETY: likewise.
unsafe impl<T: Element> Sync for Elements<'_, T> {}

impl<T: Element> Elements<'_, T> {
    /// The elements of a range, to be written.
    ///
    /// # Panics
    /// If they are not all there.
    ///
    /// # Safety
    /// While the result lives, no other has one of its elements.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the contract")]
    pub(crate) unsafe fn slice(&self, range: Range<usize>) -> &mut [MaybeUninit<T>] {
        assert!(range.start <= range.end && range.end <= self.len, "a part of the View");
        // SAFETY: the View, which is borrowed, has these elements, and nothing else has them, by the contract; they need not be initialised.
        unsafe {
            let first = self.first.add(range.start).cast::<MaybeUninit<T>>();
            core::slice::from_raw_parts_mut(first, range.end - range.start)
        }
    }

    /// The element of an index, to be written.
    ///
    /// # Panics
    /// If it is not there.
    ///
    /// # Safety
    /// As for [`slice`](Self::slice).
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the contract")]
    pub(crate) unsafe fn at(&self, index: usize) -> &mut MaybeUninit<T> {
        assert!(index < self.len, "an element of the View");
        // SAFETY: the View, which is borrowed, has this element, and nothing else has it, by the contract; it need not be initialised.
        unsafe { &mut *self.first.add(index).cast() }
    }
}
