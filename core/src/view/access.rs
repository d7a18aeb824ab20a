//! The methods that all Views share, written once.
//!
//! They are inherent methods of `View`, `ViewRef` and `ViewMut`, so that no trait has to be in scope and each type's
//! page lists them. `$life` is the lifetime of the returned references: that of the memory for `ViewRef`, which is
//! `Copy`, and that of the borrow of `self` for the others.

/// Label, extents, strides and size, in any memory space.
macro_rules! reading {
    ($life:lifetime) => {
        /// The label: the View's name in messages.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::View;
        /// let v = View::<f64, 2>::zeros("v", [2, 3])?;
        /// assert_eq!((v.label(), v.extents(), v.strides()), ("v", [2, 3], [3, 1]));
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn label(&self) -> &$life str {
            self.view().label
        }

        /// The number of indices in each dimension.
        ///
        /// # Examples
        /// ```
        /// let v = spelt_core::View::<f64, 2>::zeros("v", [2, 3])?;
        /// assert_eq!(v.extents(), [2, 3]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn extents(&self) -> [usize; R] {
            self.raw.extents()
        }

        /// The number of indices in one dimension.
        ///
        /// # Panics
        /// If `dimension` is not below the rank.
        ///
        /// # Examples
        /// ```
        /// let v = spelt_core::View::<f64, 2>::zeros("v", [2, 3])?;
        /// assert_eq!(v.extent(1), 3);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
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
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{Left, View};
        /// assert_eq!(View::<f64, 2>::zeros("right", [2, 3])?.strides(), [3, 1]);
        /// assert_eq!(View::<f64, 2, _, _>::zeros_in(Left, "left", [2, 3])?.strides(), [1, 2]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn strides(&self) -> [usize; R] {
            self.raw.strides()
        }

        /// The number of elements.
        ///
        /// # Examples
        /// ```
        /// let v = spelt_core::View::<f64, 2>::zeros("v", [2, 3])?;
        /// assert_eq!(v.len(), 6);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn len(&self) -> usize {
            self.raw.len()
        }

        /// Whether the View has no elements.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::View;
        /// assert!(View::<f64, 2>::zeros("v", [2, 0])?.is_empty());
        /// assert!(!View::<f64, 0>::zeros("one element", [])?.is_empty());
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn is_empty(&self) -> bool {
            self.raw.is_empty()
        }

        /// The number of dimensions.
        ///
        /// # Examples
        /// ```
        /// let v = spelt_core::View::<f64, 2>::zeros("v", [2, 3])?;
        /// assert_eq!(v.rank(), 2);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn rank(&self) -> usize {
            R
        }

        /// The number of bytes of all elements together.
        ///
        /// # Examples
        /// ```
        /// let v = spelt_core::View::<f64, 2>::zeros("v", [2, 3])?;
        /// assert_eq!(v.size_bytes(), 48);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn size_bytes(&self) -> usize {
            self.len() * size_of::<T>()
        }

        /// Whether the elements are contiguous in the order of the layout; for `Stride`, in the order of the indices.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{View, subview::All};
        /// let v = View::<f64, 2>::zeros("v", [2, 3])?;
        /// assert!(v.is_contiguous() && v.subview((1, All)).is_contiguous());
        /// assert!(!v.subview((All, 1)).is_contiguous());
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn is_contiguous(&self) -> bool {
            $crate::view::index::is_dense::<L, R>(self.raw.extents(), self.raw.strides())
        }

        /// The owner of the memory; `None` if it is borrowed from outside.
        #[doc(hidden)]
        #[must_use]
        #[inline]
        pub fn owner(&self) -> Option<&$life M::Allocation> {
            self.view().owner
        }

        /// Pointer, extents and strides, for reading: the pointer must not be used to write.
        ///
        /// # Examples
        /// ```
        /// let v = spelt_core::View::<f64, 2>::zeros("v", [2, 3])?;
        /// assert_eq!((v.raw().extents(), v.raw().strides()), ([2, 3], [3, 1]));
        /// assert_eq!(v.raw().pointer().cast_const(), &raw const v[[0, 0]]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn raw(&self) -> RawView<T, R, L> {
            self.raw
        }
    };
}

/// Reading by the host.
macro_rules! host_reading {
    ($life:lifetime) => {
        /// The element at `index`, or `None` if `index` is out of bounds.
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
        pub fn get(&self, index: impl $crate::view::HostIndex<M, R>) -> Option<&$life T> {
            let index = index.as_index();
            // SAFETY: in bounds, so the element is initialised memory; `view()` has it for this lifetime.
            self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
        }

        /// The elements in the order of the indices: the last index runs fastest, regardless of the layout.
        ///
        /// # Complexity
        /// O(len). `for_each`, `sum` and other adapters that consume the iterator run row by row; if the order does not
        /// matter, [`as_slice`](Self::as_slice) is even faster.
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
        ///
        /// # Examples
        /// ```
        /// use spelt_core::View;
        /// let v = View::from_fn("v", [2, 2], |[i, j]| 10 * i + j)?;
        /// assert!(v.indexed_iter().all(|([i, j], &element)| element == 10 * i + j));
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn indexed_iter(&self) -> $crate::view::IndexedIter<$life, T, R, L> {
            self.view().indexed_elements()
        }

        /// A copy of the elements in the order of the indices.
        ///
        /// # Panics
        /// If there is not enough memory; the message gives the number of elements.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{View, subview::All};
        /// let v = View::from_fn("v", [2, 3], |[i, j]| 10 * i + j)?;
        /// assert_eq!(v.subview((All, 2)).to_vec(), [2, 12]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        pub fn to_vec(&self) -> Vec<T> {
            $crate::view::gathered(self.len(), self.iter().copied()).unwrap_or_else(|error| panic!("{error}"))
        }

        /// The elements as a slice in memory order, if they are contiguous.
        ///
        /// Owned Views always are. The order is the layout's: for `Right` and `Stride` the last index runs
        /// fastest, for `Left` the first.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{View, subview::All};
        /// let v = View::from_fn("v", [2, 3], |[i, j]| 10 * i + j)?;
        /// assert_eq!(v.as_slice(), Some(&[0, 1, 2, 10, 11, 12][..]));
        /// assert_eq!(v.subview((All, 2)).as_slice(), None);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
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

/// Writing by the host.
macro_rules! host_writing {
    () => {
        /// A mutable reference to the element at `index`, or `None` if `index` is out of bounds.
        ///
        /// # Examples
        /// ```
        /// let mut v = spelt_core::View::<i32, 1>::zeros("v", [3])?;
        /// *v.get_mut(2).expect("2 is in bounds") = 7;
        /// assert_eq!(v.to_vec(), [0, 0, 7]);
        /// assert!(v.get_mut(3).is_none());
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn get_mut(&mut self, index: impl $crate::view::HostIndex<M, R>) -> Option<&mut T> {
            let index = index.as_index();
            // SAFETY: in bounds, so the element is initialised memory, and `self` is borrowed exclusively.
            self.raw.contains(index).then(|| unsafe { &mut *self.raw.at(index) })
        }

        /// Mutable references to the elements, in the order of the indices.
        ///
        /// # Examples
        /// ```
        /// let mut v = spelt_core::View::from_fn("v", [3], |[i]| i)?;
        /// v.iter_mut().for_each(|element| *element *= 2);
        /// assert_eq!(v.to_vec(), [0, 2, 4]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn iter_mut(&mut self) -> $crate::view::IterMut<'_, T, R, L> {
            self.view_mut().elements_mut()
        }

        /// The indices with mutable references to their elements, in the order of the indices.
        ///
        /// # Examples
        /// ```
        /// let mut v = spelt_core::View::<usize, 2>::zeros("v", [2, 2])?;
        /// v.indexed_iter_mut().for_each(|([i, j], element)| *element = 10 * i + j);
        /// assert_eq!(v.to_vec(), [0, 1, 10, 11]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn indexed_iter_mut(&mut self) -> $crate::view::IndexedIterMut<'_, T, R, L> {
            self.view_mut().indexed_elements_mut()
        }

        /// Sets every element to `value`.
        ///
        /// # Complexity
        /// O(len); `size_bytes` bytes are written, in memory order if the elements are contiguous.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{View, subview::All};
        /// let mut v = View::<i32, 2>::zeros("v", [2, 2])?;
        /// v.subview_mut((All, 1)).fill(3);
        /// assert_eq!(v.to_vec(), [0, 3, 0, 3]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn fill(&mut self, value: T) {
            match self.as_mut_slice() {
                Some(slice) => $crate::view::copy::fill_row(slice, value),
                None => self.iter_mut().for_each(|element| *element = value),
            }
        }

        /// The elements as a mutable slice in memory order, if they are contiguous.
        ///
        /// # Examples
        /// ```
        /// let mut v = spelt_core::View::from_vec("v", [3], vec![3, 1, 2])?;
        /// v.as_mut_slice().expect("an owned View is dense").sort_unstable();
        /// assert_eq!(v.to_vec(), [1, 2, 3]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[must_use]
        #[inline]
        pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
            self.is_contiguous().then(|| {
                // SAFETY: dense, so the `len` elements from the first on are this View's; `self` is borrowed exclusively.
                unsafe { core::slice::from_raw_parts_mut(self.raw.pointer(), self.len()) }
            })
        }
    };
}

pub(super) use {host_reading, host_writing, reading};
