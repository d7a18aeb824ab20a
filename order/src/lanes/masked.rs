//! Lanes in registers, of which loops leave out some under masks: values without drop glue, all of which are live.

use core::mem::needs_drop;

use spelt_reducers::Reducer;

use super::{Lanes, Storage};
use crate::body::ReduceBody;
use crate::cursor::Cursor;
use crate::stopped_tile::Stops;

impl<R: Reducer, const W: usize> Lanes<R, W> {
    /// Runs one iteration for each of the lanes from `first` up to `end`, of the row that begins at `place`. All lanes are live.
    #[inline(always)]
    pub(crate) fn some_of_row<C: Copy>(
        &mut self,
        first: usize,
        end: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        self.some(first, end, place, 0, body);
    }

    /// Runs one iteration, along the line from `place`, for the lanes from `first` on, `count` of them. All lanes are live.
    #[inline(always)]
    pub(crate) fn some_of_line<C: Copy>(
        &mut self,
        first: usize,
        count: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        self.some(first, first + count, place, first, body);
    }

    /// Runs one iteration for each of the lanes from `first` up to `end`; that of lane `origin` is at `place`. All lanes are live.
    ///
    /// A loop over all lanes, so that it becomes vector code under masks.
    #[inline(always)]
    fn some<C: Copy>(
        &mut self,
        first: usize,
        end: usize,
        place: C,
        origin: usize,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        debug_assert!(self.live == W && Self::COPIES);
        assert!(first < end && end <= W);
        // The first one before the loop, so that what the closure reads through references that it captures is known in the loop: reads
        // that depend on a condition would not become vector code.
        // SAFETY: all lanes are live.
        let mut at_first = unsafe { self.storage.take(first) };
        body.run(place, first - origin, &mut at_first);
        // Half as wide as a place: more of them fit into a vector.
        let (first, count) = (first as u32, (end - first) as u32);
        // In registers, as in `rows`.
        let (mut before, mut after) = (Storage::<R, W>::new(), Storage::<R, W>::new());
        // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
        before.0 = unsafe { core::ptr::read(&self.storage.0) };
        for lane in 0..W as u32 {
            // SAFETY: all lanes are live.
            let mut value = unsafe { before.take(lane as usize) };
            let next = lane.wrapping_sub(first);
            if next.wrapping_sub(1) < count - 1 {
                body.run(place, (lane as usize).wrapping_sub(origin), &mut value);
            }
            // Elsewhere: where a value stays as it is, the compiler would leave out the store, and then have a loop of branches.
            if next == 0 {
                // SAFETY: without drop glue, a copy of the bytes is a copy of the value.
                value = unsafe { core::ptr::read(&at_first) };
            }
            after.put(lane as usize, value);
        }
        self.storage.0 = after.0;
    }

    /// Runs whole lines, at most `left` iterations, beginning in the first lane; a row that a line leaves incomplete is filled from the next one.
    /// Stops in the first lane if less than a row is left on the line, or at the end of `left`. Returns the number of iterations. All lanes are live.
    #[inline(always)]
    pub(crate) fn lines<C: Cursor>(
        &mut self,
        left: usize,
        place: &mut C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> usize {
        // No constant: that is evaluated for values that have no such tiles, too.
        assert!(!needs_drop::<R::Value>(), "lanes in registers are not dropped");
        debug_assert!(self.live == W && Self::COPIES);
        // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
        let mut values = Storage(unsafe { core::ptr::read(&self.storage.0) });
        let mut done = 0;
        loop {
            let along = place.line().min(left - done);
            if along < W {
                break;
            }
            // SAFETY: all lanes are live, with values that have no drop glue.
            values = unsafe { Self::rows_under_masks::<true, C>(values, along, *place, body) };
            place.advance(along);
            done += along;
            let begun = along % W;
            if begun == 0 {
                continue;
            }
            let rest = W - begun;
            if place.line().min(left - done) < rest {
                break;
            }
            // SAFETY: all lanes have the values of the rows before, without drop glue.
            values = unsafe { Self::from_lane(values, begun, *place, body) };
            place.advance(rest);
            done += rest;
        }
        self.storage.0 = values.0;
        done
    }

    /// The values after one iteration for each lane from `first` on, along the line from `place`.
    ///
    /// # Safety
    /// All lanes have values, without drop glue.
    #[inline(always)]
    unsafe fn from_lane<C: Copy>(
        before: Storage<R, W>,
        first: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) -> Storage<R, W> {
        assert!(first < W);
        let mut after = Storage::<R, W>::new();
        for lane in 0..W as u32 {
            // SAFETY: all lanes have values, as the contract asks, of which these are copies.
            let mut value = unsafe { before.take(lane as usize) };
            if lane >= first as u32 {
                body.run(place, (lane as usize).wrapping_sub(first), &mut value);
            }
            after.put(lane as usize, value);
        }
        after
    }

    /// Calls `keep` with each lane that the first `done` iterations have begun; all lanes have values.
    #[cold]
    #[inline(never)]
    fn keep_begun(lanes: &Storage<R, W>, done: usize, stops: &mut (impl Stops<R::Value> + ?Sized)) {
        for lane in 0..done.min(W) {
            // SAFETY: all lanes have values, as this function asks, and values have no drop glue.
            stops.keep(lane, unsafe { lanes.take(lane) });
        }
    }

    /// Calls `keep` with each lane that the first `done` iterations have begun; all lanes are live. No lane is left.
    #[inline(always)]
    pub(crate) fn stop(&mut self, done: usize, stops: &mut (impl Stops<R::Value> + ?Sized)) {
        debug_assert!(self.live == W && Self::COPIES);
        self.live = 0;
        // By reference: with an address, the values stay an array in memory until the loops' copies of it are vectors.
        Self::keep_begun(&self.storage, done, stops);
    }

    /// [`halve`](Self::halve) of the lanes that `len` iterations, at least one, have begun; all lanes are live.
    #[inline(always)]
    pub(crate) fn halve_begun(&mut self, len: usize, reducer: &R) -> R::Value {
        debug_assert!(self.live == W && Self::COPIES);
        if W == 1 {
            self.live = 0;
            // SAFETY: the lane was live, and is not used again.
            return unsafe { self.storage.take(0) };
        }
        if len >= W {
            return self.join_all(reducer);
        }
        self.live = 0;
        let mut halved = Storage::<R, W>::new();
        // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
        halved.0 = unsafe { core::ptr::read(&self.storage.0) };
        let mut half = W / 2;
        while half > 0 {
            for lane in 0..half {
                // SAFETY: all lanes have values.
                let (mut value, other) = unsafe { (halved.take(lane), halved.take(lane + half)) };
                if lane + half < len {
                    reducer.join(&mut value, &other);
                }
                halved.put(lane, value);
            }
            half /= 2;
        }
        // SAFETY: lane 0 has a value.
        unsafe { halved.take(0) }
    }
}
