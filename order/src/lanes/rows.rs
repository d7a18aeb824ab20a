//! Rows of lanes one by one, all of which are live: values without drop glue.

use core::mem::needs_drop;

use spelt_reducers::Reducer;

use super::{Lanes, Storage};
use crate::body::ReduceBody;

impl<R: Reducer, const W: usize> Lanes<R, W> {
    /// All lanes, without an iteration.
    #[inline(always)]
    pub(crate) fn all(reducer: &R) -> Self {
        const { assert!(!needs_drop::<R::Value>()) };
        let mut storage = Storage::new();
        for lane in 0..W {
            storage.put(lane, reducer.init());
        }
        Self { storage, live: W }
    }

    /// Runs one iteration for each lane, of the row that begins `along` places after `place`.
    #[inline(always)]
    pub(crate) fn next_row<C: Copy>(
        &mut self,
        place: C,
        along: usize,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        for lane in 0..W {
            // SAFETY: all lanes are live.
            let mut value = unsafe { self.storage.take(lane) };
            body.run(place, along + lane, &mut value);
            self.storage.put(lane, value);
        }
    }

    /// [`next_row`](Self::next_row), and then another iteration for the first `count` lanes, of the row behind it.
    ///
    /// A loop over all lanes, so that it becomes vector code under masks. In one loop with a whole row, so that what the closure reads through
    /// references that it captures is known where a condition leaves out lanes; and so that the loop is too long to be written out before it is
    /// vector code.
    #[inline(always)]
    pub(crate) fn last_rows_masked<C: Copy>(
        &mut self,
        count: usize,
        place: C,
        along: usize,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        // Half as wide as a place: more of them fit into a vector.
        let count = count as u32;
        let mut after = Storage::<R, W>::new();
        for lane in 0..W as u32 {
            // SAFETY: all lanes are live.
            let mut value = unsafe { self.storage.take(lane as usize) };
            body.run(place, along + lane as usize, &mut value);
            if lane < count {
                body.run(place, along + W + lane as usize, &mut value);
            }
            // Elsewhere: where a value stays as it is, the compiler would leave out the store, and then have a loop of branches.
            after.put(lane as usize, value);
        }
        self.storage.0 = after.0;
    }
}
