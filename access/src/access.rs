//! The accessors of plain View arguments: [`Ref`] for `&View`, [`Mut`] for `&mut View`.

use core::{
    fmt,
    marker::PhantomData,
    ops::{Index, IndexMut},
};

use crate::{AsIndex, CheckedIndex, Idx, Layout, NestedIdx, Right, Witness};

use crate::{RawView, failure};

/// Invariant in `'k`: an accessor belongs to the iterations of one launch.
///
/// `Send` and `Sync` depend on the raw View only, so a kernel may pass its accessors to launches nested in it.
pub(crate) type Brand<'k, T> = PhantomData<(fn(&'k ()) -> &'k (), fn() -> T)>;

/// A View that a kernel reads.
///
/// Indexing by a witness of the View's rank needs no check. Indexing by integers (rank 1) or arrays of them is checked, and
/// panics if the index is out of bounds.
///
/// # Examples
/// ```
/// # use spelt_access::{Idx, RawView, Ref, Right};
/// # let mut numbers = [1, 4, 9];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, x) = unsafe { (Idx::<1>::new([1]), Ref::new(raw)) };
/// // In the iteration with index 1, for the View [1, 4, 9]:
/// assert_eq!((x[i], x[i + 1], x.get([3])), (4, 9, None));
/// ```
pub struct Ref<'k, T, const R: usize, L = Right> {
    pub(crate) raw: RawView<T, R, L>,
    brand: Brand<'k, T>,
}

/// A View that a kernel writes.
///
/// It can be indexed only by a witness of the View's rank, without a check: another iteration may be writing any
/// other element.
///
/// # Examples
/// ```
/// # use spelt_access::{Idx, Mut, RawView, Right};
/// # let mut numbers = [1, 4, 9];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, mut y) = unsafe { (Idx::<1>::new([1]), Mut::new(raw)) };
/// // In the iteration with index 1, for the View [1, 4, 9]:
/// y[i] += 10;
/// # drop(y);
/// assert_eq!(numbers, [1, 14, 9]);
/// ```
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
        // SAFETY: nothing writes the View while the launch runs, by the contract of this function.
        Self { raw: unsafe { raw.unwritten() }, brand: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Ref, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { Ref::new(raw) };
    /// // For the View [[1, 2, 3], [4, 5, 6]]:
    /// assert_eq!((x.extent(0), x.extent(1)), (2, 3));
    /// ```
    #[inline(always)]
    pub fn extent(&self, dimension: usize) -> usize {
        self.raw.extents()[dimension]
    }

    /// The element at `index`, or `None` if `index` is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Ref, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { Ref::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!((x.get(2), x.get([3])), (Some(&9), None));
    /// ```
    #[inline(always)]
    pub fn get(&self, index: impl AsIndex<R>) -> Option<&T> {
        let index = index.as_index();
        if self.raw.contains(index) {
            // SAFETY: in bounds by the test above, and nothing writes the View while the launch runs.
            Some(unsafe { &*self.raw.at(index) })
        } else {
            None
        }
    }
}

impl<'k, T> Ref<'k, T, 1, Right> {
    /// All elements, as a slice.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Ref, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { Ref::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(x.as_slice(), [1, 4, 9]);
    /// ```
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
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Ref, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { Ref::new(raw) };
    /// // For the View [[1, 2, 3], [4, 5, 6]]:
    /// assert_eq!(x.row(1), [4, 5, 6]);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn row(&self, row: impl AsIndex<1>) -> &[T] {
        let [row] = row.as_index();
        if row >= self.raw.extents()[0] {
            failure::out_of_bounds(self.raw.pointer() as usize, &[row, 0]);
        }
        // SAFETY: there is such a row, and nothing writes it while the launch runs.
        unsafe { &*self.raw.row(row) }
    }
}

impl<T, L: Layout> Ref<'_, T, 0, L> {
    /// The element.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{RawView, Ref, Right};
    /// # let mut numbers = [7];
    /// # let raw = RawView::<_, 0, Right>::new(numbers.as_mut_ptr(), [], []);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { Ref::new(raw) };
    /// // For a View of rank 0:
    /// assert_eq!(x.value(), &7);
    /// ```
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
    /// same witness, the View's strides are injective, and only this accessor and those of other
    /// iterations access the View while the launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Mut, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { Mut::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.extent(0), 3);
    /// ```
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
        // SAFETY: the team has compared its loop with the indices that the launch covers, and nothing writes the View.
        unsafe { &*self.raw.at(index.index()) }
    }
}

impl<T, I: CheckedIndex<R>, const R: usize, L: Layout> Index<I> for Ref<'_, T, R, L> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the accessor's View is allocated, and nothing writes it, while the launch runs.
        unsafe { &*self.raw.at_checked(index.as_index(), self.raw.pointer() as usize) }
    }
}

impl<'k, T, I: Witness<'k, R>, const R: usize, L: Layout> Index<I> for Mut<'k, T, R, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: I) -> &T {
        // SAFETY: the launch covers the witness, or the team has compared its loop with the indices that the launch covers; one thread owns the
        // witness, and the strides are injective, so nothing else writes this element.
        unsafe { &*self.raw.at(index.position()) }
    }
}

impl<'k, T, I: Witness<'k, R>, const R: usize, L: Layout> IndexMut<I> for Mut<'k, T, R, L> {
    #[inline(always)]
    fn index_mut(&mut self, index: I) -> &mut T {
        // SAFETY: the launch covers the witness, or the team has compared its loop with the indices that the launch covers; one thread owns the
        // witness, and the strides are injective, so no other index has this element.
        unsafe { &mut *self.raw.at(index.position()) }
    }
}
