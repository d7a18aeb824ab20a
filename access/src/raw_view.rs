//! A View as a kernel gets it: a pointer with its shape.

use core::marker::PhantomData;

use crate::{Layout, Right};

/// Pointer, extents and strides (in elements) of a View: what a launch copies into a kernel.
///
/// It owns nothing and checks nothing; the accessors made from it do. [`Left`](crate::Left) and
/// [`Right`](crate::Right) ignore the stride of their unit dimension.
#[derive(Debug)]
pub struct RawView<T, const R: usize, L> {
    pointer: *mut T,
    extents: [usize; R],
    strides: [usize; R],
    layout: PhantomData<L>,
}

impl<T, const R: usize, L> Clone for RawView<T, R, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L> Copy for RawView<T, R, L> {}

// SAFETY: it is a pointer without any access of its own; whoever dereferences it proves that this may happen
// on that thread.
unsafe impl<T: Send, const R: usize, L> Send for RawView<T, R, L> {}
// SAFETY: as above.
unsafe impl<T: Sync, const R: usize, L> Sync for RawView<T, R, L> {}

impl<T, const R: usize, L: Layout> RawView<T, R, L> {
    /// The raw View of the memory at `pointer`.
    #[inline(always)]
    pub const fn new(pointer: *mut T, extents: [usize; R], strides: [usize; R]) -> Self {
        Self { pointer, extents, strides, layout: PhantomData }
    }

    /// The address of the element with all indices 0.
    #[inline(always)]
    pub const fn pointer(&self) -> *mut T {
        self.pointer
    }

    /// The number of indices in each dimension.
    #[inline(always)]
    pub const fn extents(&self) -> [usize; R] {
        self.extents
    }

    /// The distance, in elements, between neighbours in each dimension.
    #[inline(always)]
    pub const fn strides(&self) -> [usize; R] {
        self.strides
    }

    /// The number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Whether there is no element.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.extents.contains(&0)
    }

    /// Whether `index` lies below the extents in every dimension.
    #[inline(always)]
    pub fn contains(&self, index: [usize; R]) -> bool {
        let mut inside = true;
        let mut dimension = 0;
        while dimension < R {
            inside &= index[dimension] < self.extents[dimension];
            dimension += 1;
        }
        inside
    }

    /// The address of the element at `index`.
    ///
    /// # Safety
    /// `index` is in bounds and the View's memory is allocated.
    #[inline(always)]
    pub unsafe fn at(&self, index: [usize; R]) -> *mut T {
        // SAFETY: in bounds, so the offset stays inside the allocation that the View describes.
        unsafe { self.pointer.add(L::offset(index, &self.strides)) }
    }
}

impl<T> RawView<T, 2, Right> {
    /// Row `row`, which is contiguous: valid memory if there is such a row and the View's memory is allocated.
    #[inline(always)]
    pub fn row(&self, row: usize) -> *mut [T] {
        // Wrapping, because an empty row has no place in the allocation.
        let first = self.pointer.wrapping_add(row * self.strides[0]);
        core::ptr::slice_from_raw_parts_mut(first, self.extents[1])
    }
}
