//! The accessor of `view.distinct()`: any index, on the caller's word that no two iterations share one.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut, Range};

use crate::{Idx, Layout, NestedIdx, Right};

use crate::accessor::accessor;
use crate::{AsIndex, RawView, failure};

accessor! {
    /// A View that a kernel reads and writes at any index, checked, on the word of whoever launched it that iterations
    /// do not meet.
    exclusive DistinctAccess<R> [R]
}

impl<'k, T, const R: usize, L: Layout> DistinctAccess<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// In the launch branded `'k` no two iterations touch one index, unless all only read it, the View's strides are
    /// injective, and nothing but this accessor and its like in other iterations reaches the View while it runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The element at `index`, or `None` out of bounds.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl AsIndex<R>) -> Option<&T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test; no other iteration writes it, and this one has no `&mut` to it.
        self.raw.contains(index).then(|| unsafe { &*self.raw.at(index) })
    }

    /// The element at `index`, to write it, or `None` out of bounds.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, index: impl AsIndex<R>) -> Option<&mut T> {
        let index = index.as_index();
        // SAFETY: in bounds by the test; no other iteration touches it, and `self` is borrowed alone in this one.
        self.raw.contains(index).then(|| unsafe { &mut *self.raw.at(index) })
    }
}

impl<'k, T> DistinctAccess<'k, T, 1, Right> {
    /// The elements of `range` as a slice to write, or `None` where it leaves the View or ends before it starts.
    ///
    /// To take a slice is to touch every index in it: no other iteration may touch any of them.
    #[inline(always)]
    #[must_use]
    pub fn slice_mut(&mut self, range: Range<usize>) -> Option<&mut [T]> {
        let inside = range.start <= range.end && range.end <= self.raw.extents()[0];
        // SAFETY: in bounds by the test, and contiguous, as `Right` of rank 1 is; no other iteration touches an index in
        // it, and `self` is borrowed alone in this one.
        inside.then(|| unsafe {
            core::slice::from_raw_parts_mut(self.raw.pointer().add(range.start), range.end - range.start)
        })
    }
}

macro_rules! brackets {
    ($([$($generics:tt)*] $rank:tt $index:ty;)*) => {$(
        impl<'k, T, $($generics)* L: Layout> Index<$index> for DistinctAccess<'k, T, $rank, L> {
            type Output = T;
            #[inline(always)]
            #[track_caller]
            fn index(&self, index: $index) -> &T {
                match self.get(index) {
                    Some(element) => element,
                    None => failure::out_of_bounds(self.raw.pointer() as usize, &index.as_index()),
                }
            }
        }

        impl<'k, T, $($generics)* L: Layout> IndexMut<$index> for DistinctAccess<'k, T, $rank, L> {
            #[inline(always)]
            #[track_caller]
            fn index_mut(&mut self, index: $index) -> &mut T {
                let address = self.raw.pointer() as usize;
                match self.get_mut(index) {
                    Some(element) => element,
                    None => failure::out_of_bounds(address, &index.as_index()),
                }
            }
        }
    )*};
}
brackets! {
    [] 1 usize;
    [const R: usize,] R [usize; R];
    [const R: usize,] R Idx<'k, R>;
    [const R: usize,] R NestedIdx<'k, '_, R>;
}
