//! `only(a..b)`: some parts to write, and the others to read, in one launch.

use core::ops::Range;

use spelt_access::{
    Covers, Description, Division, Element, KernelArg, Layout, MAX_RANK, NestedPartsMutAccess,
    OtherPartsAccess, OwnRows, PartsMutAccess, RawNestedParts, RawOtherParts, RawView,
};

use super::PartsMut;
use super::view::describe;
use crate::view::MemorySpace;

/// Some parts of a View that a kernel writes, while it reads any of the others: [`PartsMut::only`].
///
/// The kernel receives a pair: a [`PartsMutAccess`] of the parts in the range, one for each index, and an [`OtherPartsAccess`], whose `get`
/// gives any other part by its number and refuses those in the range. So a launch over the rows of one level of a triangular factor, or of
/// one colour of a graph, reads the rows of those before.
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if its range leaves that of `only`, or the parts.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Offsets, Serial, View, parallel_for};
/// let space = Serial::new();
/// let rows = Offsets::new(View::from_vec("rows", [4], vec![0, 2, 3, 5])?)?;
/// let mut values = View::from_vec("values", [5], vec![1.0, 2.0, 0.0, 0.0, 0.0])?;
/// // Rows 1 and 2 are the sum of row 0.
/// let args = values.by_segments_mut(&rows).only(1..3);
/// parallel_for("sums", space.range(1..3), args, |i, (mut own, done)| {
///     let sum = done.get(0).unwrap_or_default().iter().sum();
///     own[i].fill(sum);
/// })?;
/// assert_eq!(values.to_vec(), [1.0, 2.0, 3.0, 3.0, 3.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct OnlyPartsMut<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> {
    parts: PartsMut<'v, T, R, M, L, D>,
    /// The first part to write, and one past the last, of which there may be none.
    range: (usize, usize),
}

/// Some parts of a View that teams write, one for each team, while they read any of the others: [`OnlyPartsMut::nested`].
///
/// The league ranks are the numbers of the parts: give the policy those of `only` by [`of_ranks`](crate::TeamPolicy::of_ranks). The
/// kernel receives a pair: a [`NestedPartsMutAccess`] and an [`OtherPartsAccess`]. On the host teams have one thread, as with any View that
/// nested loops write.
///
/// # Errors
/// The launch returns [`ErrorKind::Extents`](crate::ErrorKind::Extents) if the league ranks leave the range of `only`, or the parts.
///
/// # Panics
/// Nested loops panic if they go beyond the part of the team.
///
/// # Examples
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let mut y = View::from_vec("y", [6], vec![1, 2, 0, 0, 0, 0])?;
/// let args = y.by_blocks_mut(2).only(1..3).nested();
/// parallel_for("copy", Serial::new().team(3, AUTO).of_ranks(1..3), args, |team, (mut own, done)| {
///     let first = done.get(0).unwrap_or_default();
///     team.parallel_for(team.thread_range(own.len()), |rj| own[rj] = 10 * first[rj.inner()]);
/// })?;
/// assert_eq!(y.to_vec(), [1, 2, 10, 20, 10, 20]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct NestedOnlyPartsMut<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> {
    only: OnlyPartsMut<'v, T, R, M, L, D>,
}

impl<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> PartsMut<'v, T, R, M, L, D> {
    /// An argument that writes the parts with the numbers in `range`, and reads the others; see [`OnlyPartsMut`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let mut y = View::from_vec("y", [4], vec![1, 2, 3, 4])?;
    /// // Each element but the first becomes the first: a block of one is an element.
    /// parallel_for("copy", Serial::new().range(1..4), y.by_blocks_mut(1).only(1..4), |i, (mut own, first)| {
    ///     own[i].copy_from_slice(first.get(0).unwrap_or_default());
    /// })?;
    /// assert_eq!(y.to_vec(), [1, 1, 1, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn only(self, range: Range<usize>) -> OnlyPartsMut<'v, T, R, M, L, D> {
        let end = range.end.min(self.divided.division.count());
        let parts = PartsMut { divided: self.divided.only(), ..self };
        OnlyPartsMut { parts, range: (range.start, end) }
    }
}

impl<'v, T: Element, const R: usize, M: MemorySpace, L: Layout, D: Division> OnlyPartsMut<'v, T, R, M, L, D> {
    /// An argument by which each team writes its own part in nested loops; see [`NestedOnlyPartsMut`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let mut y = View::from_vec("y", [4], vec![3, 4, 0, 0])?;
    /// let args = y.by_blocks_mut(2).only(1..2).nested();
    /// parallel_for("copy", Serial::new().team(2, AUTO).of_ranks(1..2), args, |team, (mut own, done)| {
    ///     team.parallel_for(team.thread_range(2), |rj| own[rj] = done.get(0).map_or(0, |block| block[rj.inner()]));
    /// })?;
    /// assert_eq!(y.to_vec(), [3, 4, 3, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn nested(self) -> NestedOnlyPartsMut<'v, T, R, M, L, D> {
        const { assert!(R < MAX_RANK, "nested witnesses of a View of rank 8 would have nine components") };
        NestedOnlyPartsMut { only: self }
    }

    /// Describes the View with its offsets: witnesses of rank `rank` whose first component is in the range are covered.
    #[inline(always)]
    fn describe_as<'a>(&'a self, rank: usize, nested: bool, visit: &mut impl FnMut(Description<'a>)) {
        let (view, divided) = (describe(self.parts.view.view()), &self.parts.divided);
        let (mut lower, mut upper) = ([0; MAX_RANK], [0; MAX_RANK]);
        upper[1..=R.min(MAX_RANK - 1)].copy_from_slice(&view.extents[..R.min(MAX_RANK - 1)]);
        (lower[0], upper[0]) = self.range;
        let covers = Covers::Rank(rank);
        divided.describe(Description { covers, lower, upper, written: nested, writes: true, ..view }, visit);
    }
}

// SAFETY: the description covers the witnesses of rank 1 whose index is in the range, which ends with the parts, and the offsets are described
// too; both Views are borrowed, the first one exclusively. The two accessors have no element in common: parts do not overlap, strides of Views
// that can be written are injective, the first accessor gives the parts of witnesses, which are in the range, and the second none of those.
unsafe impl<T, const R: usize, M, L, D> KernelArg for OnlyPartsMut<'_, T, R, M, L, D>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
    D: Division,
{
    type Raw = (RawView<T, R, L>, D, RawOtherParts<T, R, L, D>);
    type Access<'k> = (PartsMutAccess<'k, T, R, L, D>, OtherPartsAccess<'k, T, R, L, D>);
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        self.describe_as(1, false, visit);
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        let (raw, division) = (self.parts.view.raw_mut(), self.parts.divided.division);
        // SAFETY: the division was made for this View's extent.
        let others = unsafe { RawOtherParts::new(raw, division, self.range.0, self.range.1) };
        ((raw, division, others), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, which are therefore in the range, so that nothing
        // else is written; and the borrows live.
        unsafe { (PartsMutAccess::new(raw.0, raw.1), OtherPartsAccess::new(raw.2)) }
    }
}

// SAFETY: the description covers witnesses whose league index is in the range, which ends with the parts, and whose last components are in the
// View's other extents; `in_team` gives the number of rows of the team's own part, with which nested loops are compared. Both Views are
// described and borrowed, the first one exclusively, and called written. The two accessors have no element in common, as for `OnlyPartsMut`: the
// first one has the part of its team, whose league rank is in the range.
unsafe impl<T, const R: usize, M, L, D> KernelArg for NestedOnlyPartsMut<'_, T, R, M, L, D>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
    D: Division,
{
    type Raw = (RawNestedParts<T, R, L, D>, RawOtherParts<T, R, L, D>);
    type Access<'k> = (NestedPartsMutAccess<'k, T, R, L, D>, OtherPartsAccess<'k, T, R, L, D>);
    type Held = ();
    type Memory = (M, ());
    const BY_TEAM: bool = true;
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        self.only.describe_as(R + 1, true, visit);
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        let (raw, division) = (self.only.parts.view.raw_mut(), self.only.parts.divided.division);
        let (first, end) = self.only.range;
        // SAFETY: the division was made for this View's extent.
        (unsafe { (RawNestedParts::new(raw, division), RawOtherParts::new(raw, division, first, end)) }, ())
    }
    #[inline(always)]
    unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows) {
        // SAFETY: by the contract of `in_team`, the launch covers the league, so the team has a part; the borrows live.
        let (own, rows) = unsafe { raw.0.of(league_rank) };
        ((own, raw.1), rows)
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the raw form is that of the team branded `'k`, whose league rank is in the range, and with
        // whose number of rows nested loops are compared; the borrows live. Only nested witnesses index the first accessor, and there are
        // none outside teams.
        unsafe { (NestedPartsMutAccess::new(raw.0), OtherPartsAccess::new(raw.1)) }
    }
}
