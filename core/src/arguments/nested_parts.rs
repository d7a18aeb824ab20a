//! Parts in teams as arguments: one part for each team, one of its elements for each nested iteration.

use spelt_access::{
    Covers, Description, Division, Element, KernelArg, Layout, MAX_RANK, NestedPartsAccess,
    NestedPartsMutAccess, OwnRows, RawNestedParts,
};

use super::view::describe;
use super::{Parts, PartsMut};
use crate::view::MemorySpace;

/// A View of rank 1 to 7 that teams read in parts of its first dimension, one for each team: [`Parts::nested`].
///
/// The launch checks once that the league has no more teams than there are parts; each nested loop, once, that it does not go beyond
/// the part of its team. `x[rj]` is then element `j` of the team's part, without a check. A View of higher rank has parts of rows, which
/// are indexed by the witnesses of a `thread_md_range`, or of a `vector_range` in a `thread_range`. The kernel receives a
/// [`NestedPartsAccess`].
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if there are fewer parts than teams, or if offsets end
/// beyond the View.
///
/// # Panics
/// Nested loops panic if they go beyond the part of the team.
///
/// # Examples
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Offsets, Serial, View, parallel_for, reducers::Sum};
/// let space = Serial::new();
/// let rows = Offsets::new(View::from_vec("rows", [4], vec![0, 2, 2, 5])?)?;
/// let values = View::from_fn("values", [5], |[k]| k as f64)?;
/// let mut sums = View::<f64, 1>::zeros("sums", [3])?;
/// let args = (values.by_segments(&rows).nested(), &mut sums);
/// parallel_for("sums", space.team(3, AUTO), args, |team, (values, mut sums)| {
///     let sum = team.parallel_reduce(team.thread_range(values.len()), |rj, sum| *sum += values[rj], Sum::<f64>::new());
///     team.single(|w| sums[w] = sum);
/// })?;
/// assert_eq!(sums.to_vec(), [1.0, 0.0, 9.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct NestedParts<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> {
    parts: Parts<'v, T, R, M, L, D>,
}

/// A View of rank 1 to 7 that teams write in parts of its first dimension, one for each team: [`PartsMut::nested`].
///
/// The launch checks once that the league has no more teams than there are parts; each nested loop, once, that it does not go beyond
/// the part of its team. `y[rj]` is then element `j` of the team's part, without a check. A View of higher rank has parts of rows, which
/// are indexed by the witnesses of a `thread_md_range`, or of a `vector_range` in a `thread_range`. The kernel receives a
/// [`NestedPartsMutAccess`]. On the host teams have one thread, as with any View that nested loops write.
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if there are fewer parts than teams, or if offsets end
/// beyond the View.
///
/// # Panics
/// Nested loops panic if they go beyond the part of the team.
///
/// # Examples
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let mut y = View::<usize, 1>::zeros("y", [5])?;
/// parallel_for("number", Serial::new().team(2, AUTO), y.by_blocks_mut(3).nested(), |team, mut y| {
///     team.parallel_for(team.thread_range(y.len()), |rj| y[rj] = 10 + rj.inner());
/// })?;
/// assert_eq!(y.to_vec(), [10, 11, 12, 10, 11]);
///
/// // Blocks of two rows; the last one has one row:
/// let mut a = View::<usize, 2>::zeros("a", [3, 4])?;
/// parallel_for("number", Serial::new().team(2, AUTO), a.by_blocks_mut(2).nested(), |team, mut a| {
///     team.parallel_for(team.thread_md_range(a.extents()), |rij| a[rij] = 100 * rij.get()[0] + 10 * rij.get()[1] + rij.get()[2]);
/// })?;
/// assert_eq!(a.to_vec(), [0, 1, 2, 3, 10, 11, 12, 13, 100, 101, 102, 103]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct NestedPartsMut<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> {
    parts: PartsMut<'v, T, R, M, L, D>,
}

impl<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> Parts<'v, T, R, M, L, D> {
    /// An argument that teams read, each its own part, in nested loops; see [`NestedParts`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_reduce, reducers::Max};
    /// let x = View::from_vec("x", [3], vec![2, 5, 3])?;
    /// let blocks = x.by_blocks(2).nested();
    /// let largest = parallel_reduce("largest", Serial::new().team(2, AUTO), blocks, |team, x| {
    ///     let own = team.parallel_reduce(team.thread_range(x.len()), |rj, most| *most = x[rj].max(*most), Max::<i32>::new());
    ///     team.contribute(own);
    /// }, Max::<i32>::new())?;
    /// assert_eq!(largest, 5);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn nested(self) -> NestedParts<'v, T, R, M, L, D> {
        const { assert!(R < MAX_RANK, "nested witnesses of a View of rank 8 would have nine components") };
        NestedParts { parts: self }
    }
}

impl<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> PartsMut<'v, T, R, M, L, D> {
    /// An argument that teams write, each its own part, in nested loops; see [`NestedPartsMut`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let mut y = View::from_vec("y", [3], vec![2, 5, 3])?;
    /// parallel_for("double", Serial::new().team(2, AUTO), y.by_blocks_mut(2).nested(), |team, mut y| {
    ///     team.parallel_for(team.thread_range(y.len()), |rj| y[rj] *= 2);
    /// })?;
    /// assert_eq!(y.to_vec(), [4, 10, 6]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn nested(self) -> NestedPartsMut<'v, T, R, M, L, D> {
        const { assert!(R < MAX_RANK, "nested witnesses of a View of rank 8 would have nine components") };
        NestedPartsMut { parts: self }
    }
}

macro_rules! argument {
    ($adapter:ident, $access:ident, $raw:ident, $writes:literal) => {
        // SAFETY: the description covers witnesses whose league index is that of a part and whose last components are in the View's other
        // extents, and `in_team` gives the number of rows of the team's own part, with which nested loops are compared. Both Views are
        // described and borrowed, the first one exclusively for `NestedPartsMutAccess`, which the description calls written. Parts do
        // not overlap, and strides of Views that can be written are injective.
        unsafe impl<T, const R: usize, M, L, D> KernelArg for $adapter<'_, T, R, M, L, D>
        where
            T: Element,
            M: MemorySpace,
            L: Layout,
            D: Division,
        {
            type Raw = RawNestedParts<T, R, L, D>;
            type Access<'k> = $access<'k, T, R, L, D>;
            type Held = ();
            type Memory = (M, ());
            const BY_TEAM: bool = true;
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                let (view, divided) = (describe(self.parts.view.view()), &self.parts.divided);
                let mut upper = [0; MAX_RANK];
                upper[0] = divided.division.count();
                upper[1..=R].copy_from_slice(&view.extents[..R]);
                let covers = Covers::Rank(R + 1);
                divided.describe(
                    Description { covers, upper, written: $writes, writes: $writes, ..view },
                    visit,
                );
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                // SAFETY: the division was made for this View's extent.
                (unsafe { RawNestedParts::new(self.parts.view.$raw(), self.parts.divided.division) }, ())
            }
            #[inline(always)]
            unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows) {
                // SAFETY: by the contract of `in_team`, the launch covers the league, so the team has a part; the borrows live.
                unsafe { raw.of(league_rank) }
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the raw form is that of the team branded `'k`, with whose number of rows
                // nested loops are compared, and the borrows live. Only nested witnesses index it, and there are none outside
                // teams.
                unsafe { $access::new(*raw) }
            }
        }
    };
}
argument!(NestedParts, NestedPartsAccess, raw, false);
argument!(NestedPartsMut, NestedPartsMutAccess, raw_mut, true);
