//! A View in a kernel: a pointer with extents and strides.

use core::marker::PhantomData;

use crate::{Layout, Right, failure};

/// Pointer, extents and strides (in elements) of a View, which a launch copies into a kernel.
///
/// It owns no memory and does not check bounds; the accessors made from it do. [`Left`](crate::Left) and
/// [`Right`](crate::Right) ignore the stride of their unit dimension.
///
/// # Examples
/// ```
/// use spelt_access::{RawView, Right};
/// let mut numbers = [1, 2, 3, 4, 5, 6];
/// let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
/// assert_eq!((raw.extents(), raw.strides(), raw.len()), ([2, 3], [3, 1], 6));
/// ```
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

// SAFETY: it is a pointer, and accesses nothing by itself; code that dereferences it must prove that it may do so on that
// thread.
unsafe impl<T: Send, const R: usize, L> Send for RawView<T, R, L> {}
// SAFETY: a shared raw View gives only copies of the pointer; code that dereferences one proves that it may.
unsafe impl<T: Sync, const R: usize, L> Sync for RawView<T, R, L> {}

impl<T, const R: usize, L: Layout> RawView<T, R, L> {
    /// The raw View of the memory at `pointer`.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{RawView, Right};
    /// let mut numbers = [1, 2, 3, 4, 5, 6];
    /// let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// assert_eq!(raw.pointer(), numbers.as_mut_ptr());
    /// ```
    #[inline(always)]
    pub const fn new(pointer: *mut T, extents: [usize; R], strides: [usize; R]) -> Self {
        Self { pointer, extents, strides, layout: PhantomData }
    }

    /// The same View, of which a device is told that nothing writes it while the kernel runs.
    ///
    /// # Safety
    /// That is so while anything is read through the result.
    #[inline(always)]
    #[must_use]
    pub(crate) unsafe fn unwritten(self) -> Self {
        #[cfg(spelt_device_pass)]
        return Self::new(
            crate::device::__spelt_unwritten(self.pointer.cast()).cast(),
            self.extents,
            self.strides,
        );
        #[cfg(not(spelt_device_pass))]
        self
    }

    /// The same, made of its numbers one by one: the compiler keeps these in registers, where it copies an array from memory to memory.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub const fn by_numbers(self) -> Self {
        let (mut extents, mut strides) = ([0; R], [0; R]);
        let mut dimension = 0;
        while dimension < R {
            extents[dimension] = self.extents[dimension];
            strides[dimension] = self.strides[dimension];
            dimension += 1;
        }
        Self::new(self.pointer, extents, strides)
    }

    /// The address of the element with all indices 0.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// assert_eq!(raw.pointer(), numbers.as_mut_ptr());
    /// ```
    #[inline(always)]
    pub const fn pointer(&self) -> *mut T {
        self.pointer
    }

    /// The number of indices in each dimension.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// assert_eq!(raw.extents(), [2, 3]);
    /// ```
    #[inline(always)]
    pub const fn extents(&self) -> [usize; R] {
        self.extents
    }

    /// The distance, in elements, between neighbours in each dimension.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// assert_eq!(raw.strides(), [3, 1]);
    /// ```
    #[inline(always)]
    pub const fn strides(&self) -> [usize; R] {
        self.strides
    }

    /// The number of elements.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// assert_eq!(raw.len(), 6);
    /// ```
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Whether there are no elements.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// assert!(!raw.is_empty());
    /// ```
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.extents.contains(&0)
    }

    /// Whether `index` lies below the extents in every dimension.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// assert!(raw.contains([1, 2]) && !raw.contains([2, 0]));
    /// ```
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
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// // SAFETY: the index is in bounds, and the numbers are alive.
    /// assert_eq!(unsafe { *raw.at([1, 2]) }, 6);
    /// ```
    #[inline(always)]
    pub unsafe fn at(&self, index: [usize; R]) -> *mut T {
        // SAFETY: in bounds, so the offset stays inside the allocation that the View describes.
        unsafe { self.pointer.add(L::offset(index, &self.strides)) }
    }

    /// [`at`](Self::at), which panics if `index` is out of bounds; `view` is the address by which the message names the View.
    ///
    /// # Safety
    /// The View's memory is allocated.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn at_checked(&self, index: [usize; R], view: usize) -> *mut T {
        // Not by an `Option` of a reference: the compiler would test its pointer for null.
        if !self.contains(index) {
            failure::beyond(view, index);
        }
        // SAFETY: in bounds by the test, and the memory is allocated by this function's contract.
        unsafe { self.at(index) }
    }
}

impl<T> RawView<T, 2, Right> {
    /// Row `row`, which is contiguous: valid memory if there is such a row and the View's memory is allocated.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// // SAFETY: there is a row 1, and the numbers are alive and not written.
    /// assert_eq!(unsafe { &*raw.row(1) }, [4, 5, 6]);
    /// ```
    #[inline(always)]
    pub fn row(&self, row: usize) -> *mut [T] {
        // Wrapping, because an empty row may lie outside the allocation.
        let first = self.pointer.wrapping_add(row * self.strides[0]);
        core::ptr::slice_from_raw_parts_mut(first, self.extents[1])
    }
}

macro_rules! rest {
    ($($rank:literal $less:literal)*) => {$(
        impl<T, L: Layout> RawView<T, $rank, L> {
            /// The elements with this first index: valid memory if the index is in bounds and the View's memory is allocated.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{RawView, Right};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6];
            /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
            /// assert_eq!((raw.at_first(1).extents(), raw.at_first(1).strides()), ([3], [1]));
            /// ```
            #[inline(always)]
            pub fn at_first(&self, index: usize) -> RawView<T, $less, L::Rest> {
                let mut step = [0; $rank];
                step[0] = index;
                // Wrapping, because an empty part may lie outside the allocation.
                let first = self.pointer.wrapping_add(L::offset(step, &self.strides));
                RawView::new(
                    first,
                    core::array::from_fn(|dimension| self.extents[dimension + 1]),
                    core::array::from_fn(|dimension| self.strides[dimension + 1]),
                )
            }
        }
    )*};
}
rest!(2 1 3 2 4 3 5 4 6 5 7 6 8 7);

impl<T, const R: usize, L: Layout> RawView<T, R, L> {
    /// The rows in `range`, the elements with these first indices: valid memory if the rows exist and the View's memory is allocated.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// assert_eq!((raw.rows(1..2).extents(), raw.rows(1..2).strides()), ([1, 3], [3, 1]));
    /// ```
    #[inline(always)]
    pub fn rows(&self, range: core::ops::Range<usize>) -> Self {
        let (mut step, mut extents) = ([0; R], self.extents);
        step[0] = range.start;
        extents[0] = range.end - range.start;
        // Wrapping, because an empty part may lie outside the allocation.
        let first = self.pointer.wrapping_add(L::offset(step, &self.strides));
        Self::new(first, extents, self.strides)
    }
}
