//! Slabs: rows, blocks and segments of a View of any rank and layout, in a kernel.

use core::marker::PhantomData;
use core::ops::{Deref, Index, IndexMut};

use crate::{AsIndex, CheckedIndex, Layout, RawView, Right, failure};

/// The row, block or segment of an iteration: elements that it reads and writes, of any rank and layout.
///
/// It is indexed by plain numbers from its own beginning: `s[j]`, `s[[j, k]]`, checked. The accessors lend it:
/// [`row_mut`](crate::RowsMutAccess::row_mut), [`part_mut`](crate::PartsMutAccess::part_mut).
///
/// # Examples
/// ```
/// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
/// # let mut numbers = [1, 4, 2, 5, 3, 6];
/// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
/// # let mut row = a.row_mut(i);
/// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
/// row[0] = row[1] + row[2];
/// # assert_eq!(numbers, [1, 11, 2, 5, 3, 6]);
/// ```
pub struct Slab<'v, T, const R: usize, L = Right> {
    pub(crate) raw: RawView<T, R, L>,
    /// The View's address, for messages.
    pub(crate) view: usize,
    borrow: PhantomData<&'v mut [T]>,
}

/// A [`Slab`] that is only read.
///
/// # Examples
/// ```
/// # use spelt_access::{Idx, Left, RawView, RowsAccess};
/// # let mut numbers = [1, 4, 2, 5, 3, 6];
/// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, a) = unsafe { (Idx::<1>::new([1]), RowsAccess::new(raw)) };
/// // In the iteration with index 1, for the View [[1, 2, 3], [4, 5, 6]] in layout Left:
/// let row = a.row(i);
/// assert_eq!((row.extent(0), row[2], row.iter().sum::<i32>()), (3, 6, 15));
/// ```
pub struct SlabRef<'v, T, const R: usize, L = Right> {
    /// Lent by reference only, so nothing writes through it.
    slab: Slab<'v, T, R, L>,
}

impl<T, const R: usize, L> Clone for SlabRef<'_, T, R, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self { slab: Slab { raw: self.slab.raw, view: self.slab.view, borrow: PhantomData } }
    }
}

macro_rules! debug {
    ($($name:ident)*) => {$(
        impl<T, const R: usize, L> core::fmt::Debug for $name<'_, T, R, L> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }
    )*};
}
debug!(Slab SlabRef);

impl<T, const R: usize, L: Layout> SlabRef<'_, T, R, L> {
    /// The slab of `raw`, part of the View at the address `view`.
    ///
    /// # Safety
    /// For the slab's lifetime, the elements are initialised memory that nothing writes.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>, view: usize) -> Self {
        Self { slab: Slab { raw, view, borrow: PhantomData } }
    }
}

impl<'v, T, const R: usize, L> Deref for SlabRef<'v, T, R, L> {
    type Target = Slab<'v, T, R, L>;
    #[inline(always)]
    fn deref(&self) -> &Slab<'v, T, R, L> {
        &self.slab
    }
}

impl<T, const R: usize, L: Layout> Slab<'_, T, R, L> {
    /// The slab of `raw`, part of the View at the address `view`.
    ///
    /// # Safety
    /// For the slab's lifetime, the elements are initialised memory that nothing else uses, and their strides are injective.
    #[inline(always)]
    pub(crate) unsafe fn new(raw: RawView<T, R, L>, view: usize) -> Self {
        Self { raw, view, borrow: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// assert_eq!(row.extent(0), 3);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn extent(&self, dimension: usize) -> usize {
        self.raw.extents()[dimension]
    }

    /// The element at `index`, or `None` if `index` is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// assert_eq!((row.get(2), row.get(3)), (Some(&6), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl AsIndex<R>) -> Option<&T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test; nothing writes the element while `self` is borrowed.
        self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
    }

    /// A mutable reference to the element at `index`, or `None` if `index` is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// if let Some(element) = row.get_mut(2) {
    ///     *element = 7;
    /// }
    /// assert_eq!((row[2], row.get_mut(3)), (7, None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, index: impl AsIndex<R>) -> Option<&mut T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test; nothing else uses the element while `self` is borrowed exclusively.
        self.raw.contains(index).then(|| unsafe { &mut *self.raw.at(index) })
    }

    /// All elements in the order of memory, if they are contiguous.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, RawView, Right, RowsMutAccess};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    /// # let raw = RawView::<_, 3, Right>::new(numbers.as_mut_ptr(), [2, 2, 2], [4, 2, 1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut slab = a.row_mut(i);
    /// // For the second slab of the View [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]:
    /// assert_eq!(slab.as_slice(), Some(&[5, 6, 7, 8][..]));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> Option<&[T]> {
        // SAFETY: the strides are those of a dense array, so there are `len` elements from the first; nothing writes them
        // while `self` is borrowed.
        self.is_dense().then(|| unsafe { core::slice::from_raw_parts(self.raw.pointer(), self.raw.len()) })
    }

    /// All elements in the order of memory, mutable, if they are contiguous.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, RawView, Right, RowsMutAccess};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    /// # let raw = RawView::<_, 3, Right>::new(numbers.as_mut_ptr(), [2, 2, 2], [4, 2, 1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut slab = a.row_mut(i);
    /// // For the second slab of the View [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]:
    /// if let Some(elements) = slab.as_mut_slice() {
    ///     elements.reverse();
    /// }
    /// assert_eq!(slab[[0, 1]], 7);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        // SAFETY: the strides are those of a dense array, so there are `len` elements from the first; nothing else uses them
        // while `self` is borrowed exclusively.
        self.is_dense()
            .then(|| unsafe { core::slice::from_raw_parts_mut(self.raw.pointer(), self.raw.len()) })
    }

    /// Sets every element to `value`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// row.fill(0);
    /// # assert_eq!(numbers, [1, 0, 2, 0, 3, 0]);
    /// ```
    #[inline(always)]
    pub fn fill(&mut self, value: T)
    where
        T: Copy,
    {
        match self.as_mut_slice() {
            Some(elements) => elements.fill(value),
            // SAFETY: the elements are allocated for the slab's lifetime, and nothing else uses them while `self` is borrowed exclusively.
            None => self.places().for_each(|place| unsafe { *place = value }),
        }
    }

    /// The place of each element, in the order of the indices.
    #[inline(always)]
    fn places(&self) -> impl ExactSizeIterator<Item = *mut T> + use<T, R, L> {
        let raw = self.raw;
        let mut next = [0; R];
        (0..raw.len()).map(move |_| {
            // SAFETY: in bounds, since the index after the last one is not used, and the elements are allocated for the slab's lifetime.
            let place = unsafe { raw.at(next) };
            for dimension in (0..R).rev() {
                next[dimension] += 1;
                if next[dimension] < raw.extents()[dimension] {
                    break;
                }
                next[dimension] = 0;
            }
            place
        })
    }

    /// The element at `index`, which is checked.
    #[inline(always)]
    #[track_caller]
    fn at_checked(&self, index: [usize; R]) -> *mut T {
        // Not by an `Option` of a reference: the compiler would test its pointer for null.
        if !self.raw.contains(index) {
            failure::beyond_slab(self.view, index, self.raw.extents(), [0; R]);
        }
        // SAFETY: in bounds by the test, and the elements are allocated for the slab's lifetime.
        unsafe { self.raw.at(index) }
    }

    #[inline(always)]
    fn is_dense(&self) -> bool {
        L::strides(self.raw.extents()) == self.raw.strides()
    }
}

impl<'v, T, L: Layout> Slab<'v, T, 1, L> {
    /// The number of elements.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// assert_eq!(row.len(), 3);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.raw.extents()[0]
    }

    /// Whether there are no elements.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// assert!(!row.is_empty());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in order, without a check.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// assert_eq!(row.iter().sum::<i32>(), 15);
    /// ```
    #[inline(always)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> + DoubleEndedIterator {
        // SAFETY: in bounds; nothing writes the elements while `self` is borrowed.
        (0..self.len()).map(|index| unsafe { &*self.raw.at([index]) })
    }

    /// The elements in order, mutable, without a check.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// for element in row.iter_mut() {
    ///     *element *= 10;
    /// }
    /// assert_eq!((row[0], row[2]), (40, 60));
    /// ```
    #[inline(always)]
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> + DoubleEndedIterator {
        let raw = self.raw;
        // SAFETY: in bounds; nothing else uses the elements while `self` is borrowed exclusively, and each is lent once, because
        // the strides are injective.
        (0..self.len()).map(move |index| unsafe { &mut *raw.at([index]) })
    }

    /// The first `N` elements, with one check for all of them: `let [x, y, z] = f.row_mut(i).into_elements();`.
    ///
    /// # Panics
    /// If there are fewer.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, Left, RawView, RowsMutAccess};
    /// # let mut numbers = [1, 4, 2, 5, 3, 6];
    /// # let raw = RawView::<_, 2, Left>::new(numbers.as_mut_ptr(), [2, 3], [1, 2]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
    /// # let mut row = a.row_mut(i);
    /// // For row 1 of the View [[1, 2, 3], [4, 5, 6]] in layout Left:
    /// let [x, y, z] = row.into_elements();
    /// *z = *x + *y;
    /// assert_eq!(numbers, [1, 4, 2, 5, 3, 9]);
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn into_elements<const N: usize>(self) -> [&'v mut T; N] {
        if N > self.len() {
            failure::beyond_slab(self.view, [N - 1], self.raw.extents(), [0]);
        }
        // SAFETY: in bounds by the test; nothing else uses the elements for `'v`, since `self` is gone, and each is lent once, because
        // the strides are injective.
        core::array::from_fn(|index| unsafe { &mut *self.raw.at([index]) })
    }
}

macro_rules! rows {
    ($($rank:literal $less:literal)*) => {$(
        impl<T, L: Layout> Slab<'_, T, $rank, L> {
            /// The elements in the order of the indices, the last index fastest, without a check.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{Idx, RawView, Right, RowsMutAccess};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6, 7, 8];
            /// # let raw = RawView::<_, 3, Right>::new(numbers.as_mut_ptr(), [2, 2, 2], [4, 2, 1]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
            /// # let slab = a.row_mut(i);
            /// // For the second slab of the View [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]:
            /// assert_eq!(slab.iter().sum::<i32>(), 26);
            /// ```
            #[inline(always)]
            pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
                // SAFETY: the elements are allocated for the slab's lifetime, and nothing writes them while `self` is borrowed.
                self.places().map(|place| unsafe { &*place })
            }

            /// The elements in the order of the indices, the last index fastest, mutable, without a check.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{Idx, RawView, Right, RowsMutAccess};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6, 7, 8];
            /// # let raw = RawView::<_, 3, Right>::new(numbers.as_mut_ptr(), [2, 2, 2], [4, 2, 1]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
            /// # let mut slab = a.row_mut(i);
            /// // For the second slab of the View [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]:
            /// slab.iter_mut().for_each(|element| *element *= 10);
            /// assert_eq!(slab[[1, 0]], 70);
            /// ```
            #[inline(always)]
            pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> {
                // SAFETY: the elements are allocated for the slab's lifetime, nothing else uses them while `self` is borrowed exclusively,
                // and each is lent once, because the strides are injective.
                self.places().map(|place| unsafe { &mut *place })
            }

            /// Row `row`: the elements with this first index.
            ///
            /// # Panics
            /// If there is no such row.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{Idx, RawView, Right, RowsMutAccess};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6, 7, 8];
            /// # let raw = RawView::<_, 3, Right>::new(numbers.as_mut_ptr(), [2, 2, 2], [4, 2, 1]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
            /// # let slab = a.row_mut(i);
            /// // For the second slab of the View [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]:
            /// assert_eq!(slab.row(0)[1], 6);
            /// ```
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn row(&self, row: impl AsIndex<1>) -> SlabRef<'_, T, $less, L::Rest> {
                // SAFETY: nothing writes the elements while `self` is borrowed.
                unsafe { SlabRef::new(self.checked_row(row.as_index()), self.view) }
            }

            /// Row `row`, mutable: the elements with this first index.
            ///
            /// # Panics
            /// If there is no such row.
            ///
            /// # Examples
            /// ```
            /// # use spelt_access::{Idx, RawView, Right, RowsMutAccess};
            /// # let mut numbers = [1, 2, 3, 4, 5, 6, 7, 8];
            /// # let raw = RawView::<_, 3, Right>::new(numbers.as_mut_ptr(), [2, 2, 2], [4, 2, 1]);
            /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
            /// # let (i, mut a) = unsafe { (Idx::<1>::new([1]), RowsMutAccess::new(raw)) };
            /// # let mut slab = a.row_mut(i);
            /// // For the second slab of the View [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]:
            /// slab.row_mut(0)[1] = 9;
            /// assert_eq!(slab[[0, 1]], 9);
            /// ```
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn row_mut(&mut self, row: impl AsIndex<1>) -> Slab<'_, T, $less, L::Rest> {
                // SAFETY: nothing else uses the elements while `self` is borrowed exclusively; a part of injective strides is
                // injective.
                unsafe { Slab::new(self.checked_row(row.as_index()), self.view) }
            }

            #[inline(always)]
            #[track_caller]
            fn checked_row(&self, [row]: [usize; 1]) -> RawView<T, $less, L::Rest> {
                if row >= self.raw.extents()[0] {
                    let mut place = [0; $rank];
                    place[0] = row;
                    failure::beyond_slab(self.view, place, self.raw.extents(), [0; $rank]);
                }
                self.raw.at_first(row)
            }
        }
    )*};
}
rows!(2 1 3 2 4 3 5 4 6 5 7 6 8 7);

impl<T, I: CheckedIndex<R>, const R: usize, L: Layout> Index<I> for Slab<'_, T, R, L> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the elements are allocated for the slab's lifetime, and nothing writes them while `self` is borrowed.
        unsafe { &*self.at_checked(index.as_index()) }
    }
}

impl<T, I: CheckedIndex<R>, const R: usize, L: Layout> IndexMut<I> for Slab<'_, T, R, L> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        // SAFETY: the elements are allocated for the slab's lifetime, and nothing else uses them while `self` is borrowed exclusively.
        unsafe { &mut *self.at_checked(index.as_index()) }
    }
}
