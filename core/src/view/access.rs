//! The methods that all Views share, written once.
//!
//! `View`, `ViewRef` and `ViewMut` have them as their own methods, so that they are found without a trait in
//! scope and stand on each type's page. The lifetime is that of what a method hands out: the memory's for
//! `ViewRef`, which is `Copy`, and the borrow of `self` for the others.

/// What every View tells about itself, in any memory space.
macro_rules! reading {
    ($life:lifetime) => {
        /// The label: what messages call this View.
        #[must_use]
        #[inline]
        pub fn label(&self) -> &$life str {
            self.view().label
        }

        /// The number of indices in each dimension.
        #[must_use]
        #[inline]
        pub fn extents(&self) -> [usize; R] {
            self.raw.extents()
        }

        /// The number of indices in one dimension.
        ///
        /// # Panics
        /// If `dimension` is not below the rank.
        #[must_use]
        #[inline]
        #[track_caller]
        pub fn extent(&self, dimension: usize) -> usize {
            match self.raw.extents().get(dimension) {
                Some(&extent) => extent,
                None => $crate::view::mismatch::dimension(self.label(), dimension, R),
            }
        }

        /// The distance, in elements, between neighbours in each dimension.
        #[must_use]
        #[inline]
        pub fn strides(&self) -> [usize; R] {
            self.raw.strides()
        }

        /// The number of elements.
        #[must_use]
        #[inline]
        pub fn len(&self) -> usize {
            self.raw.len()
        }

        /// Whether there is no element.
        #[must_use]
        #[inline]
        pub fn is_empty(&self) -> bool {
            self.raw.is_empty()
        }

        /// The number of dimensions.
        #[must_use]
        #[inline]
        pub fn rank(&self) -> usize {
            R
        }

        /// The number of bytes of all elements together.
        #[must_use]
        #[inline]
        pub fn size_bytes(&self) -> usize {
            self.len() * size_of::<T>()
        }

        /// Whether the elements lie one after the other without gaps, in the order of the layout; for `Stride`,
        /// in the order of the indices.
        #[must_use]
        #[inline]
        pub fn is_contiguous(&self) -> bool {
            $crate::view::index::is_dense::<L, R>(self.raw.extents(), self.raw.strides())
        }

        /// What owns the memory; nothing where it is borrowed from outside.
        #[doc(hidden)]
        #[must_use]
        #[inline]
        pub fn owner(&self) -> Option<&$life M::Allocation> {
            self.view().owner
        }

        /// Pointer, extents and strides, for reading: nobody may write through the pointer.
        #[must_use]
        #[inline]
        pub fn raw(&self) -> RawView<T, R, L> {
            self.raw
        }
    };
}

/// How the host reads a View.
macro_rules! host_reading {
    ($life:lifetime) => {
        /// The element at `index`, or `None` where that is out of the extents.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::View;
        /// let v = View::from_fn("v", [2, 3], |[i, j]| 10 * i + j)?;
        /// assert_eq!(v.get([1, 2]), Some(&12));
        /// assert_eq!(v.get([2, 0]), None);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn get(&self, index: impl $crate::view::IntoIndex<R>) -> Option<&$life T> {
            let index = index.into_index();
            // SAFETY: in bounds, so the element is initialised memory; `view()` has it for this lifetime.
            self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
        }

        /// The elements in the order of the indices: the last index runs fastest, whatever the layout.
        ///
        /// # Complexity
        /// O(len). `for_each`, `sum` and other adapters that take all at once run row by row; where the order does not
        /// matter, [`as_slice`](Self::as_slice) is faster still.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{Left, View};
        /// let v = View::from_fn_in(Left, "v", [2, 2], |[i, j]| 10 * i + j)?;
        /// assert!(v.iter().eq(&[0, 1, 10, 11]));
        /// assert_eq!(v.as_slice(), Some(&[0, 10, 1, 11][..]));
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn iter(&self) -> $crate::view::Iter<$life, T, R, L> {
            self.view().elements()
        }

        /// The indices with their elements, in the order of the indices.
        #[inline]
        pub fn indexed_iter(&self) -> $crate::view::IndexedIter<$life, T, R, L> {
            self.view().indexed_elements()
        }

        /// A copy of the elements in the order of the indices.
        ///
        /// # Panics
        /// If there is no memory, which the message says with the number of elements.
        #[must_use]
        pub fn to_vec(&self) -> Vec<T> {
            $crate::view::gathered(self.len(), self.iter().copied()).unwrap_or_else(|error| panic!("{error}"))
        }

        /// The elements as a slice in memory order, where they lie one after the other.
        ///
        /// Owned Views always have one. The order is the layout's: for `Right` and `Stride` the last index runs
        /// fastest, for `Left` the first.
        #[must_use]
        #[inline]
        pub fn as_slice(&self) -> Option<&$life [T]> {
            self.is_contiguous().then(|| {
                // SAFETY: dense, so the `len` elements from the first on are this View's, initialised and unwritten.
                unsafe { core::slice::from_raw_parts(self.raw.pointer(), self.len()) }
            })
        }
    };
}

/// How the host writes a View.
macro_rules! host_writing {
    () => {
        /// The element at `index`, to write it, or `None` where that is out of the extents.
        #[must_use]
        #[inline]
        pub fn get_mut(&mut self, index: impl $crate::view::IntoIndex<R>) -> Option<&mut T> {
            let index = index.into_index();
            // SAFETY: in bounds, so the element is initialised memory, and `self` is borrowed alone.
            self.raw.contains(index).then(|| unsafe { &mut *self.raw.at(index) })
        }

        /// The elements in the order of the indices, to write them.
        #[inline]
        pub fn iter_mut(&mut self) -> $crate::view::IterMut<'_, T, R, L> {
            self.view_mut().elements_mut()
        }

        /// The indices with their elements, in the order of the indices, to write these.
        #[inline]
        pub fn indexed_iter_mut(&mut self) -> $crate::view::IndexedIterMut<'_, T, R, L> {
            self.view_mut().indexed_elements_mut()
        }

        /// Gives every element this value.
        ///
        /// # Complexity
        /// O(len); `size_bytes` bytes are written, in memory order where the elements lie one after the other.
        #[inline]
        pub fn fill(&mut self, value: T) {
            match self.as_mut_slice() {
                Some(slice) => slice.fill(value),
                None => self.iter_mut().for_each(|element| *element = value),
            }
        }

        /// The elements as a slice to write, in memory order, where they lie one after the other.
        #[must_use]
        #[inline]
        pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
            self.is_contiguous().then(|| {
                // SAFETY: dense, so the `len` elements from the first on are this View's; `self` is borrowed alone.
                unsafe { core::slice::from_raw_parts_mut(self.raw.pointer(), self.len()) }
            })
        }
    };
}

pub(super) use {host_reading, host_writing, reading};
