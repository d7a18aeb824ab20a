//! Views that borrow their memory.

use core::marker::PhantomData;

use spelt_kernels_gpu::{Element, RawView};
use spelt_policies::{Layout, Right};

use super::access::{host_reading, host_writing, reading};
use crate::memory::{HostAccessible, HostSpace, MemorySpace};

/// A View that borrows memory to read it: all of a [`View`](super::View), a subview, a slice. It is `Copy`.
///
/// Different indices may lie at one place here, and only here: nothing is written.
///
/// # Examples
/// ```
/// use spelt_core::ViewRef;
/// let numbers = [1, 2, 3, 4, 5, 6];
/// let v = ViewRef::from_slice([2, 3], &numbers)?;
/// assert_eq!(v[[1, 0]], 4);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct ViewRef<'a, T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    pub(super) raw: RawView<T, R, L>,
    pub(super) label: &'a str,
    pub(super) owner: Option<&'a M::Allocation>,
    borrow: PhantomData<&'a [T]>,
}

/// A View that borrows memory alone, to write it: all of a [`View`](super::View), a subview, a slice.
///
/// Different indices lie at different places, always.
///
/// # Examples
/// ```
/// use spelt_core::ViewMut;
/// let mut numbers = [1, 2, 3, 4, 5, 6];
/// let mut v = ViewMut::from_slice([2, 3], &mut numbers)?;
/// v[[1, 0]] = 40;
/// assert_eq!(numbers, [1, 2, 3, 40, 5, 6]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct ViewMut<'a, T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    pub(super) raw: RawView<T, R, L>,
    pub(super) label: &'a str,
    pub(super) owner: Option<&'a M::Allocation>,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout> Clone for ViewRef<'_, T, R, M, L> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, const R: usize, M: MemorySpace, L: Layout> Copy for ViewRef<'_, T, R, M, L> {}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> ViewRef<'a, T, R, M, L> {
    /// A View to read the memory of `raw`; `owner` is its allocation, if a View owns it.
    ///
    /// # Safety
    /// For `'a`, every element of `raw` is initialised memory of the space `M` that nobody writes, and `raw` keeps
    /// the promise of [`Layout`]: strides of `L`'s own, or any whose offsets stay in that memory for `Stride`.
    #[inline]
    pub(crate) unsafe fn new(
        raw: RawView<T, R, L>,
        label: &'a str,
        owner: Option<&'a M::Allocation>,
    ) -> ViewRef<'a, T, R, M, L> {
        const { assert!(R <= 6, "a View has rank 0 to 6") };
        Self { raw, label, owner, borrow: PhantomData }
    }

    /// The same View under another label.
    #[must_use]
    pub fn with_label(mut self, label: &'a str) -> Self {
        self.label = label;
        self
    }

    /// The View itself: for symmetry with [`View::view`](super::View::view).
    #[must_use]
    #[inline]
    pub fn view(&self) -> ViewRef<'a, T, R, M, L> {
        *self
    }

    reading!('a);
}

impl<'a, T: Element, const R: usize, M: HostAccessible, L: Layout> ViewRef<'a, T, R, M, L> {
    host_reading!('a);
}

impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> ViewMut<'a, T, R, M, L> {
    /// A View to write the memory of `raw`; `owner` is its allocation, if a View owns it.
    ///
    /// # Safety
    /// For `'a`, every element of `raw` is initialised memory of the space `M` that nobody else reads or writes,
    /// its pointer may write there, and its layout is injective: strides of `L`'s own, or for `Stride` any that
    /// give different indices different offsets in that memory.
    #[inline]
    pub(crate) unsafe fn new(
        raw: RawView<T, R, L>,
        label: &'a str,
        owner: Option<&'a M::Allocation>,
    ) -> ViewMut<'a, T, R, M, L> {
        const { assert!(R <= 6, "a View has rank 0 to 6") };
        Self { raw, label, owner, borrow: PhantomData }
    }

    /// The same View under another label.
    #[must_use]
    pub fn with_label(mut self, label: &'a str) -> Self {
        self.label = label;
        self
    }

    /// A shared borrow of all of it.
    #[must_use]
    #[inline]
    pub fn view(&self) -> ViewRef<'_, T, R, M, L> {
        // SAFETY: `self` has the memory for `'a`, and the borrow of `self` keeps writers away.
        unsafe { ViewRef::new(self.raw, self.label, self.owner) }
    }

    /// An exclusive borrow of all of it, for a shorter time.
    #[must_use]
    #[inline]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, M, L> {
        // SAFETY: `self` has the memory alone for `'a`, and the borrow of `self` is exclusive.
        unsafe { ViewMut::new(self.raw, self.label, self.owner) }
    }

    /// The View as a shared one, for as long as its memory is borrowed.
    #[must_use]
    #[inline]
    pub fn into_view(self) -> ViewRef<'a, T, R, M, L> {
        // SAFETY: `self`, which alone could write the memory for `'a`, is gone.
        unsafe { ViewRef::new(self.raw, self.label, self.owner) }
    }

    /// Pointer, extents and strides, for writing: the pointer is the one that the exclusive borrow gave.
    #[must_use]
    #[inline]
    pub fn raw_mut(&mut self) -> RawView<T, R, L> {
        self.raw
    }

    reading!('_);
}

impl<'a, T: Element, const R: usize, M: HostAccessible, L: Layout> ViewMut<'a, T, R, M, L> {
    host_reading!('_);
    host_writing!();
}
