//! Elements of a View along one dimension, with one bounds check for all of them.

use core::marker::PhantomData;

/// The consecutive elements along one dimension of a View that a kernel reads: a slice with a stride.
///
/// It is made by [`LookupAccess::line`](crate::LookupAccess::line).
///
/// # Examples
/// ```
/// # use spelt_access::{LookupAccess, RawView, Right};
/// # let mut numbers = [1, 2, 3, 4, 5, 6];
/// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
/// # // SAFETY: nothing else uses the numbers.
/// # let t = unsafe { LookupAccess::new(raw) };
/// // A column of the View [[1, 2, 3], [4, 5, 6]]:
/// let column = t.line([0, 1], 0);
/// assert_eq!((column.len(), column.get(1)), (2, Some(&5)));
/// ```
pub struct LineRef<'v, T> {
    first: *const T,
    stride: usize,
    len: usize,
    borrow: PhantomData<&'v [T]>,
}

impl<T> core::fmt::Debug for LineRef<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("LineRef")
            .field("len", &self.len)
            .field("stride", &self.stride)
            .finish_non_exhaustive()
    }
}

impl<T> Clone for LineRef<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for LineRef<'_, T> {}

impl<'v, T> LineRef<'v, T> {
    /// `len` elements, `stride` apart.
    ///
    /// # Safety
    /// For `'v`, all of them are initialised memory that is not written.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *const T, stride: usize, len: usize) -> Self {
        Self { first, stride, len, borrow: PhantomData }
    }

    /// The number of elements.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // A column of the View [[1, 2, 3], [4, 5, 6]]:
    /// let column = t.line([0, 1], 0);
    /// assert_eq!(column.len(), 2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // A column of the View [[1, 2, 3], [4, 5, 6]]:
    /// let column = t.line([0, 1], 0);
    /// assert!(!column.is_empty());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The distance, in elements, between neighbours.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // A column of the View [[1, 2, 3], [4, 5, 6]]:
    /// let column = t.line([0, 1], 0);
    /// assert_eq!(column.stride(), 3);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Element `index`, or `None` beyond the end.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // A column of the View [[1, 2, 3], [4, 5, 6]]:
    /// let column = t.line([0, 1], 0);
    /// assert_eq!((column.get(1), column.get(2)), (Some(&5), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'v T> {
        // SAFETY: the index is one of the elements', by the test.
        (index < self.len).then(|| unsafe { &*self.first.wrapping_add(index.wrapping_mul(self.stride)) })
    }

    /// The `len` elements from `start` on, or `None` if they reach beyond the end.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // A column of the View [[1, 2, 3], [4, 5, 6]]:
    /// let column = t.line([0, 1], 0);
    /// assert_eq!(column.part(1, 1).map(|part| part.len()), Some(1));
    /// assert!(column.part(1, 2).is_none());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn part(&self, start: usize, len: usize) -> Option<Self> {
        (start <= self.len && len <= self.len - start).then(|| Self {
            first: self.first.wrapping_add(start.wrapping_mul(self.stride)),
            len,
            ..*self
        })
    }

    /// The elements as a slice, if they are contiguous.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // A column of the View [[1, 2, 3], [4, 5, 6]]:
    /// let column = t.line([0, 1], 0);
    /// assert_eq!(column.as_slice(), None);
    /// assert_eq!(t.line([1, 0], 1).as_slice(), Some(&[4, 5, 6][..]));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> Option<&'v [T]> {
        // SAFETY: neighbours without gaps.
        (self.stride == 1).then(|| unsafe { core::slice::from_raw_parts(self.first, self.len) })
    }

    /// The elements in order, without a check.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{LookupAccess, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [2, 3], [3, 1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let t = unsafe { LookupAccess::new(raw) };
    /// // A column of the View [[1, 2, 3], [4, 5, 6]]:
    /// let column = t.line([0, 1], 0);
    /// assert_eq!(column.iter().sum::<i32>(), 7);
    /// ```
    #[inline(always)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'v T> + use<'v, T> {
        let line = *self;
        // SAFETY: one of the elements.
        (0..line.len).map(move |index| unsafe { &*line.first.wrapping_add(index.wrapping_mul(line.stride)) })
    }
}
