//! The accessor of `view.halo::<H>()`: an element and its neighbours, without a check.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Index;

use crate::access::Brand;
use crate::halo_shape::{exceeded, reach};
use crate::{AsIndex, CheckedIndex, HaloShape, Idx, Layout, NestedIdx, RawView, Right, Witness, failure};

/// A View that a kernel reads at a witness and at the offsets of the shape `W`.
///
/// Neither `x[i]` nor `x.at(i, [-1, 0])` checks bounds: the launch has compared the range, extended by the shape's
/// reaches, with the extents. Indexing by integers (rank 1) or arrays of them is checked.
///
/// # Examples
/// ```
/// # use spelt_access::{Around, HaloAccess, Idx, RawView, Right};
/// # let mut numbers = [1, 4, 9];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
/// # let (i, x) = unsafe { (Idx::<1>::new([1]), HaloAccess::<_, 1, Around<1>, Right>::new(raw)) };
/// // In the iteration with index 1, for the View [1, 4, 9]:
/// assert_eq!((x.at(i, [-1]), x[i], x.at(i, [1]), x[0]), (1, 4, 9, 1));
/// ```
pub struct HaloAccess<'k, T, const R: usize, W, L = Right> {
    pub(crate) raw: RawView<T, R, L>,
    brand: Brand<'k, T>,
    shape: PhantomData<W>,
}

impl<T, const R: usize, W, L> Clone for HaloAccess<'_, T, R, W, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, W, L> Copy for HaloAccess<'_, T, R, W, L> {}

impl<T, const R: usize, W, L> fmt::Debug for HaloAccess<'_, T, R, W, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HaloAccess { .. }")
    }
}

impl<'k, T, const R: usize, W: HaloShape<R>, L: Layout> HaloAccess<'k, T, R, W, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// Every witness branded `'k`, moved by any offset of the shape, is in bounds, and nothing writes the View while the
    /// launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        // SAFETY: nothing writes the View while the launch runs, by the contract of this function.
        Self { raw: unsafe { raw.unwritten() }, brand: PhantomData, shape: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Around, HaloAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { HaloAccess::<_, 1, Around<1>, Right>::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(x.extent(0), 3);
    /// ```
    #[inline(always)]
    pub fn extent(&self, dimension: usize) -> usize {
        self.raw.extents()[dimension]
    }

    /// The element at distance `offset` from the witness.
    ///
    /// Only the offset is checked, against the shape; for a constant offset the compiler removes the check.
    ///
    /// # Panics
    /// If the offset exceeds the shape's reach in a dimension, in either direction.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Around, HaloAccess, Idx, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: there is one iteration, whose index is in bounds, and nothing else uses the numbers.
    /// # let (i, x) = unsafe { (Idx::<1>::new([1]), HaloAccess::<_, 1, Around<1>, Right>::new(raw)) };
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
            inside &= offset[dimension].unsigned_abs() <= reach::<W, R>(dimension, offset[dimension]);
            place[dimension] = place[dimension].wrapping_add_signed(offset[dimension]);
            dimension += 1;
        }
        if !inside {
            failure::beyond_halo(self.raw.pointer() as usize, &offset, exceeded::<W, R>(offset));
        }
        // SAFETY: the launch covers the witness moved by each offset of the shape, this is one, and nothing writes the
        // View.
        unsafe { *self.raw.at(place) }
    }

    /// The element at any index, or `None` if the index is out of bounds.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Around, HaloAccess, RawView, Right};
    /// # let mut numbers = [1, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { HaloAccess::<_, 1, Around<1>, Right>::new(raw) };
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

impl<'k, T, const R: usize, W: HaloShape<R>, L: Layout> Index<Idx<'k, R>> for HaloAccess<'k, T, R, W, L> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: Idx<'k, R>) -> &T {
        // SAFETY: the launch covers the witness, and nothing writes the View.
        unsafe { &*self.raw.at(index.index()) }
    }
}

impl<'k, T, const R: usize, W: HaloShape<R>, L: Layout> Index<NestedIdx<'k, '_, R>>
    for HaloAccess<'k, T, R, W, L>
{
    type Output = T;
    #[inline(always)]
    fn index(&self, index: NestedIdx<'k, '_, R>) -> &T {
        // SAFETY: the team has compared its loop with the indices that the launch covers, and nothing writes the View.
        unsafe { &*self.raw.at(index.index()) }
    }
}

impl<T, I: CheckedIndex<R>, const R: usize, W: HaloShape<R>, L: Layout> Index<I>
    for HaloAccess<'_, T, R, W, L>
{
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        // SAFETY: the accessor's View is allocated, and nothing writes it, while the launch runs.
        unsafe { &*self.raw.at_checked(index.as_index(), self.raw.pointer() as usize) }
    }
}
