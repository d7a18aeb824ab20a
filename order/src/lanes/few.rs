//! The end of a tile whose last row has few iterations: scalars and vectors do not exchange values through memory.
//!
//! A vector that is loaded where single lanes were stored just before waits until they are in the cache, and so do all tiles behind it.
//! [`FEW`] lanes are a vector themselves.

use core::hint::black_box;

use spelt_reducers::Reducer;

use super::{FEW, Lanes, Storage};
use crate::body::ReduceBody;

impl<R: Reducer, const W: usize> Lanes<R, W> {
    /// Whether a last row of fewer than [`FEW`] iterations ends by [`end_with_few`](Self::end_with_few).
    pub(crate) const HAS_FEW: bool =
        Self::COPIES && (W == 2 * FEW || W == 4 * FEW) && size_of::<R::Value>() <= 8;

    /// Runs one iteration, along the line from `place`, for each of the first `count` lanes, fewer than [`FEW`], and joins all lanes as
    /// [`halve`](Self::halve) does. All lanes are live.
    #[inline(always)]
    pub(crate) fn end_with_few<C: Copy>(
        &mut self,
        count: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
        mut join: impl FnMut(&mut R::Value, &R::Value),
    ) -> R::Value {
        debug_assert!(self.live == W && Self::HAS_FEW && count < FEW);
        self.live = 0;
        // Rows before may have left vectors in memory: a load that spans two of them would wait for both stores.
        if const { size_of::<R::Value>() == 4 } {
            self.storage.in_registers::<4>();
        }
        // The first step but for the first lanes, whose values are not complete.
        let mut above = Storage::<R, FEW>::new();
        if W == 4 * FEW {
            for lane in 0..FEW {
                // SAFETY: all lanes have values, which are used once.
                let (mut value, other) =
                    unsafe { (self.storage.take(FEW + lane), self.storage.take(3 * FEW + lane)) };
                join(&mut value, &other);
                above.put(lane, value);
            }
            // The compiler packs a step starting from here.
            if const { size_of::<R::Value>() == 4 } {
                above.in_registers::<4>();
            } else {
                black_box(&mut above.0);
            }
        }
        let mut first = Storage::<R, FEW>::new();
        for lane in 0..FEW {
            // SAFETY: all lanes have values, which are used once.
            let (mut value, other) = unsafe { (self.storage.take(lane), self.storage.take(W / 2 + lane)) };
            if lane < count {
                body.run(place, lane, &mut value);
            }
            join(&mut value, &other);
            if W == 4 * FEW {
                // SAFETY: all of them have values, which are used once.
                join(&mut value, &unsafe { above.take(lane) });
            }
            first.put(lane, value);
        }
        let mut half = FEW / 2;
        while half > 0 {
            for lane in 0..half {
                // SAFETY: lanes below `2 half` have values, and these are replaced or not used again.
                let (mut value, other) = unsafe { (first.take(lane), first.take(lane + half)) };
                join(&mut value, &other);
                first.put(lane, value);
            }
            half /= 2;
        }
        // SAFETY: lane 0 has a value.
        unsafe { first.take(0) }
    }
}
