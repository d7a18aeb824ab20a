//! The accessors of `view.partial()` and `view.partial_mut()`: Views that may be smaller than the range.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use crate::accessor::accessor;
use crate::{AsIndex, CheckedIndex, Idx, Layout, NestedIdx, RawView, Witness};

accessor! {
    /// A View that may be smaller than the range, which a kernel reads by witness or by integers, with a bounds check.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, PartialAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, and nothing else uses the numbers.
    /// # let (i, x) = unsafe { (Idx::<1>::new([3]), PartialAccess::new(raw)) };
    /// // In the iteration with index 3, for the View [1, 4, 9]:
    /// assert_eq!(x.get(i), None);
    /// ```
    shared PartialAccess<R> [R]
}
accessor! {
    /// A View that may be smaller than the range, which a kernel writes by witness, with a bounds check.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, PartialMutAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut y) = unsafe { (Idx::<1>::new([1]), PartialMutAccess::new(raw)) };
    /// // In the iteration with index 1, for the View [1, 4, 9]:
    /// if let Some(element) = y.get_mut(i) {
    ///     *element += 10;
    /// }
    /// assert_eq!(y[i], 14);
    /// ```
    exclusive PartialMutAccess<R> [R]
}

impl<'k, T, const R: usize, L: Layout> PartialAccess<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Nothing writes the View while the launch branded `'k` runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The element at the witness or any other index, or `None` if it is beyond the View's end.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, PartialAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, x) = unsafe { (Idx::<1>::new([1]), PartialAccess::new(raw)) };
    /// // In the iteration with index 1, for the View [1, 4, 9]:
    /// assert_eq!((x.get(i), x.get(i + 2)), (Some(&4), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl AsIndex<R>) -> Option<&T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test, and nothing writes the View.
        self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
    }
}

impl<'k, T, const R: usize, L: Layout> PartialMutAccess<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// No two iterations that may run at the same time hold the same witness branded `'k`, the View's strides are
    /// injective, and only this accessor and those of other iterations access the View.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The witness's element, or `None` if it is beyond the View's end.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, PartialMutAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, y) = unsafe { (Idx::<1>::new([1]), PartialMutAccess::new(raw)) };
    /// // In the iteration with index 1, for the View [1, 4, 9]:
    /// assert_eq!(y.get(i), Some(&4));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl Witness<'k, R>) -> Option<&T> {
        let index = index.position();
        // SAFETY: in bounds by the test, and only this iteration holds the witness.
        self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
    }

    /// A mutable reference to the witness's element, or `None` if it is beyond the View's end.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, PartialMutAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, mut y) = unsafe { (Idx::<1>::new([1]), PartialMutAccess::new(raw)) };
    /// // In the iteration with index 1, for the View [1, 4, 9]:
    /// *y.get_mut(i).expect("the View has an element for this iteration") = 5;
    /// assert_eq!(y[i], 5);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, index: impl Witness<'k, R>) -> Option<&mut T> {
        let index = index.position();
        // SAFETY: in bounds by the test, and only this iteration holds the witness; the strides are injective, so no
        // other index has this element.
        self.raw.contains(index).then(|| unsafe { &mut *self.raw.at(index) })
    }
}

/// Two witnesses and one generic implementation for numbers: [`CheckedIndex`] has the reason.
macro_rules! brackets {
    ($([$($generics:tt)*] $index:ty;)*) => {$(
        impl<'k, T, $($generics)* const R: usize, L: Layout> Index<$index> for PartialAccess<'k, T, R, L> {
            type Output = T;
            #[inline(always)]
            #[track_caller]
            fn index(&self, index: $index) -> &T {
                // SAFETY: the View is allocated, and nothing writes it, while the launch runs.
                unsafe { &*self.raw.at_checked(index.as_index(), self.raw.pointer() as usize) }
            }
        }
    )*};
}
brackets! {
    [] Idx<'k, R>;
    [] NestedIdx<'k, '_, R>;
    [I: CheckedIndex<R>,] I;
}

impl<'k, T, I: Witness<'k, R>, const R: usize, L: Layout> Index<I> for PartialMutAccess<'k, T, R, L> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the View is allocated while the launch runs, and only this iteration, which holds the witness, writes the element.
        unsafe { &*self.raw.at_checked(index.position(), self.raw.pointer() as usize) }
    }
}

impl<'k, T, I: Witness<'k, R>, const R: usize, L: Layout> IndexMut<I> for PartialMutAccess<'k, T, R, L> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        // SAFETY: the View is allocated while the launch runs, and only this iteration holds the witness; the strides are injective, so
        // no other index has this element.
        unsafe { &mut *self.raw.at_checked(index.position(), self.raw.pointer() as usize) }
    }
}
