//! All lanes of a line, from the first row on: values without drop glue.

use core::mem::needs_drop;

use spelt_reducers::Reducer;

use super::{Lanes, Storage};
use crate::body::ReduceBody;
use crate::canonical::ROWS;
use crate::opaque::opaque;

impl<R: Reducer, const W: usize> Lanes<R, W> {
    /// The lanes after the first `len` iterations of a line, at least a row, from `place` on.
    ///
    /// `MASKS`: as [`reduce_tile_with`](crate::tile::reduce_tile_with).
    #[inline(always)]
    pub(crate) fn of_line<const MASKS: bool, C: Copy>(
        reducer: &R,
        len: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> Self {
        assert!(len >= W);
        let values = Self::initial(reducer);
        if MASKS {
            // SAFETY: `initial` gave all lanes values, which it found to have no drop glue.
            let storage = unsafe { Self::rows_under_masks::<false, C>(values, len, place, body) };
            return Self { storage, live: W };
        }
        let pairs = len / (2 * W);
        // SAFETY: `initial` gave all lanes values, which it found to have no drop glue.
        let values = unsafe { Self::pairs_of_rows::<false, false, C>(values, pairs, place, body) };
        let (done, left) = (pairs * 2 * W, len - pairs * 2 * W);
        let mut lanes = Self { storage: values, live: W };
        lanes.part_from(0, left.min(W), place, done, body);
        lanes.part_from(0, left.saturating_sub(W), place, done + W, body);
        lanes
    }

    /// The values after the first `len` iterations of a line, at least a row, from `place` on.
    ///
    /// `GUARDED`: as [`pairs_of_rows`](Self::pairs_of_rows).
    ///
    /// # Safety
    /// All lanes have values, without drop glue.
    #[inline(always)]
    pub(super) unsafe fn rows_under_masks<const GUARDED: bool, C: Copy>(
        values: Storage<R, W>,
        len: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> Storage<R, W> {
        let pairs = (len - W) / (2 * W);
        // SAFETY: all lanes have values without drop glue, as the contract asks, and so they have afterwards.
        unsafe {
            let values = Self::pairs_of_rows::<true, GUARDED, C>(values, pairs, place, body);
            // A row under masks takes as long as a whole one.
            let (done, left) = (pairs * 2 * W, len - pairs * 2 * W);
            if left > 2 * W {
                Self::last_rows::<true, C>(&values, left, place, done, body)
            } else {
                Self::last_rows::<false, C>(&values, left, place, done, body)
            }
        }
    }

    /// The initial values of all lanes.
    #[inline(always)]
    fn initial(reducer: &R) -> Storage<R, W> {
        // No constant: that is evaluated for reducers of which no tile is short, too.
        assert!(!needs_drop::<R::Value>(), "lanes in registers are not dropped");
        // Nothing points to it, so that it lives in registers where only loops of constant length touch it.
        let mut values = Storage::<R, W>::new();
        for lane in 0..W {
            values.put(lane, reducer.init());
        }
        values
    }

    /// The lanes after `rows` rows of a line, at least one, from `place` on. No loop over them has a run-time length.
    #[inline(always)]
    pub(crate) fn of_rows<C: Copy>(
        reducer: &R,
        rows: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> Self {
        let values = Self::initial(reducer);
        let single = rows % 2 == 1;
        // A single row behind pairs would be written out as scalars, of which the compiler makes vectors of two lanes: it runs with the last pair.
        let pairs = if single { rows.saturating_sub(3) / 2 } else { rows / 2 };
        // SAFETY: `initial` gave all lanes values, which it found to have no drop glue.
        let mut storage = unsafe { Self::pairs_of_rows::<false, false, C>(values, pairs, place, body) };
        if single && rows > 1 {
            for lane in 0..W {
                // SAFETY: all lanes have values, without drop glue, and are given new ones below.
                let mut value = unsafe { storage.take(lane) };
                body.run(place, (rows - 3) * W + lane, &mut value);
                body.run(place, (rows - 2) * W + lane, &mut value);
                body.run(place, (rows - 1) * W + lane, &mut value);
                storage.put(lane, value);
            }
        }
        let mut lanes = Self { storage, live: W };
        if rows == 1 {
            lanes.part_from(0, W, place, 0, body);
        }
        lanes
    }

    /// The lanes of a whole tile, on a line from `place` on.
    #[inline(always)]
    pub(crate) fn of_whole_tile<C: Copy>(
        reducer: &R,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> Self {
        let mut values = Self::initial(reducer);
        // A number that the compiler knows would be rounds written out, with stores between them.
        for round in 0..opaque(ROWS / 4) {
            let along = round * 4 * W;
            // Written out as in `rows`: the loop over the lanes must reach the loop vectoriser as a loop.
            for lane in 0..W {
                // SAFETY: all lanes have values, without drop glue, and are given new ones below.
                let mut value = unsafe { values.take(lane) };
                body.run(place, along + lane, &mut value);
                body.run(place, along + W + lane, &mut value);
                body.run(place, along + 2 * W + lane, &mut value);
                body.run(place, along + 3 * W + lane, &mut value);
                values.put(lane, value);
            }
        }
        Self { storage: values, live: W }
    }

    /// The lanes of two whole tiles that follow one another on a line from `place` on.
    #[inline(always)]
    pub(crate) fn of_two_tiles<C: Copy>(
        reducer: &R,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> [Self; 2] {
        let (mut first, mut second) = (Self::initial(reducer), Self::initial(reducer));
        let tile = ROWS * W;
        for round in 0..opaque(ROWS / 2) {
            let along = round * 2 * W;
            for lane in 0..W {
                // SAFETY: all lanes have values, without drop glue, and are given new ones below.
                let (mut one, mut other) = unsafe { (first.take(lane), second.take(lane)) };
                body.run(place, along + lane, &mut one);
                body.run(place, tile + along + lane, &mut other);
                body.run(place, along + W + lane, &mut one);
                body.run(place, tile + along + W + lane, &mut other);
                first.put(lane, one);
                second.put(lane, other);
            }
        }
        [Self { storage: first, live: W }, Self { storage: second, live: W }]
    }

    /// The values after `pairs` pairs of rows of a line from `place` on.
    ///
    /// `GUARDED`: a condition that always holds, around the second row, keeps the compiler from writing out the loop over the lanes before it
    /// becomes vector code, as it does with short bodies. Under masks, it takes no time.
    ///
    /// # Safety
    /// All lanes have values, without drop glue.
    #[inline(always)]
    unsafe fn pairs_of_rows<const MASKS: bool, const GUARDED: bool, C: Copy>(
        mut values: Storage<R, W>,
        pairs: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> Storage<R, W> {
        let all = if GUARDED { opaque(W) as u32 } else { 0 };
        for pair in 0..pairs {
            let along = if MASKS { opaque(pair * 2 * W) } else { pair * 2 * W };
            // Two rows at once, as the loop over the lanes must reach the loop vectoriser as a loop: see `UNROLLED_ROWS`.
            for lane in 0..W {
                // SAFETY: all lanes have values, as the contract asks, and are given new ones below.
                let mut value = unsafe { values.take(lane) };
                body.run(place, along + lane, &mut value);
                if !GUARDED || (lane as u32) < all {
                    body.run(place, along + W + lane, &mut value);
                }
                values.put(lane, value);
            }
        }
        values
    }

    /// The values after the last `left` iterations of a line, at least a row and at most two, or three if `THREE`, from `along` places after
    /// `place` on.
    ///
    /// A loop over all lanes, so that it becomes vector code under masks. What the closure reads through references that it captures is known
    /// from the first row where a condition leaves out lanes: such reads would not become vector code otherwise.
    ///
    /// # Safety
    /// All lanes have values, without drop glue.
    #[inline(always)]
    unsafe fn last_rows<const THREE: bool, C: Copy>(
        before: &Storage<R, W>,
        left: usize,
        place: C,
        along: usize,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> Storage<R, W> {
        // Half as wide as a place: more of them fit into a vector.
        let left = left as u32;
        let mut after = Storage::<R, W>::new();
        for lane in 0..W as u32 {
            // SAFETY: all lanes have values, as the contract asks, of which these are copies.
            let mut value = unsafe { before.take(lane as usize) };
            body.run(place, along + lane as usize, &mut value);
            if lane + (W as u32) < left {
                body.run(place, along + W + lane as usize, &mut value);
            }
            if THREE && lane + 2 * (W as u32) < left {
                body.run(place, along + 2 * W + lane as usize, &mut value);
            }
            // Elsewhere: where a value stays as it is, the compiler would leave out the store, and then have a loop of branches.
            after.put(lane as usize, value);
        }
        after
    }
}
