//! The parts of a View, one for each iteration: blocks of equal length, or segments that offsets describe.

use core::ops::Range;

/// A division of the first dimension of a View into parts that do not overlap.
///
/// # Safety
/// For a part below [`count`](Division::count), [`range`](Division::range) ends within the extent for which the division was made,
/// not before it starts, and not after the range of a later part starts. The trait is sealed.
///
/// # Examples
/// ```
/// use spelt_access::{Division, RawBlocks};
/// // SAFETY: blocks are not empty.
/// let blocks = unsafe { RawBlocks::new(4, 10) };
/// // SAFETY: there is a part 2.
/// assert_eq!((blocks.count(), unsafe { blocks.range(2) }), (3, 8..10));
/// ```
pub unsafe trait Division: Copy + Send + Sync + sealed::Sealed {
    /// The number of parts.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Division, RawBlocks};
    /// # // SAFETY: blocks are not empty.
    /// # let blocks = unsafe { RawBlocks::new(4, 10) };
    /// // For blocks of 4 of 10 elements:
    /// assert_eq!(blocks.count(), 3);
    /// ```
    fn count(&self) -> usize;

    /// The indices of a part.
    ///
    /// # Safety
    /// There is such a part, and the memory of the division lives.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Division, RawBlocks};
    /// # // SAFETY: blocks are not empty.
    /// # let blocks = unsafe { RawBlocks::new(4, 10) };
    /// // For blocks of 4 of 10 elements:
    /// // SAFETY: there is a part 1.
    /// assert_eq!(unsafe { blocks.range(1) }, 4..8);
    /// ```
    unsafe fn range(&self, part: usize) -> Range<usize>;
}

/// Blocks of equal length; the last may be shorter.
///
/// # Examples
/// ```
/// use spelt_access::{Division, RawBlocks};
/// // SAFETY: blocks are not empty.
/// assert_eq!(unsafe { RawBlocks::new(4, 10) }.count(), 3);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RawBlocks {
    len: usize,
    extent: usize,
}

impl RawBlocks {
    /// Blocks of `len` of `extent` indices.
    ///
    /// # Safety
    /// `len` is not 0.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Division, RawBlocks};
    /// // SAFETY: blocks are not empty.
    /// assert_eq!(unsafe { RawBlocks::new(4, 8) }.count(), 2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new(len: usize, extent: usize) -> Self {
        Self { len, extent }
    }
}

// SAFETY: block `b` has the indices from `b * len` to before `(b + 1) * len`, cut off at the extent.
unsafe impl Division for RawBlocks {
    #[inline(always)]
    fn count(&self) -> usize {
        self.extent.div_ceil(self.len)
    }
    #[inline(always)]
    unsafe fn range(&self, part: usize) -> Range<usize> {
        // There is such a block, so its first index is below the extent, and nothing overflows.
        let start = part * self.len;
        start..start + self.len.min(self.extent - start)
    }
}

/// Segments from one offset to before the next.
///
/// # Examples
/// ```
/// use spelt_access::{Division, RawSegments};
/// let offsets = [0_usize, 1, 4];
/// // SAFETY: the offsets do not decrease.
/// assert_eq!(unsafe { RawSegments::new(offsets.as_ptr(), 2) }.count(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RawSegments {
    offsets: *const usize,
    count: usize,
}

// SAFETY: the offsets are only read, and nothing writes them while a launch runs.
unsafe impl Send for RawSegments {}
// SAFETY: the offsets are only read, and nothing writes them while a launch runs.
unsafe impl Sync for RawSegments {}

impl RawSegments {
    /// `count` segments.
    ///
    /// # Safety
    /// There are `count + 1` offsets that do not decrease, or none if `count` is 0; nothing writes them as long as the segments
    /// are used.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{Division, RawSegments};
    /// let offsets = [0_usize, 1, 4];
    /// // SAFETY: the offsets do not decrease, and there is a part 1.
    /// assert_eq!(unsafe { RawSegments::new(offsets.as_ptr(), 2).range(1) }, 1..4);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new(offsets: *const usize, count: usize) -> Self {
        Self { offsets, count }
    }
}

// SAFETY: the offsets do not decrease, by the contract of `new`, so no segment begins before an earlier one ends.
unsafe impl Division for RawSegments {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }
    #[inline(always)]
    unsafe fn range(&self, part: usize) -> Range<usize> {
        // SAFETY: there is such a segment, so both offsets exist, and nothing writes them.
        unsafe { *self.offsets.add(part)..*self.offsets.add(part + 1) }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::RawBlocks {}
    impl Sealed for super::RawSegments {}
}
