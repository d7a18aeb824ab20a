//! Views that borrow their memory.

use core::marker::PhantomData;

use spelt_access::{Element, Layout, MAX_RANK, RawView, Right};

use super::access::{host_reading, host_writing, reading};
use super::memory_space::{HostAccessible, HostSpace, MemorySpace};

/// A View that borrows memory to read it: a whole [`View`](super::View), a subview, a slice. It is `Copy`.
///
/// Only in this type may different indices refer to the same element, because nothing can be written.
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

/// A View that borrows memory exclusively, to write it: a whole [`View`](super::View), a subview, a slice.
///
/// Different indices always refer to different elements.
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
    /// For `'a`, every element of `raw` is initialised memory of the space `M` that is not written, and `raw` satisfies
    /// [`Layout`]: the strides are `L`'s own or, for `Stride`, any with all offsets in that memory.
    #[inline]
    pub(crate) unsafe fn new(
        raw: RawView<T, R, L>,
        label: &'a str,
        owner: Option<&'a M::Allocation>,
    ) -> ViewRef<'a, T, R, M, L> {
        const { assert!(R <= MAX_RANK, "a View has rank 0 to 8") };
        Self { raw, label, owner, borrow: PhantomData }
    }

    /// The same View under another label.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::ViewRef::from(&[1, 2][..]).with_label("numbers");
    /// assert_eq!(v.label(), "numbers");
    /// ```
    #[must_use]
    pub fn with_label(mut self, label: &'a str) -> Self {
        self.label = label;
        self
    }

    /// This View: for symmetry with [`View::view`](super::View::view).
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::ViewRef::from(&[1, 2][..]);
    /// assert_eq!(v.view(), v);
    /// ```
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
    /// For `'a`, every element of `raw` is initialised memory of the space `M` that nothing else reads or writes,
    /// its pointer may be used to write there, and its layout is injective: the strides are `L`'s own or, for `Stride`, any
    /// that give different indices different offsets in that memory.
    #[inline]
    pub(crate) unsafe fn new(
        raw: RawView<T, R, L>,
        label: &'a str,
        owner: Option<&'a M::Allocation>,
    ) -> ViewMut<'a, T, R, M, L> {
        const { assert!(R <= MAX_RANK, "a View has rank 0 to 8") };
        Self { raw, label, owner, borrow: PhantomData }
    }

    /// The same View under another label.
    ///
    /// # Examples
    /// ```
    /// let mut numbers = [1, 2];
    /// let v = spelt_core::ViewMut::from(&mut numbers[..]).with_label("numbers");
    /// assert_eq!(v.label(), "numbers");
    /// ```
    #[must_use]
    pub fn with_label(mut self, label: &'a str) -> Self {
        self.label = label;
        self
    }

    /// A shared borrow of the whole View.
    ///
    /// # Examples
    /// ```
    /// let mut numbers = [1, 2];
    /// let v = spelt_core::ViewMut::from(&mut numbers[..]);
    /// let (a, b) = (v.view(), v.view());
    /// assert_eq!(a, b);
    /// ```
    #[must_use]
    #[inline]
    pub fn view(&self) -> ViewRef<'_, T, R, M, L> {
        // SAFETY: `self` has the memory for `'a`, and the borrow of `self` keeps writers away.
        unsafe { ViewRef::new(self.raw, self.label, self.owner) }
    }

    /// An exclusive borrow of the whole View, for a shorter lifetime.
    ///
    /// # Examples
    /// ```
    /// let mut numbers = [1, 2];
    /// let mut v = spelt_core::ViewMut::from(&mut numbers[..]);
    /// v.view_mut().fill(3);
    /// v[0] = 4;
    /// assert_eq!(numbers, [4, 3]);
    /// ```
    #[must_use]
    #[inline]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, M, L> {
        // SAFETY: `self` has the memory exclusively for `'a`, and the borrow of `self` is exclusive.
        unsafe { ViewMut::new(self.raw, self.label, self.owner) }
    }

    /// A shared View of the same elements, for the whole lifetime of the borrow.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ViewMut, ViewRef};
    /// fn filled(slice: &mut [i32]) -> ViewRef<'_, i32, 1> {
    ///     let mut v = ViewMut::from(slice);
    ///     v.fill(7);
    ///     v.into_view()
    /// }
    /// assert_eq!(filled(&mut [0; 2]).to_vec(), [7, 7]);
    /// ```
    #[must_use]
    #[inline]
    pub fn into_view(self) -> ViewRef<'a, T, R, M, L> {
        // SAFETY: `self`, which alone could write the memory for `'a`, is gone.
        unsafe { ViewRef::new(self.raw, self.label, self.owner) }
    }

    /// Pointer, extents and strides, for writing: the pointer comes from the exclusive borrow.
    ///
    /// # Examples
    /// ```
    /// let mut numbers = [1, 2];
    /// let pointer = numbers.as_mut_ptr();
    /// let mut v = spelt_core::ViewMut::from(&mut numbers[..]);
    /// assert_eq!((v.raw_mut().pointer(), v.raw_mut().len()), (pointer, 2));
    /// ```
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
