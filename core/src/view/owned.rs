//! The View that owns its memory.

use spelt_access::{Element, Layout, MAX_RANK, RawView, Right};

use super::access::{host_reading, host_writing, reading};
use super::memory_space::{HostAccessible, HostSpace, MemorySpace};
use super::{ViewMut, ViewRef};
use crate::tools::{Allocated, AllocationEvent, allocate, is_heard};

/// An array of rank `R` that owns its memory exclusively.
///
/// Elements are [`Element`]s, extents are run-time values, the layout `L` determines the offset of an element
/// ([`Right`] by default), and `M` is the memory space. Owned Views are dense: they have no gaps and no padding, and are
/// aligned to [`ALIGNMENT`](crate::ALIGNMENT) bytes unless the memory came from a `Vec` or is
/// [unmanaged](crate::ExecutionSpace::unmanaged).
///
/// # Examples
/// ```
/// use spelt_core::View;
/// let mut v = View::from_fn("v", [2, 3], |[i, j]| (10 * i + j) as f64)?;
/// v[[1, 2]] += 0.5;
/// assert_eq!(v.as_slice(), Some(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.5][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct View<T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    pub(super) raw: RawView<T, R, L>,
    pub(super) label: String,
    /// Dropped before the memory is freed. None where no tool has been told of it.
    pub(super) _told: Option<Box<Allocated>>,
    pub(super) allocation: M::Allocation,
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout> View<T, R, M, L> {
    /// A View of memory that `allocation` owns.
    ///
    /// # Safety
    /// `raw` has the strides that `L` gives its extents, and points to that many elements in `allocation`, to which
    /// nothing else refers. All elements are initialised before they can be read.
    pub(crate) unsafe fn from_parts(
        label: String,
        raw: RawView<T, R, L>,
        allocation: M::Allocation,
    ) -> View<T, R, M, L> {
        let told = if is_heard() {
            let (address, bytes) = (raw.pointer().addr(), raw.len() as u64 * size_of::<T>() as u64);
            allocate(AllocationEvent { label: &label, memory: M::NAME, address, bytes })
        } else {
            None
        };
        // SAFETY: the contract is the same.
        Self { _told: told, ..unsafe { Self::from_unmanaged(label, raw, allocation) } }
    }

    /// A View of memory that other code owns, of which no tool is told.
    ///
    /// # Safety
    /// As for [`from_parts`](Self::from_parts), for as long as the View lives.
    pub(crate) unsafe fn from_unmanaged(
        label: String,
        raw: RawView<T, R, L>,
        allocation: M::Allocation,
    ) -> View<T, R, M, L> {
        const {
            assert!(R <= MAX_RANK, "a View has rank 0 to 8");
            T::ZERO_IS_A_VALUE
        };
        Self { raw, label, _told: None, allocation }
    }

    /// The same View under another label.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::<f64, 1>::zeros("old", [3])?.with_label("new");
    /// assert_eq!(v.label(), "new");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// A shared borrow of the whole View.
    ///
    /// # Examples
    /// ```
    /// let v = spelt_core::View::from_vec("v", [2], vec![1, 2])?;
    /// let (a, b) = (v.view(), v.view());
    /// assert_eq!(a[0] + b[1], 3);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn view(&self) -> ViewRef<'_, T, R, M, L> {
        // SAFETY: the memory is `self.allocation`'s, and the borrow of `self` keeps writers away.
        unsafe { ViewRef::new(self.raw, &self.label, Some(&self.allocation)) }
    }

    /// An exclusive borrow of the whole View.
    ///
    /// # Examples
    /// ```
    /// let mut v = spelt_core::View::<i32, 1>::zeros("v", [2])?;
    /// v.view_mut().fill(3);
    /// assert_eq!(v.to_vec(), [3, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, M, L> {
        // SAFETY: the memory is `self.allocation`'s, the borrow of `self` is exclusive, a dense layout is injective.
        unsafe { ViewMut::new(self.raw, &self.label, Some(&self.allocation)) }
    }

    /// Pointer, extents and strides, for writing: the pointer is the allocation's.
    ///
    /// # Examples
    /// ```
    /// let mut v = spelt_core::View::<i32, 1>::zeros("v", [2])?;
    /// assert_eq!(v.raw_mut().pointer(), &raw mut v[0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn raw_mut(&mut self) -> RawView<T, R, L> {
        self.raw
    }

    reading!('_);
}

impl<T: Element, const R: usize, M: HostAccessible, L: Layout> View<T, R, M, L> {
    host_reading!('_);
    host_writing!();
}
