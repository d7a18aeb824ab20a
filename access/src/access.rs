//! The accessors of plain View arguments: [`Ref`] for `&View`, [`Mut`] for `&mut View`.

use core::{
    fmt,
    marker::PhantomData,
    ops::{Index, IndexMut},
};

use crate::{Idx, Layout, NestedIdx, Right};

use crate::{RawView, failure};

/// Invariant in `'k`: an accessor belongs to the iterations of one launch.
///
/// It leaves `Send` and `Sync` to the raw View, so a kernel may pass its accessors on to launches nested in it.
pub(crate) type Brand<'k, T> = PhantomData<(fn(&'k ()) -> &'k (), fn() -> T)>;

/// A View that a kernel reads.
///
/// A witness of the View's rank indexes it without a check; any `usize` (rank 1) or `[usize; R]` does so with
/// one, and panics out of bounds.
pub struct Ref<'k, T, const R: usize, L = Right> {
    raw: RawView<T, R, L>,
    brand: Brand<'k, T>,
}

/// A View that a kernel writes.
///
/// A witness of the View's rank indexes it without a check, and nothing else does: another iteration may be
/// writing any other element.
pub struct Mut<'k, T, const R: usize, L = Right> {
    raw: RawView<T, R, L>,
    brand: Brand<'k, T>,
}

impl<T, const R: usize, L> fmt::Debug for Ref<'_, T, R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ref { .. }")
    }
}

impl<T, const R: usize, L> fmt::Debug for Mut<'_, T, R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mut { .. }")
    }
}

impl<T, const R: usize, L> Clone for Ref<'_, T, R, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L> Copy for Ref<'_, T, R, L> {}

impl<'k, T, const R: usize, L: Layout> Ref<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// The launch covers every witness branded `'k`, and nothing writes the View while the launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    #[inline(always)]
    pub fn extent(&self, dimension: usize) -> usize {
        self.raw.extents()[dimension]
    }

    /// The element at `index`, or `None` out of bounds.
    #[inline(always)]
    pub fn get(&self, index: [usize; R]) -> Option<&T> {
        if self.raw.contains(index) {
            // SAFETY: in bounds by the test above, and read only for the launch.
            Some(unsafe { &*self.raw.at(index) })
        } else {
            None
        }
    }
}

impl<'k, T> Ref<'k, T, 1, Right> {
    /// All elements, as a slice.
    #[inline(always)]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: a rank-1 `Right` View is contiguous, and nothing writes it while the launch runs.
        unsafe { core::slice::from_raw_parts(self.raw.pointer(), self.raw.extents()[0]) }
    }
}

impl<'k, T> Ref<'k, T, 2, Right> {
    /// Row `row` as a slice.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    #[track_caller]
    pub fn row(&self, row: usize) -> &[T] {
        if row >= self.raw.extents()[0] {
            failure::out_of_bounds(self.raw.pointer() as usize, &[row, 0]);
        }
        // SAFETY: there is such a row, and nothing writes it while the launch runs.
        unsafe { &*self.raw.row(row) }
    }
}

impl<T, L: Layout> Ref<'_, T, 0, L> {
    /// The one element.
    #[inline(always)]
    pub fn value(&self) -> &T {
        // SAFETY: a rank-0 View has one element, and nothing writes it while the launch runs.
        unsafe { &*self.raw.pointer() }
    }
}

impl<'k, T, const R: usize, L: Layout> Mut<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// The launch covers every witness branded `'k`, no two iterations that may run at the same time hold the
    /// same witness, the View's strides are injective, and nothing but this accessor and its like in other
    /// iterations reaches the View while the launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    #[inline(always)]
    pub fn extent(&self, dimension: usize) -> usize {
        self.raw.extents()[dimension]
    }
}

impl<'k, T, const R: usize, L: Layout> Index<Idx<'k, R>> for Ref<'k, T, R, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: Idx<'k, R>) -> &T {
        // SAFETY: the launch covers the witness, and nothing writes the View while it runs.
        unsafe { &*self.raw.at(index.index()) }
    }
}

impl<'k, 'j, T, const R: usize, L: Layout> Index<NestedIdx<'k, 'j, R>> for Ref<'k, T, R, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: NestedIdx<'k, 'j, R>) -> &T {
        // SAFETY: the team has compared its loop with what the launch covers, and nothing writes the View.
        unsafe { &*self.raw.at(index.index()) }
    }
}

impl<T, const R: usize, L: Layout> Index<[usize; R]> for Ref<'_, T, R, L> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: [usize; R]) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => failure::beyond(self.raw.pointer() as usize, index),
        }
    }
}

impl<T, L: Layout> Index<usize> for Ref<'_, T, 1, L> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        &self[[index]]
    }
}

impl<'k, T, const R: usize, L: Layout> Index<Idx<'k, R>> for Mut<'k, T, R, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: Idx<'k, R>) -> &T {
        // SAFETY: the launch covers the witness, and this iteration alone holds it.
        unsafe { &*self.raw.at(index.index()) }
    }
}

impl<'k, T, const R: usize, L: Layout> IndexMut<Idx<'k, R>> for Mut<'k, T, R, L> {
    #[inline(always)]
    fn index_mut(&mut self, index: Idx<'k, R>) -> &mut T {
        // SAFETY: the launch covers the witness, and this iteration alone holds it; the strides are injective,
        // so no other index has this element.
        unsafe { &mut *self.raw.at(index.index()) }
    }
}

impl<'k, 'j, T, const R: usize, L: Layout> Index<NestedIdx<'k, 'j, R>> for Mut<'k, T, R, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: NestedIdx<'k, 'j, R>) -> &T {
        // SAFETY: the team has compared its loop with what the launch covers; one thread owns the witness.
        unsafe { &*self.raw.at(index.index()) }
    }
}

impl<'k, 'j, T, const R: usize, L: Layout> IndexMut<NestedIdx<'k, 'j, R>> for Mut<'k, T, R, L> {
    #[inline(always)]
    fn index_mut(&mut self, index: NestedIdx<'k, 'j, R>) -> &mut T {
        // SAFETY: as above; the strides are injective, so no other index has this element.
        unsafe { &mut *self.raw.at(index.index()) }
    }
}
