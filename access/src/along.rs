//! The accessor of `view.along::<D>()`: a View of rank 1, read by one component of a witness.

use core::marker::PhantomData;
use core::ops::Index;

use crate::{Idx, Layout, NestedIdx, Right};

use crate::accessor::accessor;
use crate::{AsIndex, CheckedIndex, RawView};

accessor! {
    /// A View of rank 1 that a kernel reads by component `D` of any witness, without a check, and by integers, checked.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AlongAccess, Idx, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, x) = unsafe { (Idx::<2>::new([5, 2]), AlongAccess::<_, 1, Right>::new(raw)) };
    /// // In the iteration with index [5, 2], for the View [1, 4, 9] along dimension 1:
    /// assert_eq!((x[i], x[0]), (9, 1));
    /// ```
    shared AlongAccess<1> [D]
}

impl<'k, T, const D: usize, L: Layout> AlongAccess<'k, T, D, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Component `D` of every witness branded `'k` that has one is in bounds, and nothing writes the View while the
    /// launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, 1, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The element at any index, or `None` if the index is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AlongAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { AlongAccess::<_, 1, Right>::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!((x.get(2), x.get(3)), (Some(&9), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl AsIndex<1>) -> Option<&T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test, and nothing writes the View.
        self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
    }
}

impl<T, const D: usize> AlongAccess<'_, T, D, Right> {
    /// All elements, as a slice.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AlongAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { AlongAccess::<_, 1, Right>::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(x.as_slice(), [1, 4, 9]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: a rank-1 `Right` View is contiguous, and nothing writes it while the launch runs.
        unsafe { core::slice::from_raw_parts(self.raw.pointer(), self.raw.extents()[0]) }
    }
}

impl<'k, T, const R: usize, const D: usize, L: Layout> Index<Idx<'k, R>> for AlongAccess<'k, T, D, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: Idx<'k, R>) -> &T {
        const { assert!(D < R, "`.along::<D>()` takes witnesses of a rank above D") };
        // SAFETY: the launch covers this component of every witness, and nothing writes the View.
        unsafe { &*self.raw.at([index.index()[D]]) }
    }
}

impl<'k, T, const R: usize, const D: usize, L: Layout> Index<NestedIdx<'k, '_, R>>
    for AlongAccess<'k, T, D, L>
{
    type Output = T;
    #[inline(always)]
    fn index(&self, index: NestedIdx<'k, '_, R>) -> &T {
        const { assert!(D < R, "`.along::<D>()` takes witnesses of a rank above D") };
        // SAFETY: the team has compared its loop with the indices that the launch covers, and nothing writes the View.
        unsafe { &*self.raw.at([index.index()[D]]) }
    }
}

impl<T, I: CheckedIndex<1>, const D: usize, L: Layout> Index<I> for AlongAccess<'_, T, D, L> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the accessor's View is allocated, and nothing writes it, while the launch runs.
        unsafe { &*self.raw.at_checked(index.as_index(), self.raw.pointer() as usize) }
    }
}
