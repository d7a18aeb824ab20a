//! Elements of a View along one dimension, bounds checked once for all of them.

use core::marker::PhantomData;

/// The elements that follow one another along one dimension of a View that a kernel reads: a slice whose elements may lie
/// apart.
///
/// It comes from [`LookupAccess::line`](crate::LookupAccess::line).
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
    /// For `'v`, all of them are initialised memory that nobody writes.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *const T, stride: usize, len: usize) -> Self {
        Self { first, stride, len, borrow: PhantomData }
    }

    /// The number of elements.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The distance, in elements, between neighbours.
    #[inline(always)]
    #[must_use]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Element `index`, or `None` behind the end.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'v T> {
        // SAFETY: one of the elements, by the test.
        (index < self.len).then(|| unsafe { &*self.first.wrapping_add(index.wrapping_mul(self.stride)) })
    }

    /// The `len` elements from `start` on, or `None` where they reach behind the end.
    #[inline(always)]
    #[must_use]
    pub fn part(&self, start: usize, len: usize) -> Option<Self> {
        (start <= self.len && len <= self.len - start).then(|| Self {
            first: self.first.wrapping_add(start.wrapping_mul(self.stride)),
            len,
            ..*self
        })
    }

    /// The elements as a slice, where they lie one after the other.
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> Option<&'v [T]> {
        // SAFETY: neighbours without gaps.
        (self.stride == 1).then(|| unsafe { core::slice::from_raw_parts(self.first, self.len) })
    }

    /// The elements in order, without a check.
    #[inline(always)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'v T> + use<'v, T> {
        let line = *self;
        // SAFETY: one of the elements.
        (0..line.len).map(move |index| unsafe { &*line.first.wrapping_add(index.wrapping_mul(line.stride)) })
    }
}
