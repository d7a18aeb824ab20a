//! `partial()` and `partial_mut()` of a View with an origin: it may have fewer indices than the launch.

use core::ops::{Index, IndexMut};

use super::{OriginAccess, OriginWitness, from_zero, signed};
use crate::{Idx, Layout, NestedIdx, PartialAccess, PartialMutAccess, RawView, SignedIdx, failure};

impl<'k, T, const R: usize, L: Layout> OriginAccess<PartialMutAccess<'k, T, R, L>, R> {
    /// The witness's element, or `None` if the View does not have this index.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, OriginAccess, PartialMutAccess, RawView, Right, SignedIdx};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there are two iterations in turn, and nothing else uses the numbers.
    /// # let (i, j) = unsafe { (SignedIdx::<1>::new([-1]), SignedIdx::<1>::new([2])) };
    /// # // SAFETY: the accessor checks every index, and nothing else uses the numbers.
    /// # let y = unsafe { OriginAccess::new(PartialMutAccess::new(raw), [-1]) };
    /// // For the View [1, 4, 9] from the origin [-1], in the iterations with the indices -1 and 2:
    /// assert_eq!((y.get(i), y.get(j)), (Some(&1), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: impl OriginWitness<'k, R>) -> Option<&T> {
        // SAFETY: the accessor checks the result, and no other witness minus the origin is the same.
        self.access.get(unsafe { index.minus(self.origin) })
    }

    /// A mutable reference to the witness's element, or `None` if the View does not have this index.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, OriginAccess, PartialMutAccess, RawView, Right, SignedIdx};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there are two iterations in turn, and nothing else uses the numbers.
    /// # let (i, j) = unsafe { (SignedIdx::<1>::new([-1]), SignedIdx::<1>::new([2])) };
    /// # // SAFETY: the accessor checks every index, and nothing else uses the numbers.
    /// # let mut y = unsafe { OriginAccess::new(PartialMutAccess::new(raw), [-1]) };
    /// // For the View [1, 4, 9] from the origin [-1], in the iterations with the indices -1 and 2:
    /// if let Some(element) = y.get_mut(i) {
    ///     *element = 7;
    /// }
    /// assert_eq!((y[i], y.get_mut(j)), (7, None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, index: impl OriginWitness<'k, R>) -> Option<&mut T> {
        // SAFETY: the accessor checks the result, and no other witness minus the origin is the same.
        self.access.get_mut(unsafe { index.minus(self.origin) })
    }
}

/// `index` counted from `origin`, in bounds of `raw`.
#[inline(always)]
#[track_caller]
fn checked<T, const R: usize, L: Layout>(
    raw: &RawView<T, R, L>,
    origin: [isize; R],
    index: [isize; R],
) -> [usize; R] {
    let place = from_zero(index, origin);
    if !raw.contains(place) {
        failure::beyond(raw.pointer() as usize, from_zero(index, [0; R]));
    }
    place
}

macro_rules! brackets {
    ($($access:ident [$($life:tt)*] $witness:ty, |$index:ident| $shown:expr;)*) => {$(
        impl<'k, $($life)* T, const R: usize, L: Layout> Index<$witness> for OriginAccess<$access<'k, T, R, L>, R> {
            type Output = T;
            #[inline(always)]
            #[track_caller]
            fn index(&self, $index: $witness) -> &T {
                let raw = &self.access.raw;
                let place = checked(raw, self.origin, $shown);
                // SAFETY: `checked` is in bounds; nothing writes the View, or only this iteration, which holds the witness.
                unsafe { &*raw.at(place) }
            }
        }
    )*};
}
brackets! {
    PartialAccess [] Idx<'k, R>, |index| signed(index.index());
    PartialAccess ['j,] NestedIdx<'k, 'j, R>, |index| signed(index.index());
    PartialAccess [] SignedIdx<'k, R>, |index| index.index();
    PartialMutAccess [] Idx<'k, R>, |index| signed(index.index());
    PartialMutAccess ['j,] NestedIdx<'k, 'j, R>, |index| signed(index.index());
    PartialMutAccess [] SignedIdx<'k, R>, |index| index.index();
}

macro_rules! mutable_brackets {
    ($([$($life:tt)*] $witness:ty, |$index:ident| $shown:expr;)*) => {$(
        impl<'k, $($life)* T, const R: usize, L: Layout> IndexMut<$witness> for OriginAccess<PartialMutAccess<'k, T, R, L>, R> {
            #[inline(always)]
            #[track_caller]
            fn index_mut(&mut self, $index: $witness) -> &mut T {
                let raw = &self.access.raw;
                let place = checked(raw, self.origin, $shown);
                // SAFETY: `checked` is in bounds, and only this iteration holds the witness; no other minus the origin is the same, and the
                // strides are injective.
                unsafe { &mut *raw.at(place) }
            }
        }
    )*};
}
mutable_brackets! {
    [] Idx<'k, R>, |index| signed(index.index());
    ['j,] NestedIdx<'k, 'j, R>, |index| signed(index.index());
    [] SignedIdx<'k, R>, |index| index.index();
}
