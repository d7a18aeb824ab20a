//! A box of elements of a View, for loops that know its extents.

use core::marker::PhantomData;

/// The elements of a box of indices, each at its strides from the first one: see [`LookupAccess::box_from`](crate::LookupAccess::box_from).
///
/// `UNIT`: the elements of a line follow one another.
#[derive(Debug)]
pub struct BoxRef<'v, T, const N: usize, const UNIT: bool = false> {
    first: *const T,
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
    /// For `'v`, all elements whose places users promise are initialised memory that is not written.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *const T, strides: [usize; N]) -> Self {
        Self { first, strides, borrow: PhantomData }
    }

    /// The same, if the elements of a line follow one another.
    #[inline(always)]
    #[must_use]
    pub fn unit_lines(self) -> Option<BoxRef<'v, T, N, true>> {
        (self.strides[N - 1] == 1).then_some(BoxRef {
            first: self.first,
            strides: self.strides,
            borrow: PhantomData,
        })
    }
}

impl<'v, T, const N: usize, const UNIT: bool> BoxRef<'v, T, N, UNIT> {
    /// The element at `place`.
    ///
    /// # Safety
    /// Each component is below the number of elements that the box was made with in its dimension.
    #[inline(always)]
    #[must_use]
    pub unsafe fn get_unchecked(&self, place: [usize; N]) -> &'v T {
        let mut offset = 0;
        for dimension in 0..N {
            let stride = if UNIT && dimension + 1 == N { 1 } else { self.strides[dimension] };
            // The offsets of elements of one allocation fit.
            offset += place[dimension].wrapping_mul(stride);
        }
        // SAFETY: the place is in the box, as the caller promises, and its elements are readable by the contract of `new`.
        unsafe { &*self.first.add(offset) }
    }
}
