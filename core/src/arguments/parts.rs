//! `by_blocks(n)`, `by_segments(&offsets)` and their mutable forms as arguments: one part for each index of a range.

use spelt_access::{
    Covers, Description, Division, Element, KernelArg, Layout, MAX_RANK, PartsAccess, PartsMutAccess,
    RawBlocks, RawSegments, RawView, Right,
};

use super::view::describe;
use super::{on_all_views, on_writable_views};
use crate::view::{HostSpace, MemorySpace, Offsets};
use crate::view::{View, ViewMut, ViewRef};

/// A View that a kernel reads in blocks: [`Parts`] of equal length.
///
/// # Examples
/// ```
/// use spelt_core::{Blocks, View};
/// let x = View::<f64, 1>::zeros("x", [10])?;
/// let blocks: Blocks<'_, f64, 1> = x.by_blocks(4);
/// # _ = blocks;
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type Blocks<'v, T, const R: usize, M = HostSpace, L = Right> = Parts<'v, T, R, M, L, RawBlocks>;
/// A View that a kernel writes in blocks: [`PartsMut`] of equal length.
///
/// # Examples
/// ```
/// use spelt_core::{BlocksMut, View};
/// let mut y = View::<f64, 1>::zeros("y", [10])?;
/// let blocks: BlocksMut<'_, f64, 1> = y.by_blocks_mut(4);
/// # _ = blocks;
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type BlocksMut<'v, T, const R: usize, M = HostSpace, L = Right> = PartsMut<'v, T, R, M, L, RawBlocks>;
/// A View that a kernel reads in segments: [`Parts`] between [`Offsets`].
///
/// # Examples
/// ```
/// use spelt_core::{Offsets, Segments, View};
/// let x = View::<f64, 1>::zeros("x", [10])?;
/// let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 4, 10])?)?;
/// let segments: Segments<'_, f64, 1> = x.by_segments(&offsets);
/// # _ = segments;
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type Segments<'v, T, const R: usize, M = HostSpace, L = Right> = Parts<'v, T, R, M, L, RawSegments>;
/// A View that a kernel writes in segments: [`PartsMut`] between [`Offsets`].
///
/// # Examples
/// ```
/// use spelt_core::{Offsets, SegmentsMut, View};
/// let mut y = View::<f64, 1>::zeros("y", [10])?;
/// let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 4, 10])?)?;
/// let segments: SegmentsMut<'_, f64, 1> = y.by_segments_mut(&offsets);
/// # _ = segments;
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub type SegmentsMut<'v, T, const R: usize, M = HostSpace, L = Right> = PartsMut<'v, T, R, M, L, RawSegments>;

/// A View of rank 1 or more that a kernel reads in parts of its first dimension, one for each index of a one-dimensional range.
///
/// [`by_blocks`](View::by_blocks) and [`by_segments`](View::by_segments) make it. The launch checks once that the range lies within
/// the parts. The kernel receives a [`PartsAccess`]: of a `Right` View of rank 1, `x[i]` is a `&[T]`; of any other, `x.part(i)` is
/// a slab; neither has a check.
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the range leaves the parts, or if offsets end beyond the
/// View.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Offsets, Serial, View, parallel_for};
/// let space = Serial::new();
/// // The values of a sparse matrix of three rows:
/// let rows = Offsets::new(View::from_vec("rows", [4], vec![0, 2, 2, 5])?)?;
/// let values = View::from_fn("values", [5], |[k]| k as f64)?;
/// let mut sums = View::<f64, 1>::zeros("sums", [3])?;
/// parallel_for("sums", space.range(0..3), (values.by_segments(&rows), &mut sums), |i, (values, mut sums)| {
///     sums[i] = values[i].iter().sum();
/// })?;
/// assert_eq!(sums.to_vec(), [1.0, 0.0, 9.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Parts<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> {
    pub(super) view: ViewRef<'v, T, R, M, L>,
    pub(super) divided: Divided<'v, M, D>,
}

/// A View of rank 1 or more that a kernel writes in parts of its first dimension, one for each index of a one-dimensional range.
///
/// [`by_blocks_mut`](View::by_blocks_mut) and [`by_segments_mut`](View::by_segments_mut) make it. The launch checks once that the
/// range lies within the parts. The kernel receives a [`PartsMutAccess`]: of a `Right` View of rank 1, `y[i]` is a `&mut [T]`; of
/// any other, `y.part_mut(i)` is a slab; neither has a check, and an iteration can write no other part. In a team, the part is
/// written through `team.single`, or by nested loops with [`nested`](PartsMut::nested).
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the range leaves the parts, or if offsets end beyond the
/// View.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let mut y = View::from_vec("y", [5], vec![5, 1, 4, 2, 3])?;
/// parallel_for("sort blocks", Serial::new().range(0..3), y.by_blocks_mut(2), |b, mut y| y[b].sort_unstable())?;
/// assert_eq!(y.to_vec(), [1, 5, 2, 4, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct PartsMut<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> {
    pub(super) view: ViewMut<'v, T, R, M, L>,
    pub(super) divided: Divided<'v, M, D>,
}

/// A division of the first extent of a View, with the View of its offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divided<'v, M: MemorySpace, D> {
    pub(super) division: D,
    offsets: Option<ViewRef<'v, usize, 1, M>>,
    /// The adapter, as in the user's code.
    text: &'static str,
    /// The part of an iteration, for messages.
    part: &'static str,
}

impl<'v, M: MemorySpace> Divided<'v, M, RawBlocks> {
    /// Blocks of `len` indices.
    #[inline]
    #[track_caller]
    fn blocks(len: usize, extent: usize, text: &'static str) -> Self {
        assert!(len > 0, "blocks of {len} indices: a block has at least one");
        // SAFETY: the length is not 0, by the test.
        Self { division: unsafe { RawBlocks::new(len, extent) }, offsets: None, text, part: "a block of " }
    }
}

impl<'v, M: MemorySpace> Divided<'v, M, RawSegments> {
    /// The segments between `offsets`: none if they do not all lie within the extent.
    #[inline]
    fn segments(offsets: &'v Offsets<M>, extent: usize, [fit, beyond]: [&'static str; 2]) -> Self {
        let text = if offsets.end() <= extent { fit } else { beyond };
        let division = offsets.segments_of(extent);
        Self { division, offsets: Some(offsets.view()), text, part: "a segment of " }
    }
}

impl<M: MemorySpace, D: Division> Divided<'_, M, D> {
    /// The same for some of the parts, as messages name the adapter.
    pub(super) fn only(self) -> Self {
        let text = match self.text {
            ".by_blocks_mut(..)" => ".by_blocks_mut(..).only(..)",
            ".by_segments_mut(..)" => ".by_segments_mut(..).only(..)",
            other => other,
        };
        Self { text, ..self }
    }

    /// The description of the View with its division, and that of the offsets.
    #[inline(always)]
    pub(super) fn describe<'a>(&'a self, view: Description<'a>, visit: &mut impl FnMut(Description<'a>)) {
        visit(Description { adapter: self.text, part: self.part, ..view });
        if let Some(offsets) = self.offsets {
            visit(Description { covers: Covers::Nothing, ..describe(offsets) });
        }
    }
}

macro_rules! parts {
    ($life:lifetime) => {
        /// An argument that reads this View in blocks of `len` first indices, of which the last may be shorter; see [`Parts`].
        ///
        /// # Panics
        /// If `len` is 0.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let (x, mut sums) = (View::from_fn("x", [5], |[i]| i)?, View::<usize, 1>::zeros("sums", [3])?);
        /// let space = Serial::new();
        /// parallel_for("sums", space.range(0..3), (x.by_blocks(2), &mut sums), |b, (x, mut sums)| sums[b] = x[b].iter().sum())?;
        /// assert_eq!(sums.to_vec(), [1, 5, 4]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        #[track_caller]
        pub fn by_blocks(&self, len: usize) -> Parts<$life, T, R, M, L, RawBlocks> {
            const { assert!(R > 0, "a View of rank 0 has no blocks") };
            Parts { view: self.view(), divided: Divided::blocks(len, self.extents()[0], ".by_blocks(..)") }
        }
    };
}
on_all_views!(parts, [const R: usize, L: Layout,] R L);

macro_rules! parts_mut {
    () => {
        /// An argument that writes this View in blocks of `len` first indices, of which the last may be shorter; see [`PartsMut`].
        ///
        /// # Panics
        /// If `len` is 0.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
        /// let mut y = View::<usize, 1>::zeros("y", [5])?;
        /// parallel_for("fill", Serial::new().range(0..3), y.by_blocks_mut(2), |b, mut y| y[b].fill(b.get()))?;
        /// assert_eq!(y.to_vec(), [0, 0, 1, 1, 2]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        #[track_caller]
        pub fn by_blocks_mut(&mut self, len: usize) -> PartsMut<'_, T, R, M, L, RawBlocks> {
            const { assert!(R > 0, "a View of rank 0 has no blocks") };
            let divided = Divided::blocks(len, self.extents()[0], ".by_blocks_mut(..)");
            PartsMut { view: self.view_mut(), divided }
        }

        /// An argument that writes this View in the segments between `offsets`; see [`PartsMut`].
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{ExecutionSpace, Offsets, Serial, View, parallel_for};
        /// let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4])?)?;
        /// let mut y = View::<usize, 1>::zeros("y", [4])?;
        /// parallel_for("fill", Serial::new().range(0..2), y.by_segments_mut(&offsets), |s, mut y| y[s].fill(s + 7))?;
        /// assert_eq!(y.to_vec(), [7, 8, 8, 8]);
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        #[inline]
        pub fn by_segments_mut<'o>(
            &'o mut self,
            offsets: &'o Offsets<M>,
        ) -> PartsMut<'o, T, R, M, L, RawSegments> {
            const { assert!(R > 0, "a View of rank 0 has no segments") };
            let texts = [".by_segments_mut(..)", ".by_segments_mut(..), whose offsets end beyond it,"];
            let divided = Divided::segments(offsets, self.extents()[0], texts);
            PartsMut { view: self.view_mut(), divided }
        }
    };
}
on_writable_views!(parts_mut, [const R: usize, L: Layout,] R L, MemorySpace);

macro_rules! segments {
    ($([$($generics:tt)*] $borrow:lifetime $view:ty;)*) => {$(
        impl<$($generics)* T: Element, const R: usize, M: MemorySpace, L: Layout> $view {
            /// An argument that reads this View in the segments between `offsets`; see [`Parts`].
            ///
            /// # Examples
            /// ```
            /// use spelt_core::{ExecutionSpace, Offsets, Serial, View, parallel_for};
            /// let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4])?)?;
            /// let (x, mut sums) = (View::from_fn("x", [4], |[i]| i)?, View::<usize, 1>::zeros("sums", [2])?);
            /// let args = (x.by_segments(&offsets), &mut sums);
            /// parallel_for("sums", Serial::new().range(0..2), args, |s, (x, mut sums)| sums[s] = x[s].iter().sum())?;
            /// assert_eq!(sums.to_vec(), [0, 6]);
            /// # Ok::<(), spelt_core::Error>(())
            /// ```
            #[inline]
            pub fn by_segments<'o>(&$borrow self, offsets: &'o Offsets<M>) -> Parts<'o, T, R, M, L, RawSegments>
            where
                Self: 'o,
            {
                const { assert!(R > 0, "a View of rank 0 has no segments") };
                let texts = [".by_segments(..)", ".by_segments(..), whose offsets end beyond it,"];
                Parts { view: self.view(), divided: Divided::segments(offsets, self.extents()[0], texts) }
            }
        }
    )*};
}
segments! {
    [] 'o View<T, R, M, L>;
    ['a,] '_ ViewRef<'a, T, R, M, L>;
    ['a,] 'o ViewMut<'a, T, R, M, L>;
}

macro_rules! argument {
    ($adapter:ident, $access:ident, $raw:ident, $writes:literal) => {
        // SAFETY: the description covers the witnesses of rank 1 below the number of parts, and the offsets are described too; both Views
        // are borrowed, the first one exclusively for `PartsMutAccess`. Parts do not overlap, and strides of Views that can be
        // written are injective.
        unsafe impl<T, const R: usize, M, L, D> KernelArg for $adapter<'_, T, R, M, L, D>
        where
            T: Element,
            M: MemorySpace,
            L: Layout,
            D: Division,
        {
            type Raw = (RawView<T, R, L>, D);
            type Access<'k> = $access<'k, T, R, L, D>;
            type Held = ();
            type Memory = (M, ());
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                let mut upper = [0; MAX_RANK];
                upper[0] = self.divided.division.count();
                let view = describe(self.view.view());
                let view = Description { covers: Covers::Rank(1), upper, writes: $writes, ..view };
                self.divided.describe(view, visit);
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                ((self.view.$raw(), self.divided.division), ())
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, and the borrows live.
                unsafe { $access::new(raw.0, raw.1) }
            }
        }
    };
}
argument!(Parts, PartsAccess, raw, false);
argument!(PartsMut, PartsMutAccess, raw_mut, true);
