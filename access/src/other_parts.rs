//! The accessor of the parts that a launch leaves as they are, where it writes others of the same View.

use core::marker::PhantomData;
use core::ops::Range;

use crate::access::Brand;
use crate::{AsIndex, Division, Layout, RawView, Right, SlabRef};

/// A View with its division, and the parts that a launch writes.
///
/// # Examples
/// ```
/// use spelt_access::{RawBlocks, RawOtherParts, RawView, Right};
/// let mut numbers = [1, 2, 3, 4, 5];
/// let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
/// // SAFETY: blocks are not empty, and the numbers of elements agree.
/// let others = unsafe { RawOtherParts::new(raw, RawBlocks::new(2, 5), 1, 2) };
/// # _ = others;
/// ```
#[derive(Debug)]
pub struct RawOtherParts<T, const R: usize, L, D> {
    raw: RawView<T, R, L>,
    division: D,
    /// The first part that the launch writes, and one past the last.
    first: usize,
    end: usize,
}

impl<T, const R: usize, L, D: Copy> Clone for RawOtherParts<T, R, L, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L, D: Copy> Copy for RawOtherParts<T, R, L, D> {}

impl<T, const R: usize, L: Layout, D: Division> RawOtherParts<T, R, L, D> {
    /// The parts of `raw` before `first` and from `end` on.
    ///
    /// # Safety
    /// The division is one of the View's first extent.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{RawBlocks, RawOtherParts, RawView, Right};
    /// let mut numbers = [1, 2, 3, 4, 5];
    /// let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
    /// // SAFETY: blocks are not empty, and the numbers of elements agree.
    /// let others = unsafe { RawOtherParts::new(raw, RawBlocks::new(2, 5), 0, 1) };
    /// # _ = others;
    /// ```
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(raw: RawView<T, R, L>, division: D, first: usize, end: usize) -> Self {
        Self { raw, division, first, end }
    }
}

/// The parts of a View that a launch does not write, read by their numbers: the second accessor of `y.by_segments_mut(&offsets).only(a..b)`
/// and `y.by_blocks_mut(n).only(a..b)`.
///
/// # Examples
/// ```
/// # use spelt_access::{OtherPartsAccess, RawBlocks, RawOtherParts, RawView, Right};
/// # let mut numbers = [1, 2, 3, 4, 5];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
/// # // SAFETY: blocks are not empty, and nothing else uses the numbers.
/// # let others = unsafe { OtherPartsAccess::new(RawOtherParts::new(raw, RawBlocks::new(2, 5), 1, 2)) };
/// // For the View [1, 2, 3, 4, 5] by blocks of 2, of which a launch writes block 1:
/// assert_eq!((others.get(0), others.get(1), others.get(2)), (Some(&[1, 2][..]), None, Some(&[5][..])));
/// ```
pub struct OtherPartsAccess<'k, T, const R: usize, L, D> {
    others: RawOtherParts<T, R, L, D>,
    brand: Brand<'k, T>,
}

impl<T, const R: usize, L, D: Copy> Clone for OtherPartsAccess<'_, T, R, L, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L, D: Copy> Copy for OtherPartsAccess<'_, T, R, L, D> {}

impl<T, const R: usize, L, D> core::fmt::Debug for OtherPartsAccess<'_, T, R, L, D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("OtherPartsAccess { .. }")
    }
}

impl<T, const R: usize, L: Layout, D: Division> OtherPartsAccess<'_, T, R, L, D> {
    /// The accessor of the parts that the launch does not write.
    ///
    /// # Safety
    /// While the launch runs, only the parts between the two numbers of `others` are written.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(others: RawOtherParts<T, R, L, D>) -> Self {
        Self { others, brand: PhantomData }
    }

    /// The number of all parts, those that the launch writes included.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OtherPartsAccess, RawBlocks, RawOtherParts, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
    /// # // SAFETY: blocks are not empty, and nothing else uses the numbers.
    /// # let others = unsafe { OtherPartsAccess::new(RawOtherParts::new(raw, RawBlocks::new(2, 5), 1, 2)) };
    /// // For the View [1, 2, 3, 4, 5] by blocks of 2, of which a launch writes block 1:
    /// assert_eq!(others.parts(), 3);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn parts(&self) -> usize {
        self.others.division.count()
    }

    /// Part `part` as a slab: `None` if the launch writes it, or if there is no such part.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OtherPartsAccess, RawBlocks, RawOtherParts, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [3, 2], [2, 1]);
    /// # // SAFETY: blocks are not empty, and nothing else uses the numbers.
    /// # let others = unsafe { OtherPartsAccess::new(RawOtherParts::new(raw, RawBlocks::new(1, 3), 0, 2)) };
    /// // For the View [[1, 2], [3, 4], [5, 6]] by blocks of 1, of which a launch writes blocks 0 and 1:
    /// assert_eq!(others.slab(2).map(|slab| slab[[0, 1]]), Some(6));
    /// assert!(others.slab(1).is_none());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn slab(&self, part: impl AsIndex<1>) -> Option<SlabRef<'_, T, R, L>> {
        // SAFETY: the range is that of a part of the View, which the launch does not write.
        self.range(part).map(|range| unsafe {
            SlabRef::new(self.others.raw.rows(range), self.others.raw.pointer() as usize)
        })
    }

    /// The indices of part `part`, unless the launch writes it or there is none.
    #[inline(always)]
    fn range(&self, part: impl AsIndex<1>) -> Option<Range<usize>> {
        let ([part], written) = (part.as_index(), self.others.first..self.others.end);
        // SAFETY: there is such a part, by the first test, and the memory of the division lives while the launch runs.
        (part < self.parts() && !written.contains(&part)).then(|| unsafe { self.others.division.range(part) })
    }
}

impl<T, D: Division> OtherPartsAccess<'_, T, 1, Right, D> {
    /// Part `part` as a slice: `None` if the launch writes it, or if there is no such part.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{OtherPartsAccess, RawBlocks, RawOtherParts, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
    /// # // SAFETY: blocks are not empty, and nothing else uses the numbers.
    /// # let others = unsafe { OtherPartsAccess::new(RawOtherParts::new(raw, RawBlocks::new(2, 5), 1, 3)) };
    /// // For the View [1, 2, 3, 4, 5] by blocks of 2, of which a launch writes blocks 1 and 2:
    /// assert_eq!((others.get(0), others.get(2), others.get(3)), (Some(&[1, 2][..]), None, None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, part: impl AsIndex<1>) -> Option<&[T]> {
        self.range(part).map(|range| {
            let first = self.others.raw.pointer().wrapping_add(range.start);
            // SAFETY: the range is that of a part of the View, which is contiguous, and the launch does not write it.
            unsafe { core::slice::from_raw_parts(first, range.end - range.start) }
        })
    }
}
