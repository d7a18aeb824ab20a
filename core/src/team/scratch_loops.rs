//! The loops that write scratch.
//!
//! A loop owns a box of the array, and each iteration owns an element, a row or a pair of it, which is lent for the call of the body.
//! Nothing that a body gets outlives the call, so no witness has to be compared with the loop. All threads meet before and after the loop.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, Range};

use spelt_access::{Element, NestedIdx};
use spelt_order::cursor::{Boxed, Cursor, Line, Place};
use spelt_policies::{IntoRange, ThreadRange};

use super::alone::each;
use super::mode::Mode;
use super::scratch_view::{Part, outside};
use super::{ScratchView, Team};
use crate::device::on_device;

/// The elements of a [`ScratchView`] that a loop does not write: its bodies may read them, `rest[[i, j]]`.
///
/// # Panics
/// If the index is out of bounds, or within the box that the loop writes.
pub struct ScratchRest<'e, T, const R: usize> {
    part: Part<T, R>,
    lower: [usize; R],
    upper: [usize; R],
    brand: PhantomData<&'e T>,
}

impl<T, const R: usize> Clone for ScratchRest<'_, T, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize> Copy for ScratchRest<'_, T, R> {}

impl<T, const R: usize> fmt::Debug for ScratchRest<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScratchRest").field("extents", &self.part.extents).finish_non_exhaustive()
    }
}

impl<'e, T, const R: usize> ScratchRest<'e, T, R> {
    /// The elements of an array beyond a box that a loop writes.
    #[inline(always)]
    pub(super) fn beyond(part: Part<T, R>, lower: [usize; R], upper: [usize; R]) -> Self {
        Self { part, lower, upper, brand: PhantomData }
    }
}

/// The box of a loop over scratch of rank `R`: an array of ranges, each `n` for `0..n` or a range; for rank 1, also one of these.
///
/// The trait is sealed, because the box determines the memory that a team accesses.
///
/// # Examples
/// ```
/// use spelt_core::IntoBox;
/// fn first<const R: usize>(ranges: impl IntoBox<R>) -> usize {
///     ranges.into_box()[0].start
/// }
/// assert_eq!((first([3..8, 0..2]), first(3..8), first(8)), (3, 3, 0));
/// ```
pub trait IntoBox<const R: usize>: sealed::Sealed {
    /// The indices in each dimension; a range that ends before it starts is empty.
    fn into_box(self) -> [Range<usize>; R];
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for core::ops::Range<usize> {}
    impl<I: spelt_policies::IntoRange, const R: usize> Sealed for [I; R] {}
}

impl<I: IntoRange, const R: usize> IntoBox<R> for [I; R] {
    #[inline(always)]
    fn into_box(self) -> [Range<usize>; R] {
        // The policy's range does not end before it starts.
        self.map(|range| ThreadRange::new(range).range())
    }
}

impl IntoBox<1> for usize {
    #[inline(always)]
    fn into_box(self) -> [Range<usize>; 1] {
        [self].into_box()
    }
}

impl IntoBox<1> for Range<usize> {
    #[inline(always)]
    fn into_box(self) -> [Range<usize>; 1] {
        [ThreadRange::new(self).range()]
    }
}

impl<V, K> Team<'_, V, K> {
    /// Calls `body` for `count` iterations, distributed over all lanes of the team.
    #[inline(always)]
    pub(super) fn distribute<C: Cursor>(
        &mut self,
        count: usize,
        place: impl Fn(usize) -> C,
        body: impl FnMut(C, usize),
    ) {
        match &mut self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) => {
                if count > 0 {
                    member.each(true, place(0), count, body);
                }
                // A loop whose only iteration is known to the compiler is a branch of a single lane, as `single` has it.
                spelt_kernels_gpu::team::join_branches();
            }
            mode => {
                let (first, step) = if let Mode::Gang(_) = mode { (self.rank, self.size) } else { (0, 1) };
                each(place, first, step, count, body);
            }
        }
    }
}

impl<'k, T: Element, const R: usize> ScratchView<'k, '_, T, R> {
    /// Lends each element of the box `ranges` to `body`, which may write it; the box is distributed over all lanes of the team.
    ///
    /// The body gets the index, the element, and the elements outside the box to read. When this returns on any thread, all iterations have
    /// finished, and their writes are visible.
    ///
    /// # Panics
    /// If the box exceeds the array; if the team's threads do not all make this call, with the same array and the same box.
    ///
    /// # Complexity
    /// The team meets twice.
    ///
    /// # Examples
    /// An LU factorization without pivoting: each step reads a row and a column, and writes the elements below and to the right of them.
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let mut y = View::<f64, 1>::zeros("y", [1])?;
    /// parallel_for("lu", space.team(1, AUTO).scratch(9 * 8, 0), &mut y, |team, mut y| {
    ///     let determinant = team.with_scratch_mut([3, 3], |[i, j]| if i == j { 4.0 } else { 1.0 }, |team, mut s| {
    ///         for k in 0..3 {
    ///             s.write(team, [k + 1..3, k..k + 1], |_, element, rest| *element /= rest[[k, k]]);
    ///             s.write(team, [k + 1..3, k + 1..3], |[i, j], element, rest| {
    ///                 *element -= rest[[i, k]] * rest[[k, j]];
    ///             });
    ///         }
    ///         s[[0, 0]] * s[[1, 1]] * s[[2, 2]]
    ///     });
    ///     team.single(|w| y[w] = determinant);
    /// })?;
    /// assert_eq!(y[0], 54.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    /// Two buffers that take turns are the rows of one array: each sweep of Jacobi's method writes a row and reads the other.
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let (space, n) = (Serial::new(), 5);
    /// let mut y = View::<f64, 1>::zeros("y", [1])?;
    /// parallel_for("jacobi", space.team(1, AUTO).scratch(2 * n * 8, 0), &mut y, |team, mut y| {
    ///     let ends = |[_, j]: [usize; 2]| if j == n - 1 { 8.0 } else { 0.0 };
    ///     let middle = team.with_scratch_mut([2, n], ends, |team, mut s| {
    ///         for sweep in 0..100 {
    ///             let (from, to) = (sweep % 2, 1 - sweep % 2);
    ///             s.write(team, [to..to + 1, 1..n - 1], |[_, j], element, rest| {
    ///                 *element = 0.5 * (rest[[from, j - 1]] + rest[[from, j + 1]]);
    ///             });
    ///         }
    ///         s[[0, n / 2]]
    ///     });
    ///     team.single(|w| y[w] = middle);
    /// })?;
    /// assert!((y[0] - 4.0).abs() < 1e-9); // on the line from 0 to 8
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write<V, K>(
        &mut self,
        team: &mut Team<'k, V, K>,
        ranges: impl IntoBox<R>,
        mut body: impl FnMut([usize; R], &mut T, ScratchRest<'_, T, R>),
    ) {
        let ranges = ranges.into_box();
        let (lower, upper) = (ranges.each_ref().map(|range| range.start), ranges.map(|range| range.end));
        let count = (0..R).map(|d| upper[d] - lower[d]).fold(1_usize, usize::saturating_mul);
        let part = self.begin(team, ("write", count), lower, upper);
        let rest = ScratchRest::beyond(part, lower, upper);
        let place = |offset| Boxed::new(lower, upper, offset);
        team.distribute(count, place, |place, distance| {
            let index = place.at(distance);
            // SAFETY: the box is within the array and the same on all threads, which share its iterations; so this one alone has the
            // element, others read only beyond the box, and the reference ends with the call.
            body(index, unsafe { &mut *part.place(index) }, rest);
        });
        self.end(team, count, part);
    }

    /// Lends each row `[i, ..]` with `i` in `range` to `body`, as a slice that it may write; the rows are distributed over all lanes of
    /// the team.
    ///
    /// The body gets `i`, the row (a plane, for rank 3), and the other rows to read.
    ///
    /// # Panics
    /// As [`write`](Self::write). An array of rank 1 has no rows: it does not compile.
    ///
    /// # Complexity
    /// The team meets twice.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let mut y = View::<usize, 1>::zeros("y", [1])?;
    /// parallel_for("rows", space.team(1, AUTO).scratch(12 * 8, 0), &mut y, |team, mut y| {
    ///     let last = team.with_scratch_mut([3, 4], |[i, j]| 4 * i + j, |team, mut s| {
    ///         s.write_rows(team, 1..3, |_, row, rest| {
    ///             row.reverse();
    ///             row[3] += rest[[0, 1]];
    ///         });
    ///         s[[2, 3]]
    ///     });
    ///     team.single(|w| y[w] = last);
    /// })?;
    /// assert_eq!(y[0], 9);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_rows<V, K>(
        &mut self,
        team: &mut Team<'k, V, K>,
        range: impl IntoRange,
        mut body: impl FnMut(usize, &mut [T], ScratchRest<'_, T, R>),
    ) {
        const { assert!(R > 1, "scratch of rank 1 has no rows: use `write`") };
        let range = ThreadRange::new(range).range();
        let (mut lower, mut upper) = ([0; R], self.part.extents);
        (lower[0], upper[0]) = (range.start, range.end);
        let count = range.len();
        let part = self.begin(team, ("write_rows", count), lower, upper);
        let rest = ScratchRest::beyond(part, lower, upper);
        let len = part.row_len();
        let place = |offset| Line { index: range.start + offset };
        team.distribute(count, place, |place, distance| {
            let i = place.index + distance;
            // SAFETY: the rows are within the array and the same on all threads, which share the iterations; so this one alone has row
            // `i`, others read only other rows than these, and the slice ends with the call.
            let row = unsafe { core::slice::from_raw_parts_mut(part.start.wrapping_add(i * len), len) };
            body(i, row, rest);
        });
        self.end(team, count, part);
    }

    /// Lends all elements to `body` on one lane of the team, as a slice that it may write; the last index varies fastest.
    ///
    /// # Panics
    /// If the team's threads do not all make this call, with the same array.
    ///
    /// # Complexity
    /// The team meets twice.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let mut y = View::<usize, 1>::zeros("y", [1])?;
    /// parallel_for("prefixes", space.team(1, AUTO).scratch(5 * 8, 0), &mut y, |team, mut y| {
    ///     let total = team.with_scratch_mut([5], |[i]| i, |team, mut s| {
    ///         s.write_all(team, |s| (1..5).for_each(|i| s[i] += s[i - 1]));
    ///         s[4]
    ///     });
    ///     team.single(|w| y[w] = total);
    /// })?;
    /// assert_eq!(y[0], 10);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_all<V, K>(&mut self, team: &mut Team<'k, V, K>, mut body: impl FnMut(&mut [T])) {
        let extents = self.part.extents;
        let part = self.begin(team, ("write_all", 1), [0; R], extents);
        let len = extents.iter().product();
        team.distribute(
            1,
            |index| Line { index },
            |_, _| {
                // SAFETY: the array has these elements, all filled, and one lane of the team has the only iteration, while the others wait
                // for its end; the slice ends with the call.
                body(unsafe { core::slice::from_raw_parts_mut(part.start, len) });
            },
        );
        self.end(team, 1, part);
    }

    /// Takes the array's elements out of `self` and meets the team, which is about to write the box `lower..upper`.
    #[inline(always)]
    #[track_caller]
    pub(super) fn begin<V, K>(
        &mut self,
        team: &mut Team<'k, V, K>,
        (kind, count): (&'static str, usize),
        lower: [usize; R],
        upper: [usize; R],
    ) -> Part<T, R> {
        if (0..R).any(|d| upper[d] > self.part.extents[d] || lower[d] > upper[d]) {
            beyond(&lower, &upper, &self.part.extents);
        }
        let number = self.part.number(&lower, &upper);
        self.begin_numbered(team, (kind, count), number)
    }

    /// [`begin`](Self::begin) for the part of the array that has this number among those of this kind of loop.
    ///
    /// A body that panics leaves `self` without elements: a kernel that catches the panic cannot read elements that other threads write.
    #[inline(always)]
    #[track_caller]
    fn begin_numbered<V, K>(
        &mut self,
        team: &mut Team<'k, V, K>,
        (kind, count): (&'static str, usize),
        number: u64,
    ) -> Part<T, R> {
        let part = self.part;
        self.part.extents = [0; R];
        // An array without elements begins where the next one does: its parts get a number that no part with elements has.
        let number = if part.extents.contains(&0) { u64::MAX } else { number };
        team.meet_in_scratch::<T>(kind, count, [self.before as u64, number]);
        part
    }

    /// Meets the team, whose writes are done, and gives the elements back.
    #[inline(always)]
    #[track_caller]
    pub(super) fn end<V, K>(&mut self, team: &mut Team<'k, V, K>, count: usize, part: Part<T, R>) {
        // A separate kind: a member that caught the panic of a body and called again must not count as one that has finished.
        team.meet::<T>("end of a loop over scratch", count);
        self.part = part;
    }
}

impl<'k, T: Element> ScratchView<'k, '_, T, 1> {
    /// Lends each element `j` in `range` to `body`, which may write it, with the witness of the pair (league, `j`): so `a[rj]` of a View that
    /// the kernel writes comes into scratch. The range is distributed as by a [`thread_range`](Team::thread_range).
    ///
    /// # Panics
    /// If the range exceeds the array, or a View that the witnesses index; if the team's threads do not all make this call, with the same
    /// array and the same range.
    ///
    /// # Complexity
    /// The team meets three times.
    ///
    /// # Examples
    /// Each row is turned round in place:
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let mut a = View::from_fn("a", [2, 3], |[i, j]| 10 * i + j)?;
    /// parallel_for("turn", space.team(2, AUTO).scratch(3 * 8, 0), &mut a, |team, mut a| {
    ///     team.with_scratch_mut([3], |_| 0, |team, mut s| {
    ///         s.write_nested(team, 3, |rj, element| *element = a[rj]);
    ///         team.parallel_for(team.thread_range(3), |rj| a[rj] = s[2 - rj.inner()]);
    ///     });
    /// })?;
    /// assert_eq!(a.to_vec(), [2, 1, 0, 12, 11, 10]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_nested<V>(
        &mut self,
        team: &mut Team<'k, V>,
        range: impl IntoRange,
        mut body: impl for<'j> FnMut(NestedIdx<'k, 'j, 2>, &mut T),
    ) {
        let policy = ThreadRange::new(range);
        let (range, count) = (policy.range(), policy.range().len());
        let part = self.begin(team, ("write_nested", count), [range.start], [range.end]);
        team.parallel_for(policy, |rj| {
            // SAFETY: the range is within the array and the same on all threads, which share its iterations; so this one alone has the
            // element with its second index, and the reference ends with the call.
            body(rj, unsafe { &mut *part.place([rj.inner()]) });
        });
        self.end(team, count, part);
    }

    /// Lends pairs of elements at a distance of `stride` to `body`, which may write both: the steps of bitonic sorts and fast Fourier
    /// transforms. The pairs are distributed over all lanes of the team.
    ///
    /// The body gets `i` and the elements `i` and `i + stride`. In each block of `2 * stride` elements, the first half is paired with the
    /// second; elements of the last block that have no partner are left out.
    ///
    /// # Panics
    /// If `stride` is 0; if the team's threads do not all make this call, with the same array and the same stride.
    ///
    /// # Complexity
    /// The team meets twice.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let mut y = View::<u32, 1>::zeros("y", [1])?;
    /// parallel_for("largest", space.team(1, AUTO).scratch(8 * 4, 0), &mut y, |team, mut y| {
    ///     let largest = team.with_scratch_mut([8], |[i]| (i as u32 * 5) % 8, |team, mut s| {
    ///         for stride in [4, 2, 1] {
    ///             s.write_pairs(team, stride, |_, a, b| *a = (*a).max(*b));
    ///         }
    ///         s[0]
    ///     });
    ///     team.single(|w| y[w] = largest);
    /// })?;
    /// assert_eq!(y[0], 7);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_pairs<V, K>(
        &mut self,
        team: &mut Team<'k, V, K>,
        stride: usize,
        mut body: impl FnMut(usize, &mut T, &mut T),
    ) {
        assert!(stride > 0, "the stride of pairs is at least 1");
        let count = pairs(self.part.extents[0], stride);
        let part = self.begin_numbered(team, ("write_pairs", count), stride as u64);
        let place = |index| Line { index };
        team.distribute(count, place, |place, distance| {
            let pair = place.index + distance;
            let first = first_of(pair, stride);
            let [a, b] = [first, first + stride].map(|index| part.start.wrapping_add(index));
            // SAFETY: the stride is the same on all threads, which share the pairs; pairs have no element in common, and both
            // elements are within the array, as `pairs` counts only those; the references end with the call.
            unsafe { body(first, &mut *a, &mut *b) };
        });
        self.end(team, count, part);
    }
}

/// The pairs of elements `stride` apart among `len`.
#[inline(always)]
fn pairs(len: usize, stride: usize) -> usize {
    // If a block has more elements than can be counted, none is whole.
    let (whole, rest) = stride.checked_mul(2).map_or((0, len), |block| (len / block, len % block));
    whole * stride + rest.saturating_sub(stride)
}

/// The first element of a pair.
#[inline(always)]
fn first_of(pair: usize, stride: usize) -> usize {
    // Each block before it has `stride` pairs and `2 * stride` elements.
    pair + (pair - pair % stride)
}

impl<T: Element, const R: usize> Index<[usize; R]> for ScratchRest<'_, T, R> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: [usize; R]) -> &T {
        if !self.part.contains(&index) {
            outside(&index, &self.part.extents);
        }
        if (0..R).all(|d| self.lower[d] <= index[d] && index[d] < self.upper[d]) {
            written(&index, &self.lower, &self.upper);
        }
        // SAFETY: the element is within the array, is filled, and lies beyond the box that the loop writes, which is the same on all
        // threads.
        unsafe { &*self.part.place(index) }
    }
}

impl<T: Element> Index<usize> for ScratchRest<'_, T, 1> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        &self[[index]]
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn written(index: &[usize], lower: &[usize], upper: &[usize]) -> ! {
    if on_device() {
        panic!("a loop over scratch reads an element of the box that it writes");
    }
    panic!(
        "a loop over scratch reads the element {index:?} of the box from {lower:?} to {upper:?} that it writes"
    )
}

#[cold]
#[inline(never)]
#[track_caller]
fn beyond(lower: &[usize], upper: &[usize], extents: &[usize]) -> ! {
    if on_device() {
        panic!("a loop exceeds the extents of scratch");
    }
    panic!("a loop from {lower:?} to {upper:?} exceeds the extents {extents:?} of scratch")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{first_of, pairs};

    #[test]
    fn pairs_are_counted_and_have_no_element_in_common() {
        for len in 0..70 {
            for stride in 1..80 {
                let mut seen = HashSet::new();
                let leads = |i: usize| (i / stride).is_multiple_of(2) && i + stride < len;
                for pair in 0..pairs(len, stride) {
                    let first = first_of(pair, stride);
                    assert!(leads(first), "{len}, {stride}");
                    assert!(seen.insert(first) && seen.insert(first + stride), "{len}, {stride}");
                }
                let wanted = (0..len).filter(|&i| leads(i)).count();
                assert_eq!(pairs(len, stride), wanted, "{len}, {stride}");
            }
        }
        assert_eq!(pairs(usize::MAX, usize::MAX - 1), 1);
    }
}
