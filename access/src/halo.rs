//! The accessor of `view.halo::<H>()`: an element and its neighbours, without a check.

use core::marker::PhantomData;
use core::ops::Index;

use crate::{Idx, Layout, NestedIdx};

use crate::accessor::accessor;
use crate::{AsIndex, RawView, Witness, failure};

accessor! {
    /// A View that a kernel reads at a witness and up to `H` places around it.
    ///
    /// Neither `x[i]` nor `x.at(i, [-1, 0])` checks a bound: the launch has compared the range, grown by `H` on every
    /// side, with the extents.
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

    /// The element `offset` away from the witness.
    ///
    /// The one check is of the offset against `H`, and a constant offset leaves none of it.
    ///
    /// # Panics
    /// If the offset exceeds `H` in a dimension, either way.
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

    /// The element at any index, or `None` out of bounds.
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
