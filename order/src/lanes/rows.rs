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

    /// Runs two iterations for each lane, of the row that begins `along` places after `place` and of the next one.
    ///
    /// Two, as the loop over the lanes must reach the loop vectoriser as a loop: see [`UNROLLED_ROWS`](Self::UNROLLED_ROWS).
    #[inline(always)]
    pub(crate) fn two_rows<C: Copy>(
        &mut self,
        place: C,
        along: usize,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        for lane in 0..W {
            // SAFETY: all lanes are live.
            let mut value = unsafe { self.storage.take(lane) };
            body.run(place, along + lane, &mut value);
            body.run(place, along + W + lane, &mut value);
            self.storage.put(lane, value);
        }
    }

    /// Runs the last `left` iterations of a line, at least a row and fewer than three, from `along` places after `place` on.
    ///
    /// A loop over all lanes, so that it becomes vector code under masks. What the closure reads through references that it captures is known
    /// from the first row where a condition leaves out lanes: such reads would not become vector code otherwise.
    #[inline(always)]
    pub(crate) fn last_rows<C: Copy>(
        &mut self,
        left: usize,
        place: C,
        along: usize,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        // Half as wide as a place: more of them fit into a vector.
        let left = left as u32;
        let mut after = Storage::<R, W>::new();
        for lane in 0..W as u32 {
            // SAFETY: all lanes are live.
            let mut value = unsafe { self.storage.take(lane as usize) };
            body.run(place, along + lane as usize, &mut value);
            if lane + (W as u32) < left {
                body.run(place, along + W + lane as usize, &mut value);
            }
            if lane + 2 * (W as u32) < left {
                body.run(place, along + 2 * W + lane as usize, &mut value);
            }
            // Elsewhere: where a value stays as it is, the compiler would leave out the store, and then have a loop of branches.
            after.put(lane as usize, value);
        }
        self.storage.0 = after.0;
    }
}
