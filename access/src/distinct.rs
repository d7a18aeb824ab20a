//! The accessor of `view.distinct()`: any index, where the caller guarantees that no two iterations share one.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut, Range};

use crate::accessor::accessor;
use crate::{AsIndex, Layout, RawView, Right, Stride};

accessor! {
    /// A View that a kernel reads and writes at any index, with a bounds check, where the launch's caller guarantees that
    /// iterations use distinct elements.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{DistinctAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let mut y = unsafe { DistinctAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// y[2] = y[0] + 10;
    /// assert_eq!((y[2], y.get(3)), (11, None));
    /// ```
    exclusive DistinctAccess<R> [R]
}

impl<'k, T, const R: usize, L: Layout> DistinctAccess<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// In the launch branded `'k` no two iterations touch one index, unless all only read it, the View's strides are
    /// injective, and only this accessor and those of other iterations access the View while it runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The element at `index`, or `None` if `index` is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{DistinctAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { DistinctAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!((y.get(2), y.get(3)), (Some(&9), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl AsIndex<R>) -> Option<&T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test; no other iteration writes it, and this one has no `&mut` to it.
        self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
    }

    /// A mutable reference to the element at `index`, or `None` if `index` is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{DistinctAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let mut y = unsafe { DistinctAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// if let Some(element) = y.get_mut(2) {
    ///     *element = 7;
    /// }
    /// assert_eq!(y[2], 7);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, index: impl AsIndex<R>) -> Option<&mut T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test; no other iteration touches it, and `self` is borrowed exclusively in this one.
        self.raw.contains(index).then(|| unsafe { &mut *self.raw.at(index) })
    }
}

impl<'k, T, const R: usize> DistinctAccess<'k, T, R, Stride> {
    /// `len` elements from `index` on along a dimension, as a mutable slice; `None` if they leave the View, or do not lie one after the other
    /// in memory.
    ///
    /// A slice counts as an access to all of its elements: no other iteration may access any of them.
    ///
    /// # Panics
    /// If the View has no such dimension.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{DistinctAccess, RawView, Stride};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Stride>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let mut y = unsafe { DistinctAccess::new(raw) };
    /// // For the View [[1, 2, 3], [4, 5, 6]]:
    /// assert_eq!(y.line_mut([1, 1], 1, 2), Some(&mut [5, 6][..]));
    /// assert_eq!(y.line_mut([1, 1], 1, 3), None);
    /// assert_eq!(y.line_mut([0, 1], 0, 2), None);
    /// ```
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn line_mut(&mut self, index: [usize; R], dimension: usize, len: usize) -> Option<&mut [T]> {
        if !self.raw.contains(index) || len > self.raw.extents()[dimension] - index[dimension] {
            return None;
        }
        // SAFETY: `index` is in bounds, and so are those up to `len` further along `dimension`, which lie one after the other; no other
        // iteration touches them, and `self` is borrowed exclusively in this one.
        (self.raw.strides()[dimension] == 1)
            .then(|| unsafe { core::slice::from_raw_parts_mut(self.raw.at(index), len) })
    }
}

impl<'k, T> DistinctAccess<'k, T, 1, Right> {
    /// Whether `range` lies within the View, and does not end before it starts.
    #[inline(always)]
    fn has(&self, range: &Range<usize>) -> bool {
        range.start <= range.end && range.end <= self.raw.extents()[0]
    }

    /// A pointer to the first element, from which the others follow. An access through it counts as one through the accessor, to
    /// the bytes that it touches.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{DistinctAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let mut y = unsafe { DistinctAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// // SAFETY: it has three elements, which this iteration alone touches.
    /// unsafe { y.as_mut_ptr().add(2).write(5) };
    /// assert_eq!(y[2], 5);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.raw.pointer()
    }

    /// The elements of `range` as a slice, or `None` if it leaves the View or ends before it starts.
    ///
    /// A slice counts as an access to all of its elements: other iterations may only read them.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{DistinctAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { DistinctAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.slice(1..3), Some(&[4, 9][..]));
    /// assert_eq!(y.slice(1..4), None);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<&[T]> {
        // SAFETY: in bounds by the test, and contiguous, as `Right` of rank 1 is; no other iteration writes an index in it, and this one has
        // no `&mut` to one.
        self.has(&range).then(|| unsafe {
            core::slice::from_raw_parts(self.raw.pointer().add(range.start), range.end - range.start)
        })
    }

    /// The elements of `range` as a mutable slice, or `None` if it leaves the View or ends before it starts.
    ///
    /// A slice counts as an access to all of its elements: no other iteration may access any of them.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{DistinctAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let mut y = unsafe { DistinctAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.slice_mut(1..3), Some(&mut [4, 9][..]));
    /// assert_eq!(y.slice_mut(1..4), None);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn slice_mut(&mut self, range: Range<usize>) -> Option<&mut [T]> {
        // SAFETY: in bounds by the test, and contiguous, as `Right` of rank 1 is; no other iteration touches an index in
        // it, and `self` is borrowed exclusively in this one.
        self.has(&range).then(|| unsafe {
            core::slice::from_raw_parts_mut(self.raw.pointer().add(range.start), range.end - range.start)
        })
    }
}

impl<T, I: AsIndex<R>, const R: usize, L: Layout> Index<I> for DistinctAccess<'_, T, R, L> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the View is allocated while the launch runs; by the contract of `new` no other iteration touches the element, and `self`
        // is borrowed in this one.
        unsafe { &*self.raw.at_checked(index.as_index(), self.raw.pointer() as usize) }
    }
}

impl<T, I: AsIndex<R>, const R: usize, L: Layout> IndexMut<I> for DistinctAccess<'_, T, R, L> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        // SAFETY: the View is allocated while the launch runs; by the contract of `new` no other iteration touches the element, and `self`
        // is borrowed exclusively in this one.
        unsafe { &mut *self.raw.at_checked(index.as_index(), self.raw.pointer() as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::DistinctAccess;
    use crate::{RawView, Stride};

    #[test]
    fn lines_are_slices_within_the_view() {
        let mut numbers: [usize; 24] = core::array::from_fn(|place| place);
        let raw = RawView::<_, 3, Stride>::new(numbers.as_mut_ptr(), [2, 4, 3], [12, 3, 1]);
        // SAFETY: the last index lies among the numbers, which nothing else uses.
        let mut y = unsafe { DistinctAccess::new(raw) };
        for first in 0..3 {
            for len in 0..=3 - first {
                let line = y.line_mut([1, 1, first], 2, len).expect("within the View");
                assert!(line.iter().copied().eq((first..first + len).map(|k| 15 + k)));
            }
            for len in [4 - first, usize::MAX] {
                assert_eq!(y.line_mut([1, 1, first], 2, len), None);
            }
        }
        // Elements apart from one another, and a first one that the View does not have.
        assert_eq!(y.line_mut([0, 0, 0], 1, 2), None);
        assert_eq!(y.line_mut([2, 0, 0], 2, 1), None);
        assert_eq!(y.line_mut([0, 0, 3], 2, 0), None);
    }
}
