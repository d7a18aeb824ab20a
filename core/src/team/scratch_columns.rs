//! The loop over columns of scratch: elements of one iteration each, side by side.
//!
//! On a device, lanes of a warp that each write their own column never wait for one another's bank of shared memory, whatever rows they
//! choose: lane `j` uses bank `j`, where elements have four bytes and the array has a warp's number of columns.

use core::fmt;
use core::marker::PhantomData;

use spelt_access::Element;
use spelt_order::cursor::Line;
use spelt_policies::{IntoRange, ThreadRange};

use super::{ScratchRest, ScratchView, Team};

/// A column `[.., j]` of a [`ScratchView`] of rank 2, lent by [`write_columns`](ScratchView::write_columns) to one iteration.
///
/// # Examples
/// ```
/// use spelt_core::ScratchColumn;
/// fn swap_ends(column: &mut ScratchColumn<'_, u32>) {
///     let (first, last) = (column.get(0), column.len().checked_sub(1));
///     let Some((first, last)) = first.zip(last) else { return };
///     let end = column.get(last).unwrap_or(first);
///     column.set(0, end);
///     column.set(last, first);
/// }
/// # let _ = swap_ends;
/// ```
pub struct ScratchColumn<'e, T> {
    first: *mut T,
    len: usize,
    /// The distance from one element to the next.
    step: usize,
    elements: PhantomData<&'e mut T>,
}

impl<T> fmt::Debug for ScratchColumn<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScratchColumn").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<T: Element> ScratchColumn<'_, T> {
    /// The number of rows.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "the array has as many rows in all columns")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The element of row `i`, if there is one.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: the column has this row, all elements are filled, and this iteration alone has the column.
        (i < self.len).then(|| unsafe { self.first.wrapping_add(i * self.step).read() })
    }

    /// Writes the element of row `i`, if there is one.
    #[inline(always)]
    pub fn set(&mut self, i: usize, value: T) {
        if i < self.len {
            // SAFETY: the column has this row, and this iteration alone has the column, which is borrowed mutably.
            unsafe { self.first.wrapping_add(i * self.step).write(value) };
        }
    }
}

impl<'k, T: Element> ScratchView<'k, '_, T, 2> {
    /// Lends each column `[.., j]` with `j` in `range` to `body`, which may read and write it; the columns are distributed over all lanes of
    /// the team.
    ///
    /// The body gets `j`, the column, and the other columns to read. Where each lane has an array of its own, columns suit a device better
    /// than rows: lanes then use different banks of shared memory, whatever elements they choose.
    ///
    /// # Panics
    /// If the range exceeds the array; if the team's threads do not all make this call, with the same array and the same range.
    ///
    /// # Complexity
    /// The team meets twice.
    ///
    /// # Examples
    /// Each lane counts in its own column, and then the counts are added:
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let x = View::from_fn("x", [100], |[i]| i * i % 3)?;
    /// let mut y = View::<u32, 2>::zeros("y", [1, 3])?;
    /// parallel_for("count", space.team(1, 1).scratch(3 * 4 * 4, 0), (x.lookup(), &mut y), |team, (x, mut y)| {
    ///     team.with_scratch_mut([3, 4], |_| 0, |team, mut s| {
    ///         s.write_columns(team, 0..4, |lane, column, _| {
    ///             for i in (lane..100).step_by(4) {
    ///                 let count = column.get(x[i]).unwrap_or(0);
    ///                 column.set(x[i], count + 1);
    ///             }
    ///         });
    ///         team.parallel_for(team.thread_range(3), |rj| y[rj] = s.row(rj.inner()).iter().sum());
    ///     });
    /// })?;
    /// assert_eq!(y.to_vec(), [34, 66, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_columns<V, K>(
        &mut self,
        team: &mut Team<'k, V, K>,
        range: impl IntoRange,
        mut body: impl FnMut(usize, &mut ScratchColumn<'_, T>, ScratchRest<'_, T, 2>),
    ) {
        let range = ThreadRange::new(range).range();
        let [rows, columns] = self.part.extents;
        let (lower, upper) = ([0, range.start], [rows, range.end]);
        let count = range.len();
        let part = self.begin(team, ("write_columns", count), lower, upper);
        let rest = ScratchRest::beyond(part, lower, upper);
        let place = |offset| Line { index: range.start + offset };
        team.distribute(count, place, |place, distance| {
            let j = place.index + distance;
            // The columns are within the array and the same on all threads, which share the iterations; so this one alone has column `j`,
            // others read only other columns than these, and the column ends with the call.
            let first = part.start.wrapping_add(j);
            let mut column = ScratchColumn { first, len: rows, step: columns, elements: PhantomData };
            body(j, &mut column, rest);
        });
        self.end(team, count, part);
    }
}
