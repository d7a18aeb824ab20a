//! Scratch that a team uses at any index, where the caller guarantees that its lanes use distinct elements.

use spelt_access::{DistinctAccess, Element, RawView, Right};

use super::Team;

impl<'k, V, K> Team<'k, V, K> {
    /// Fills scratch memory of the team with `fill(0)`, .., `fill(len - 1)`, distributed over its threads, and passes it to `body` on all
    /// threads, as an accessor that reads and writes any element, with a bounds check; it is free again when `body` returns.
    ///
    /// It is to [`with_scratch_mut`](Self::with_scratch_mut) what [`distinct`](crate::View::distinct) is to a View: for lanes that compute the
    /// places where they write, as permutations do.
    ///
    /// # Safety
    /// Between two meetings of the team in `body`, no two lanes touch the same element, unless both only read it. A slice touches all its
    /// elements.
    ///
    /// The team meets at a [`barrier`](Self::barrier), and at the end, but not at the beginning, of each loop, reduction and scan that it
    /// distributes: one over a [`thread_range`](Self::thread_range), not over a [`vector_range`](Self::vector_range), which each thread runs
    /// by itself. Code of `body` outside loops is executed by all lanes; so is, where threads have vector lanes, the body of a loop over a
    /// `thread_range`, by all lanes of its thread.
    ///
    /// # Panics
    /// If the policy's scratch per team is too small; if the team's threads do not all make this call with the same `len`.
    ///
    /// # Complexity
    /// Work O(`len`), besides that of `body`. The team meets twice before `body` and once after it.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let to = View::from_vec("to", [4], vec![2_usize, 0, 3, 1])?;
    /// let mut y = View::<usize, 1>::zeros("y", [1])?;
    /// parallel_for("permute", space.team(1, AUTO).scratch(4 * 8, 0), (to.lookup(), &mut y), |team, (to, mut y)| {
    ///     // SAFETY: `to` is a permutation, and each of its elements is one iteration; the loop ends with a meeting, before the read.
    ///     let last = unsafe {
    ///         team.with_distinct_scratch(4, |_| 0, |team, mut s| {
    ///             team.parallel_for(team.thread_range(4), |i| s[to[i.inner()]] = 10 * i.inner());
    ///             s[3]
    ///         })
    ///     };
    ///     team.single(|w| y[w] = last);
    /// })?;
    /// assert_eq!(y[0], 20);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub unsafe fn with_distinct_scratch<T: Element, O>(
        &mut self,
        len: usize,
        fill: impl FnMut(usize) -> T,
        body: impl for<'e> FnOnce(&mut Self, DistinctAccess<'e, T, 1>) -> O,
    ) -> O {
        self.with_filled_scratch(len, fill, |team, start| {
            // SAFETY: all threads have filled their parts of the `len` elements and met; until all have met again after `body` only these
            // accessors use them, on distinct elements, as this function asks. The accessor ends with the call, as its lifetime is any.
            let access = unsafe { DistinctAccess::new(RawView::<T, 1, Right>::new(start, [len], [1])) };
            body(team, access)
        })
    }
}
