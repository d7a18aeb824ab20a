//! The joins of all lanes at the end of a tile.

use core::hint::assert_unchecked;
use core::mem::{needs_drop, size_of};

use spelt_reducers::Reducer;

use super::{FEW, Lanes, Storage};
use crate::if_vector_loops;
use crate::vector_loops::VECTOR_LOOPS;

impl<R: Reducer, const W: usize> Lanes<R, W> {
    /// Joins the lanes by halving: lane `l` with `l + W/2`, then `l + W/4`, and so on; lanes that are not live
    /// are skipped. No lane is left.
    #[inline(always)]
    pub(crate) fn halve(&mut self, reducer: &R) -> Option<R::Value> {
        let live = self.live;
        if live == 0 {
            return None;
        }
        if const { needs_drop::<R::Value>() } {
            return self.halve_owned(reducer);
        }
        if_vector_loops! {{
            if live == W && W > 1 {
                return Some(self.join_all(reducer));
            }
            if const { W > FEW } && live > FEW {
                // SAFETY: more than one lane is live, but not all; values have no drop glue.
                return Some(unsafe { self.halve_part(live, reducer) });
            }
        }}
        let mut half = if const { VECTOR_LOOPS } { FEW.min(W) } else { W } / 2;
        while half > 0 {
            // Steps have a constant length: they unroll into a few branches.
            for lane in 0..half {
                if lane + half < live {
                    // SAFETY: the lane is live, and not used from here on.
                    let other = unsafe { self.storage.take(lane + half) };
                    // SAFETY: the lane is live.
                    unsafe { self.storage.with(lane, |value| reducer.join(value, &other)) };
                }
            }
            // As in `halve_all`.
            if VECTOR_LOOPS && half == 4 && live >= 4 {
                self.storage.first_in_registers::<4>();
            }
            half /= 2;
        }
        self.live = 0;
        // SAFETY: lane 0 is live and, with no live lane left, not dropped elsewhere.
        Some(unsafe { self.storage.take(0) })
    }

    /// `halve` for some of the lanes, without drop glue. All steps have constant lengths: loops over a few lanes become vector code
    /// with more instructions around them than in them.
    ///
    /// # Safety
    /// The first `live` lanes are live, at least 2 and fewer than `W`, and their values have no drop glue.
    #[inline(always)]
    unsafe fn halve_part(&mut self, live: usize, reducer: &R) -> R::Value {
        let half = live.next_power_of_two() / 2;
        // The first step joins the lanes from `half` on, in pieces by the bits of their number; later ones all lanes below.
        let above = live - half;
        let mut piece = W / 4;
        while piece > 0 {
            if above & piece != 0 {
                let first = above & !(2 * piece - 1);
                // SAFETY: the lanes from `first` on, `piece` of them, and those `half` above them are live.
                unsafe { self.join_lanes(first, half, piece, reducer) };
            }
            piece /= 2;
        }
        let mut step = W / 4;
        while step > 0 {
            if step < half {
                // SAFETY: the lanes below `half` are live, and `2 step` is at most `half`, as both are powers of two.
                unsafe { self.join_lanes(0, step, step, reducer) };
            }
            step /= 2;
        }
        self.live = 0;
        // SAFETY: lane 0 is live and, with no live lane left, not used again.
        unsafe { self.storage.take(0) }
    }

    /// Joins each of `count` lanes from `first` on with the one `half` above it.
    ///
    /// # Safety
    /// All of these lanes are live, their values have no drop glue, and the upper ones are not used again.
    #[inline(always)]
    unsafe fn join_lanes(&mut self, first: usize, half: usize, count: usize, reducer: &R) {
        assert!(first + half + count <= W);
        for lane in first..first + count {
            // SAFETY: asserted above; the lanes are live, as the contract asks.
            unsafe {
                assert_unchecked(lane + half < W);
                let other = self.storage.take(lane + half);
                self.storage.with(lane, |value| reducer.join(value, &other));
            }
        }
    }

    /// `halve` for values with drop glue: each is dropped once, also when a join panics.
    fn halve_owned(&mut self, reducer: &R) -> Option<R::Value> {
        let live = core::mem::replace(&mut self.live, 0);
        let mut values: [Option<R::Value>; W] = core::array::from_fn(|lane| {
            // SAFETY: the lane was live and, with no live lane left, is not dropped elsewhere.
            (lane < live).then(|| unsafe { self.storage.take(lane) })
        });
        let mut half = W / 2;
        while half > 0 {
            let (left, right) = values.split_at_mut(half);
            for (value, other) in left.iter_mut().zip(right) {
                if let (Some(value), Some(other)) = (value, other.take()) {
                    reducer.join(value, &other);
                }
            }
            half /= 2;
        }
        values[0].take()
    }

    /// Joins `W` live lanes without drop glue by halving.
    #[inline(always)]
    pub(crate) fn join_all(&mut self, reducer: &R) -> R::Value {
        if const { !R::HAS_CONTRIBUTED } {
            return self.halve_all(|into, from| reducer.join(into, from));
        }
        let mut contributed = Self { storage: self.copy(), live: W };
        // Those of the second half are only joined into others.
        for lane in 0..W / 2 {
            // SAFETY: all lanes have values, without drop glue, and this is a copy.
            let value = unsafe { contributed.storage.take(lane) };
            contributed.storage.put(lane, reducer.contributed(value));
        }
        let joined = contributed.halve_all(|into, from| reducer.join_contributed(into, from));
        if reducer.is_identity(&joined) {
            // A copy: that which other code sees is in memory.
            return Self { storage: self.copy(), live: W }.join_assigned(reducer);
        }
        self.live = 0;
        joined
    }

    /// A copy of the values, which have no drop glue.
    #[inline(always)]
    fn copy(&self) -> Storage<R, W> {
        let mut copy = Storage::new();
        // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
        copy.0 = unsafe { core::ptr::read(&self.storage.0) };
        copy
    }

    /// [`join_all`](Self::join_all) for any values.
    #[cold]
    #[inline(never)]
    fn join_assigned(&mut self, reducer: &R) -> R::Value {
        self.halve_all(|into, from| reducer.join(into, from))
    }

    /// `halve` for `W` live lanes without drop glue.
    #[inline(always)]
    pub(crate) fn halve_all(&mut self, mut join: impl FnMut(&mut R::Value, &R::Value)) -> R::Value {
        let mut halved = Storage::<R, W>::new();
        for lane in 0..W / 2 {
            // SAFETY: all lanes are live.
            let (mut value, other) = unsafe { (self.storage.take(lane), self.storage.take(lane + W / 2)) };
            join(&mut value, &other);
            halved.put(lane, value);
        }
        // The compiler builds vectors from the last step up, of pairs of lanes that need not be neighbours: of the last values in a register it makes
        // vectors like this up to the first step.
        let fours = const { W > FEW && size_of::<R::Value>() == 4 };
        let pairs = const { W > FEW && size_of::<R::Value>() == 8 };
        let mut half = W / 4;
        while half > 0 {
            for lane in 0..half {
                // SAFETY: lanes below `2 half` have values.
                let other = unsafe { halved.take(lane + half) };
                // SAFETY: lanes below `2 half` have values, `lane` among them.
                unsafe { halved.with(lane, |value| join(value, &other)) };
            }
            if fours && half == 4 {
                halved.first_in_registers::<4>();
            }
            if pairs && half == 2 {
                halved.first_in_registers::<2>();
            }
            half /= 2;
        }
        self.live = 0;
        // SAFETY: lane 0 has a value.
        unsafe { halved.take(0) }
    }
}
