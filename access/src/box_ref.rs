//! A box of elements of a View, for loops that know its extents.

use core::marker::PhantomData;

/// The elements of a box of indices, each at its strides from the first one: see [`LookupAccess::box_from`](crate::LookupAccess::box_from).
///
/// `UNIT`: the elements of a line follow one another.
///
/// # Examples
/// ```
/// # use spelt_access::{LookupAccess, RawView, Stride};
/// # let mut numbers = [1, 2, 3, 4, 5, 6];
/// # let raw = RawView::<_, 2, Stride>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
/// # // SAFETY: nothing else uses the numbers.
/// # let t = unsafe { LookupAccess::new(raw) };
/// // The last two columns of the View [[1, 2, 3], [4, 5, 6]]:
/// let columns = t.box_from([0, 1], [(0, 2), (1, 2)]);
/// // SAFETY: the box has two rows of two elements.
/// assert_eq!(unsafe { *columns.get_unchecked([1, 1]) }, 6);
/// ```
#[derive(Debug)]
pub struct BoxRef<'v, T, const N: usize, const UNIT: bool = false> {
    first: *const T,
    extents: [usize; N],
    strides: [usize; N],
    borrow: PhantomData<&'v [T]>,
}

impl<T, const N: usize, const UNIT: bool> Clone for BoxRef<'_, T, N, UNIT> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize, const UNIT: bool> Copy for BoxRef<'_, T, N, UNIT> {}

impl<'v, T, const N: usize> BoxRef<'v, T, N> {
    /// The elements from `first` on.
    ///
    /// # Safety
    /// For `'v`, the elements at all places below `extents` are initialised memory that is not written.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *const T, extents: [usize; N], strides: [usize; N]) -> Self {
        Self { first, extents, strides, borrow: PhantomData }
    }

    /// The first element.
    #[inline(always)]
    pub(crate) fn as_ptr(&self) -> *const T {
        self.first
    }

    /// The same, if the elements of a line follow one another.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Stride};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Stride>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // Rows and columns of the View [[1, 2, 3], [4, 5, 6]]:
    /// assert!(t.box_from([0, 0], [(0, 2), (1, 3)]).unit_lines().is_some());
    /// assert!(t.box_from([0, 0], [(1, 3), (0, 2)]).unit_lines().is_none());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn unit_lines(self) -> Option<BoxRef<'v, T, N, true>> {
        (self.strides[N - 1] == 1).then_some(BoxRef {
            first: self.first,
            extents: self.extents,
            strides: self.strides,
            borrow: PhantomData,
        })
    }
}

impl<'v, T, const N: usize, const UNIT: bool> BoxRef<'v, T, N, UNIT> {
    /// The number of elements along each dimension, at least one.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Stride};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Stride>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // The last two columns of the View [[1, 2, 3], [4, 5, 6]], one after the other:
    /// assert_eq!(t.box_from([0, 1], [(1, 2), (0, 2)]).extents(), [2, 2]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn extents(&self) -> [usize; N] {
        self.extents
    }

    /// The element at `place`.
    ///
    /// # Safety
    /// Each component is below its [extent](Self::extents).
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Stride};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Stride>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // The last column of the View [[1, 2, 3], [4, 5, 6]]:
    /// let column = t.box_from([0, 2], [(0, 2)]);
    /// // SAFETY: the box has two elements.
    /// assert_eq!(unsafe { *column.get_unchecked([1]) }, 6);
    /// ```
    #[inline(always)]
    #[must_use]
    pub unsafe fn get_unchecked(&self, place: [usize; N]) -> &'v T {
        debug_assert!(place.iter().zip(&self.extents).all(|(component, extent)| component < extent));
        let mut offset = 0;
        #[expect(
            clippy::needless_range_loop,
            reason = "with iterators, sums of pairs take 1.3 times as long"
        )]
        for dimension in 0..N {
            let stride = if UNIT && dimension + 1 == N { 1 } else { self.strides[dimension] };
            // The offsets of elements of one allocation fit.
            offset += place[dimension].wrapping_mul(stride);
        }
        // SAFETY: the place is in the box, as the contract asks, and its elements are readable as that of `new` asks.
        unsafe { &*self.first.add(offset) }
    }
}
