//! The accessor of `view.lookup()`: a table, read anywhere.

use core::marker::PhantomData;
use core::ops::Index;

use crate::{Layout, Right, Stride};

use crate::accessor::accessor;
use crate::{AsIndex, BoxRef, CheckedIndex, LineRef, RawView, failure};

accessor! {
    /// A View that a kernel reads at any index, with a bounds check, for any range.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!((t[2], t.get(3)), (9, None));
    /// ```
    shared LookupAccess<R> [R]
}

impl<'k, T, const R: usize, L: Layout> LookupAccess<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Nothing writes the View while the launch branded `'k` runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        // SAFETY: nothing writes the View while the launch runs, by the contract of this function.
        Self { raw: unsafe { raw.unwritten() }, brand: PhantomData }
    }

    /// The element at `index`, or `None` if `index` is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!((t.get(2), t.get([3])), (Some(&9), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl AsIndex<R>) -> Option<&T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test, and nothing writes the View.
        self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
    }

    /// The elements from `index` on along `dimension`, to the end of the extent.
    ///
    /// Bounds are checked once, by this function.
    ///
    /// # Panics
    /// If `index` is out of bounds, or there is no such dimension.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // For the View [[1, 2, 3], [4, 5, 6]]:
    /// assert!(t.line([0, 1], 0).iter().eq(&[2, 5]));
    /// assert!(t.line([1, 1], 1).iter().eq(&[5, 6]));
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn line(&self, index: impl AsIndex<R>, dimension: usize) -> LineRef<'_, T> {
        let index = index.as_index();
        // SAFETY: the accessor's View is allocated while the launch runs.
        let first = unsafe { self.raw.at_checked(index, self.raw.pointer() as usize) };
        let stride = if L::unit_dimension(R) == Some(dimension) { 1 } else { self.raw.strides()[dimension] };
        let len = self.raw.extents()[dimension] - index[dimension];
        // SAFETY: `index` is in bounds, and so is every index with a larger component up to the extent; nothing writes the
        // View while the launch runs.
        unsafe { LineRef::new(first, stride, len) }
    }
}

impl<T, const R: usize> LookupAccess<'_, T, R, Stride> {
    /// The elements from `index` on, as many along each of two dimensions as these pairs say, as one slice; `None` unless they lie one after
    /// the other in memory, the second dimension first.
    ///
    /// # Panics
    /// If one of them is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Stride};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Stride>::new(numbers.as_mut_ptr(), [3, 2], [2, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // For the View [[1, 2], [3, 4], [5, 6]]:
    /// assert_eq!(t.dense([1, 0], [(0, 2), (1, 2)]), Some(&[3, 4, 5, 6][..]));
    /// assert_eq!(t.dense([1, 0], [(0, 2), (1, 1)]), None);
    /// ```
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn dense(&self, index: [usize; R], [outer, inner]: [(usize, usize); 2]) -> Option<&[T]> {
        let strides = self.raw.strides();
        if outer.1 == 0 || inner.1 == 0 || outer.0 == inner.0 {
            return None;
        }
        if strides[inner.0] != 1 || strides[outer.0] != inner.1 {
            return None;
        }
        let first = self.box_from(index, [outer, inner]).as_ptr();
        // SAFETY: all elements of the box are in bounds. By the strides, these are the elements from the first on, as many as the product,
        // which therefore does not overflow. Nothing writes the View while the launch runs.
        Some(unsafe { core::slice::from_raw_parts(first, outer.1 * inner.1) })
    }

    /// The elements from `index` on, as many along each of `N` dimensions as these pairs say; the last pair has the lines.
    ///
    /// Bounds are checked once, by this function.
    ///
    /// # Panics
    /// If an element is out of bounds, or there is none.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Stride};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Stride>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // For the View [[1, 2, 3], [4, 5, 6]]:
    /// let columns = t.box_from([0, 1], [(1, 2), (0, 2)]);
    /// // SAFETY: the box has two columns of two elements.
    /// assert_eq!(unsafe { *columns.get_unchecked([1, 0]) }, 3);
    /// ```
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn box_from<const N: usize>(
        &self,
        index: [usize; R],
        dimensions: [(usize, usize); N],
    ) -> BoxRef<'_, T, N> {
        let mut last = index;
        for (dimension, count) in dimensions {
            assert!(count > 0, "a box without elements");
            last[dimension] = last[dimension].saturating_add(count - 1);
        }
        // SAFETY: the accessor's View is allocated while the launch runs.
        let first = unsafe {
            self.raw.at_checked(last, self.raw.pointer() as usize);
            self.raw.at_checked(index, self.raw.pointer() as usize)
        };
        let strides = dimensions.map(|(dimension, _)| self.raw.strides()[dimension]);
        // SAFETY: first and last index are in bounds, and so is every index between them; nothing writes the View while the launch runs.
        unsafe { BoxRef::new(first, dimensions.map(|(_, count)| count), strides) }
    }
}

impl<T> LookupAccess<'_, T, 1, Right> {
    /// All elements, as a slice.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(t.as_slice(), [1, 4, 9]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: a rank-1 `Right` View is contiguous, and nothing writes it while the launch runs.
        unsafe { core::slice::from_raw_parts(self.raw.pointer(), self.raw.extents()[0]) }
    }
}

impl<T> LookupAccess<'_, T, 2, Right> {
    /// Row `row` as a slice.
    ///
    /// # Panics
    /// If there is no such row.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // For the View [[1, 2, 3], [4, 5, 6]]:
    /// assert_eq!(t.row(1), [4, 5, 6]);
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn row(&self, row: impl AsIndex<1>) -> &[T] {
        let [row] = row.as_index();
        if row >= self.raw.extents()[0] {
            failure::out_of_bounds(self.raw.pointer() as usize, &[row, 0]);
        }
        // SAFETY: there is such a row, and nothing writes it while the launch runs.
        unsafe { &*self.raw.row(row) }
    }
}

impl<T, I: CheckedIndex<R>, const R: usize, L: Layout> Index<I> for LookupAccess<'_, T, R, L> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the accessor's View is allocated, and nothing writes it, while the launch runs.
        unsafe { &*self.raw.at_checked(index.as_index(), self.raw.pointer() as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `0..24` as a View with these extents and strides.
    fn with<const R: usize, O>(
        extents: [usize; R],
        strides: [usize; R],
        check: impl FnOnce(LookupAccess<'_, usize, R, Stride>) -> O,
    ) -> O {
        let mut numbers: [usize; 24] = core::array::from_fn(|place| place);
        // SAFETY: the callers' last index lies among the numbers, which nothing writes.
        check(unsafe { LookupAccess::new(RawView::new(numbers.as_mut_ptr(), extents, strides)) })
    }

    #[test]
    fn dense_parts_are_slices_and_others_are_not() {
        with([2, 3, 4], [12, 4, 1], |x| {
            assert_eq!(x.dense([1, 1, 0], [(1, 2), (2, 4)]), Some(&[16, 17, 18, 19, 20, 21, 22, 23][..]));
            // Parts of rows, rows that lie apart, the dimensions exchanged, the same one twice, nothing.
            assert_eq!(x.dense([1, 1, 0], [(1, 2), (2, 3)]), None);
            assert_eq!(x.dense([0, 1, 0], [(0, 2), (2, 4)]), None);
            assert_eq!(x.dense([0, 0, 0], [(2, 4), (1, 3)]), None);
            assert_eq!(x.dense([0, 0, 0], [(2, 1), (2, 1)]), None);
            assert_eq!(x.dense([1, 1, 0], [(1, 0), (2, 4)]), None);
        });
        with([4, 4], [5, 1], |x| assert_eq!(x.dense([0, 0], [(0, 4), (1, 4)]), None));
    }

    #[test]
    #[should_panic(expected = "index [1, 3, 3] is out of bounds")]
    fn dense_parts_end_within_the_view() {
        with([2, 3, 4], [12, 4, 1], |x| x.dense([1, 1, 0], [(1, 3), (2, 4)]).map(<[usize]>::len));
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn dense_parts_of_any_length_end_within_the_view() {
        // More elements than memory has, and no element of another View in between.
        with([2, 3, 4], [12, 4, 1], |x| x.dense([0, 0, 1], [(1, usize::MAX), (2, 4)]).map(<[usize]>::len));
    }
}
