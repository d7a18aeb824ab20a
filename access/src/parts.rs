//! The accessors of `y.by_blocks(n)`, `y.by_segments(&offsets)` and their mutable forms: one part for each iteration.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut, Range};

use crate::access::Brand;
use crate::{AsIndex, Division, Idx, Layout, RawBlocks, RawSegments, RawView, Right, Slab, SlabRef};

/// A View that a kernel reads in blocks: a [`PartsAccess`].
///
/// # Examples
/// ```
/// use spelt_access::{BlocksAccess, Idx};
/// fn sum<'k>(i: Idx<'k, 1>, x: BlocksAccess<'k, i32>) -> i32 {
///     x[i].iter().sum()
/// }
/// # _ = sum;
/// ```
pub type BlocksAccess<'k, T, const R: usize = 1, L = Right> = PartsAccess<'k, T, R, L, RawBlocks>;
/// A View that a kernel writes in blocks: a [`PartsMutAccess`].
///
/// # Examples
/// ```
/// use spelt_access::{BlocksMutAccess, Idx};
/// fn sort<'k>(i: Idx<'k, 1>, mut y: BlocksMutAccess<'k, i32>) {
///     y[i].sort_unstable();
/// }
/// # _ = sort;
/// ```
pub type BlocksMutAccess<'k, T, const R: usize = 1, L = Right> = PartsMutAccess<'k, T, R, L, RawBlocks>;
/// A View that a kernel reads in segments: a [`PartsAccess`].
///
/// # Examples
/// ```
/// use spelt_access::{Idx, SegmentsAccess};
/// fn sum<'k>(i: Idx<'k, 1>, x: SegmentsAccess<'k, i32>) -> i32 {
///     x[i].iter().sum()
/// }
/// # _ = sum;
/// ```
pub type SegmentsAccess<'k, T, const R: usize = 1, L = Right> = PartsAccess<'k, T, R, L, RawSegments>;
/// A View that a kernel writes in segments: a [`PartsMutAccess`].
///
/// # Examples
/// ```
/// use spelt_access::{Idx, SegmentsMutAccess};
/// fn sort<'k>(i: Idx<'k, 1>, mut y: SegmentsMutAccess<'k, i32>) {
///     y[i].sort_unstable();
/// }
/// # _ = sort;
/// ```
pub type SegmentsMutAccess<'k, T, const R: usize = 1, L = Right> = PartsMutAccess<'k, T, R, L, RawSegments>;

/// The parts of a View that a kernel reads: of a contiguous View of rank 1, `x[i]` is a slice; of any other, `x.part(i)` is a slab.
/// Neither has a check.
///
/// # Examples
/// ```
/// # use spelt_access::{BlocksAccess, Idx, RawBlocks, RawView, Right};
/// # let mut numbers = [1, 2, 3, 4, 5];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
/// # // SAFETY: there is one iteration, whose index is that of a block, and nothing else uses the numbers.
/// # let (i, x) = unsafe { (Idx::<1>::new([2]), BlocksAccess::new(raw, RawBlocks::new(2, 5))) };
/// // In the iteration with index 2, for the View [1, 2, 3, 4, 5] by blocks of 2:
/// assert_eq!((&x[i], x.range(i)), (&[5][..], 4..5));
/// ```
pub struct PartsAccess<'k, T, const R: usize, L, D> {
    raw: RawView<T, R, L>,
    division: D,
    brand: Brand<'k, T>,
}

/// The parts of a View that a kernel writes: of a contiguous View of rank 1, `y[i]` is a slice; of any other, `y.part_mut(i)` is a
/// slab. Neither has a check. No other part can be accessed.
///
/// # Examples
/// ```
/// # use spelt_access::{BlocksMutAccess, Idx, RawBlocks, RawView, Right};
/// # let mut numbers = [1, 2, 3, 4, 5];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
/// # // SAFETY: there is one iteration, whose index is that of a block, and nothing else uses the numbers.
/// # let (i, mut y) = unsafe { (Idx::<1>::new([1]), BlocksMutAccess::new(raw, RawBlocks::new(2, 5))) };
/// // In the iteration with index 1, for the View [1, 2, 3, 4, 5] by blocks of 2:
/// y[i].reverse();
/// assert_eq!(y[i], [4, 3]);
/// ```
pub struct PartsMutAccess<'k, T, const R: usize, L, D> {
    raw: RawView<T, R, L>,
    division: D,
    brand: Brand<'k, T>,
}

impl<T, const R: usize, L, D: Copy> Clone for PartsAccess<'_, T, R, L, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L, D: Copy> Copy for PartsAccess<'_, T, R, L, D> {}

macro_rules! common {
    ($($name:ident $of_blocks:ident)*) => {$(
        impl<T, const R: usize, L, D> core::fmt::Debug for $name<'_, T, R, L, D> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }

        impl<'k, T, const R: usize, L: Layout, D: Division> $name<'k, T, R, L, D> {
            /// The number of indices of the View in dimension `dimension`.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{", stringify!($of_blocks), ", RawBlocks, RawView, Right};")]
            /// # let mut numbers = [1, 2, 3, 4, 5];
            /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
            /// # // SAFETY: nothing else uses the numbers.
            #[doc = concat!("# let x = unsafe { ", stringify!($of_blocks), "::new(raw, RawBlocks::new(2, 5)) };")]
            /// // For the View [1, 2, 3, 4, 5]:
            /// assert_eq!(x.extent(0), 5);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn extent(&self, dimension: usize) -> usize {
                self.raw.extents()[dimension]
            }

            /// The number of parts.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{", stringify!($of_blocks), ", RawBlocks, RawView, Right};")]
            /// # let mut numbers = [1, 2, 3, 4, 5];
            /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
            /// # // SAFETY: nothing else uses the numbers.
            #[doc = concat!("# let x = unsafe { ", stringify!($of_blocks), "::new(raw, RawBlocks::new(2, 5)) };")]
            /// // For the View [1, 2, 3, 4, 5] by blocks of 2:
            /// assert_eq!(x.parts(), 3);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn parts(&self) -> usize {
                self.division.count()
            }

            /// The first indices of the witness's part in the View.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("# use spelt_access::{", stringify!($of_blocks), ", Idx, RawBlocks, RawView, Right};")]
            /// # let mut numbers = [1, 2, 3, 4, 5];
            /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
            /// # // SAFETY: there is one iteration, whose index is that of a block, and nothing else uses the numbers.
            #[doc = concat!("# let (i, x) = unsafe { (Idx::<1>::new([2]), ", stringify!($of_blocks), "::new(raw, RawBlocks::new(2, 5))) };")]
            /// // In the iteration with index 2, for the View [1, 2, 3, 4, 5] by blocks of 2:
            /// assert_eq!(x.range(i), 4..5);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn range(&self, part: Idx<'k, 1>) -> Range<usize> {
                // SAFETY: the launch covers the witness, so there is such a part.
                unsafe { self.division.range(part.get()) }
            }
        }

        impl<'k, T, D: Division> Index<Idx<'k, 1>> for $name<'k, T, 1, Right, D> {
            type Output = [T];
            #[inline(always)]
            fn index(&self, part: Idx<'k, 1>) -> &[T] {
                // SAFETY: the range is within the View. Nothing writes the part while `self` is borrowed: either the View is only read, or
                // this iteration alone has the part, and writes it through an exclusive borrow of the accessor.
                unsafe { &*slice(&self.raw, self.range(part)) }
            }
        }
    )*};
}
common!(PartsAccess BlocksAccess PartsMutAccess BlocksMutAccess);

/// The elements of `range`, within a contiguous View of rank 1.
#[inline(always)]
fn slice<T>(raw: &RawView<T, 1, Right>, range: Range<usize>) -> *mut [T] {
    let first = raw.pointer().wrapping_add(range.start);
    core::ptr::slice_from_raw_parts_mut(first, range.end - range.start)
}

impl<'k, T, const R: usize, L: Layout, D: Division> PartsAccess<'k, T, R, L, D> {
    /// The accessor of `raw`, of rank 1 or more, by the parts of `division`.
    ///
    /// # Safety
    /// Every witness of rank 1 branded `'k` is that of a part, the division is one of the View's first extent, and nothing writes
    /// the View while the launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>, division: D) -> Self {
        Self { raw, division, brand: PhantomData }
    }

    /// The part of the witness.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{BlocksAccess, Idx, RawBlocks, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [3, 2], [2, 1]);
    /// # // SAFETY: there is one iteration, whose index is that of a block, and nothing else uses the numbers.
    /// # let (i, x) = unsafe { (Idx::<1>::new([1]), BlocksAccess::<_, 2, _>::new(raw, RawBlocks::new(2, 3))) };
    /// // In the iteration with index 1, for the View [[1, 2], [3, 4], [5, 6]] by blocks of 2:
    /// let rows = x.part(i);
    /// assert_eq!((rows.extent(0), rows[[0, 1]]), (1, 6));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn part(&self, part: Idx<'k, 1>) -> SlabRef<'_, T, R, L> {
        // SAFETY: the range is within the View, which nothing writes.
        unsafe { SlabRef::new(self.raw.rows(self.range(part)), self.raw.pointer() as usize) }
    }
}

impl<T, D: Division> PartsAccess<'_, T, 1, Right, D> {
    /// Part `part`, or `None` if there is no such part.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{BlocksAccess, RawBlocks, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [5], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let x = unsafe { BlocksAccess::new(raw, RawBlocks::new(2, 5)) };
    /// // For the View [1, 2, 3, 4, 5] by blocks of 2:
    /// assert_eq!((x.get(1), x.get(3)), (Some(&[3, 4][..]), None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, part: impl AsIndex<1>) -> Option<&[T]> {
        let [part] = part.as_index();
        // SAFETY: there is such a part, within the View, which nothing writes.
        (part < self.parts()).then(|| unsafe { &*slice(&self.raw, self.division.range(part)) })
    }
}

impl<'k, T, const R: usize, L: Layout, D: Division> PartsMutAccess<'k, T, R, L, D> {
    /// The accessor of `raw`, of rank 1 or more, by the parts of `division`.
    ///
    /// # Safety
    /// Every witness of rank 1 branded `'k` is that of a part, no two iterations that may run at the same time hold the same
    /// witness, the division is one of the View's first extent, its strides are injective, and only this accessor and those of
    /// other iterations access the View while the launch runs.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>, division: D) -> Self {
        Self { raw, division, brand: PhantomData }
    }

    /// The part of the witness, to read.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{BlocksMutAccess, Idx, RawBlocks, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [3, 2], [2, 1]);
    /// # // SAFETY: there is one iteration, whose index is that of a block, and nothing else uses the numbers.
    /// # let (i, y) = unsafe { (Idx::<1>::new([1]), BlocksMutAccess::<_, 2, _>::new(raw, RawBlocks::new(2, 3))) };
    /// // In the iteration with index 1, for the View [[1, 2], [3, 4], [5, 6]] by blocks of 2:
    /// assert_eq!(y.part(i)[[0, 1]], 6);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn part(&self, part: Idx<'k, 1>) -> SlabRef<'_, T, R, L> {
        // SAFETY: the range is within the View; only this iteration holds the witness, and writes by an exclusive borrow of the
        // accessor.
        unsafe { SlabRef::new(self.raw.rows(self.range(part)), self.raw.pointer() as usize) }
    }

    /// The part of the witness.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{BlocksMutAccess, Idx, RawBlocks, RawView, Right};
    /// # let mut numbers = [1, 2, 3, 4, 5, 6];
    /// # let raw = RawView::<_, 2, Right>::new(numbers.as_mut_ptr(), [3, 2], [2, 1]);
    /// # // SAFETY: there is one iteration, whose index is that of a block, and nothing else uses the numbers.
    /// # let (i, mut y) = unsafe { (Idx::<1>::new([1]), BlocksMutAccess::<_, 2, _>::new(raw, RawBlocks::new(2, 3))) };
    /// // In the iteration with index 1, for the View [[1, 2], [3, 4], [5, 6]] by blocks of 2:
    /// y.part_mut(i)[[0, 1]] = 7;
    /// assert_eq!(numbers, [1, 2, 3, 4, 5, 7]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn part_mut(&mut self, part: Idx<'k, 1>) -> Slab<'_, T, R, L> {
        // SAFETY: the range is within the View, parts do not overlap, the strides are injective, and only this iteration holds the
        // witness, of which `self`, borrowed exclusively, lends one slab at a time.
        unsafe { Slab::new(self.raw.rows(self.range(part)), self.raw.pointer() as usize) }
    }
}

impl<'k, T, D: Division> IndexMut<Idx<'k, 1>> for PartsMutAccess<'k, T, 1, Right, D> {
    #[inline(always)]
    fn index_mut(&mut self, part: Idx<'k, 1>) -> &mut [T] {
        // SAFETY: the range is within the View, parts do not overlap, and only this iteration holds the witness.
        unsafe { &mut *slice(&self.raw, self.range(part)) }
    }
}
