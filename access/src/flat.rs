//! Views that loops over all lanes of a team write.

use core::{
    fmt,
    marker::PhantomData,
    ops::{Index, IndexMut},
};

use crate::{FlatIdx, Layout, Right};

use crate::{RawView, access::Brand};

/// A rank-2 View that a kernel writes in `team_vector_range` loops of teams with vector lanes: `a.flat()`.
///
/// It can be indexed only by a [`FlatIdx`], without a check.
///
/// # Examples
/// ```
/// # use spelt_access::{Flat, FlatIdx, RawView, Right};
/// # let mut numbers = [1, 2, 3, 4];
/// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 2], [2, 1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (w, mut a) = unsafe { (FlatIdx::new([1, 0]), Flat::new(raw)) };
/// // In the team with league index 1, in its iteration 0, for the View [[1, 2], [3, 4]]:
/// a[w] += 10;
/// assert_eq!(a[w], 13);
/// ```
pub struct Flat<'k, T, L = Right> {
    raw: RawView<T, 2, L>,
    brand: Brand<'k, T>,
}

impl<T, L> fmt::Debug for Flat<'_, T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Flat { .. }")
    }
}

impl<T, L: Layout> Flat<'_, T, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// As for [`Mut::new`](crate::Mut::new), for flat witnesses.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, 2, L>) -> Self {
        Self { raw, brand: PhantomData }
    }
}

impl<'k, 'j, T, L: Layout> Index<FlatIdx<'k, 'j>> for Flat<'k, T, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: FlatIdx<'k, 'j>) -> &T {
        // SAFETY: the team has compared its loop with the indices that the launch covers; one lane owns the witness.
        unsafe { &*self.raw.at(index.get()) }
    }
}

impl<'k, 'j, T, L: Layout> IndexMut<FlatIdx<'k, 'j>> for Flat<'k, T, L> {
    #[inline(always)]
    fn index_mut(&mut self, index: FlatIdx<'k, 'j>) -> &mut T {
        // SAFETY: the team has compared its loop with the indices that the launch covers; one lane owns the witness, and the
        // strides are injective, so no other index has this element.
        unsafe { &mut *self.raw.at(index.get()) }
    }
}
