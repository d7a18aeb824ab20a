//! The accessor of `view.halo::<H>()`: an element and its neighbours, without a check.

use core::marker::PhantomData;
use core::ops::Index;

use crate::{Idx, Layout, NestedIdx};

use crate::accessor::accessor;
use crate::{AsIndex, RawView, Witness, failure};

accessor! {
    /// A View that a kernel reads at a witness and at offsets up to `H` in each dimension.
    ///
    /// Neither `x[i]` nor `x.at(i, [-1, 0])` checks bounds: the launch has compared the range, extended by `H` on every
    /// side, with the extents.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{HaloAccess, Idx, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, x) = unsafe { (Idx::<1>::new([1]), HaloAccess::<_, 1, 1, Right>::new(raw)) };
    /// // In the iteration with index 1, for the View [1, 4, 9]:
    /// assert_eq!((x.at(i, [-1]), x[i], x.at(i, [1])), (1, 4, 9));
    /// ```
    shared HaloAccess<R> [R H]
}

impl<'k, T, const R: usize, const H: usize, L: Layout> HaloAccess<'k, T, R, H, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Every witness branded `'k`, moved by at most `H` in any dimensions, is in bounds, and nothing writes the View
    /// while the launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The element at distance `offset` from the witness.
    ///
    /// Only the offset is checked, against `H`; for a constant offset the compiler removes the check.
    ///
    /// # Panics
    /// If the offset exceeds `H` in a dimension, in either direction.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{HaloAccess, Idx, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, x) = unsafe { (Idx::<1>::new([1]), HaloAccess::<_, 1, 1, Right>::new(raw)) };
    /// // In the iteration with index 1, for the View [1, 4, 9]:
    /// assert_eq!(x.at(i, [-1]) + x.at(i, [1]), 10);
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn at(&self, index: impl Witness<'k, R>, offset: [isize; R]) -> T
    where
        T: Copy,
    {
        let mut place = index.position();
        let mut inside = true;
        let mut dimension = 0;
        while dimension < R {
            inside &= offset[dimension].unsigned_abs() <= H;
            place[dimension] = place[dimension].wrapping_add_signed(offset[dimension]);
            dimension += 1;
        }
        if !inside {
            failure::beyond_halo(self.raw.pointer() as usize, &offset, H);
        }
        // SAFETY: the launch covers the witness with `H` places around it, the offset is no larger, and nothing writes
        // the View.
        unsafe { *self.raw.at(place) }
    }

    /// The element at any index, or `None` if the index is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{HaloAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { HaloAccess::<_, 1, 1, Right>::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!((x.get(0), x.get(3)), (Some(&1), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl AsIndex<R>) -> Option<&T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test, and nothing writes the View.
        self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
    }
}

impl<'k, T, const R: usize, const H: usize, L: Layout> Index<Idx<'k, R>> for HaloAccess<'k, T, R, H, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: Idx<'k, R>) -> &T {
        // SAFETY: the launch covers the witness, and nothing writes the View.
        unsafe { &*self.raw.at(index.index()) }
    }
}

impl<'k, T, const R: usize, const H: usize, L: Layout> Index<NestedIdx<'k, '_, R>>
    for HaloAccess<'k, T, R, H, L>
{
    type Output = T;
    #[inline(always)]
    fn index(&self, index: NestedIdx<'k, '_, R>) -> &T {
        // SAFETY: the team has compared its loop with what the launch covers, and nothing writes the View.
        unsafe { &*self.raw.at(index.index()) }
    }
}
