//! The running values of a tile's lanes, laid out so that the compiler keeps them in vector registers.

use core::{
    hint::black_box,
    mem::{MaybeUninit, align_of, needs_drop, size_of},
};

/// Rows that [`Lanes::blocks`] runs at a time. Unit: rows.
///
/// The loop over the lanes must reach LLVM's loop vectoriser as a loop, and a body that is short enough is unrolled
/// before: 32 copies of up to 11 instructions. (What then packs them again is the SLP vectoriser, by guesswork: it
/// left half of the built-in reducers scalar.) The shortest body, a sum, has 13 with four rows in it.
pub(crate) const BLOCK: usize = 4;

/// How the values of the lanes lie in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One value after the other.
    Values,
    /// Word `w` of all lanes together, in words of 8 bytes: what turns the fields of a `MinMaxLocValue` into
    /// vectors.
    Words8,
    /// The same in words of 4 bytes.
    Words4,
}

/// Words up to which a value is taken apart: more do not fit into registers anyway.
const MOST_WORDS: usize = 8;

/// The values of `W` lanes in the order that their shape gives them, on whole registers and cache lines.
#[repr(C, align(64))]
struct Storage<V, const W: usize>([MaybeUninit<V>; W]);

impl<V, const W: usize> Storage<V, W> {
    const SHAPE: Shape = {
        let (size, align) = (size_of::<V>(), align_of::<V>());
        if needs_drop::<V>() || size <= align {
            Shape::Values
        } else if align == 8 && size <= 8 * MOST_WORDS {
            Shape::Words8
        } else if align == 4 && size <= 4 * MOST_WORDS {
            Shape::Words4
        } else {
            Shape::Values
        }
    };

    #[inline(always)]
    fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; W])
    }

    /// Stores `value`, word by word `T`.
    #[inline(always)]
    fn put_words<T: Copy>(&mut self, lane: usize, value: &MaybeUninit<V>) {
        assert!(lane < W);
        for word in 0..size_of::<V>() / size_of::<T>() {
            // SAFETY: the value is made of this many words, aligned for them, and so are `W` values; the lane is one
            // of them. `MaybeUninit` carries padding as it is.
            unsafe {
                let from = value.as_ptr().cast::<MaybeUninit<T>>().add(word);
                *self.0.as_mut_ptr().cast::<MaybeUninit<T>>().add(word * W + lane) = *from;
            }
        }
    }

    /// Loads what `put_words` stored.
    #[inline(always)]
    fn words<T: Copy>(&self, lane: usize) -> MaybeUninit<V> {
        assert!(lane < W);
        let mut value = MaybeUninit::<V>::uninit();
        for word in 0..size_of::<V>() / size_of::<T>() {
            // SAFETY: as in `put_words`.
            unsafe {
                let into = value.as_mut_ptr().cast::<MaybeUninit<T>>().add(word);
                *into = *self.0.as_ptr().cast::<MaybeUninit<T>>().add(word * W + lane);
            }
        }
        value
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, value: V) {
        let value = MaybeUninit::new(value);
        match Self::SHAPE {
            Shape::Values => self.0[lane] = value,
            Shape::Words8 => self.put_words::<u64>(lane, &value),
            Shape::Words4 => self.put_words::<u32>(lane, &value),
        }
    }

    /// The value of a lane, moved out.
    ///
    /// # Safety
    /// `put` gave the lane a value, which is not used again (values without drop glue: or used as a copy).
    #[inline(always)]
    unsafe fn take(&self, lane: usize) -> V {
        let value = match Self::SHAPE {
            // SAFETY: a copy of bytes that need not be a value.
            Shape::Values => unsafe { core::ptr::read(&self.0[lane]) },
            Shape::Words8 => self.words::<u64>(lane),
            Shape::Words4 => self.words::<u32>(lane),
        };
        // SAFETY: the caller's promise; `put` stored the value, and it is whole again.
        unsafe { value.assume_init() }
    }

    /// Calls `body` with the value of a lane.
    ///
    /// # Safety
    /// `put` gave the lane a value.
    #[inline(always)]
    unsafe fn with(&mut self, lane: usize, body: impl FnOnce(&mut V)) {
        if needs_drop::<V>() || size_of::<V>() > 8 * MOST_WORDS {
            // SAFETY: the caller's promise.
            body(unsafe { self.0[lane].assume_init_mut() });
        } else {
            // A copy, so that a value that `body` changes under a condition is a select and not a store in a branch.
            // SAFETY: the caller's promise; such values have no drop glue, so one that a panic in `body` leaves
            // behind is no loss.
            let mut value = unsafe { self.take(lane) };
            body(&mut value);
            self.put(lane, value);
        }
    }
}

/// The running values of `W` lanes, of which the first `live` exist.
pub(crate) struct Lanes<V, const W: usize> {
    storage: Storage<V, W>,
    live: usize,
}

impl<V, const W: usize> Lanes<V, W> {
    /// No lanes.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { storage: Storage::new(), live: 0 }
    }

    /// Makes `live` lanes (at most `W`) of none, each starting from `init()`.
    #[inline(always)]
    pub(crate) fn start(&mut self, live: usize, mut init: impl FnMut() -> V) {
        if live >= W {
            for lane in 0..W {
                self.storage.put(lane, init());
                self.grow();
            }
        } else {
            for lane in 0..live {
                self.storage.put(lane, init());
                self.grow();
            }
        }
        self.live = live.min(W);
    }

    /// Counts a lane in at once where a panic in the next `init` must drop it.
    #[inline(always)]
    fn grow(&mut self) {
        if needs_drop::<V>() {
            self.live += 1;
        }
    }

    /// Calls `body` with the value of one live lane.
    #[inline(always)]
    pub(crate) fn with(&mut self, lane: usize, body: impl FnOnce(&mut V)) {
        debug_assert!(lane < self.live);
        // SAFETY: live lanes have values.
        unsafe { self.storage.with(lane, body) }
    }

    /// Calls `body(row, lane, value)` for each of `blocks * BLOCK` rows of all `W` lanes, which must be live.
    #[inline(always)]
    pub(crate) fn blocks(&mut self, blocks: usize, mut body: impl FnMut(usize, usize, &mut V)) {
        debug_assert!(self.live == W);
        if needs_drop::<V>() {
            for row in 0..blocks * BLOCK {
                for lane in 0..W {
                    self.with(lane, |value| body(row, lane, value));
                }
            }
            return;
        }
        // A copy that nothing points to and that only loops of constant length touch: it lives in registers.
        let mut local = Storage::<V, W>::new();
        // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
        local.0 = unsafe { core::ptr::read(&self.storage.0) };
        for block in 0..blocks {
            let row = block * BLOCK;
            for lane in 0..W {
                // SAFETY: all lanes are live.
                unsafe {
                    local.with(lane, |value| {
                        body(row, lane, value);
                        body(row + 1, lane, value);
                        body(row + 2, lane, value);
                        body(row + 3, lane, value);
                    });
                }
            }
        }
        self.storage.0 = local.0;
    }

    /// Joins the lanes by halving: lane `l` with `l + W/2`, then `l + W/4`, and so on; lanes that are not live
    /// are skipped. No lane is left.
    #[inline(always)]
    pub(crate) fn halve(&mut self, mut join: impl FnMut(&mut V, &V)) -> Option<V> {
        let live = self.live;
        if live == 0 {
            return None;
        }
        if live == W && W > 1 && !needs_drop::<V>() {
            return Some(self.halve_all(join));
        }
        let mut half = W / 2;
        while half > 0 {
            for lane in 0..half {
                if lane + half < live {
                    // SAFETY: the lane is live, and from here on not looked at.
                    let other = unsafe { self.storage.take(lane + half) };
                    if needs_drop::<V>() && lane == 0 && half < self.live {
                        // Lanes from `half` on are moved out one by one, or dropped by nobody if a join panics.
                        self.live = half;
                    }
                    // SAFETY: the lane is live.
                    unsafe { self.storage.with(lane, |value| join(value, &other)) };
                }
            }
            half /= 2;
        }
        self.live = 0;
        // SAFETY: lane 0 is live and, with no live lane left, dropped by nobody else.
        Some(unsafe { self.storage.take(0) })
    }

    /// `halve` for `W` live lanes without drop glue.
    #[inline(always)]
    fn halve_all(&mut self, mut join: impl FnMut(&mut V, &V)) -> V {
        let mut halved = Storage::<V, W>::new();
        for lane in 0..W / 2 {
            // SAFETY: all lanes are live.
            let (mut value, other) = unsafe { (self.storage.take(lane), self.storage.take(lane + W / 2)) };
            join(&mut value, &other);
            halved.put(lane, value);
        }
        // Adjacent stores are what the compiler packs a step from; without a need for them it would join scalars.
        black_box(&mut halved.0);
        let mut half = W / 4;
        while half > 0 {
            for lane in 0..half {
                // SAFETY: lanes below `2 half` have values.
                let other = unsafe { halved.take(lane + half) };
                // SAFETY: as above.
                unsafe { halved.with(lane, |value| join(value, &other)) };
            }
            half /= 2;
        }
        self.live = 0;
        // SAFETY: lane 0 has a value.
        unsafe { halved.take(0) }
    }
}

impl<V, const W: usize> Drop for Lanes<V, W> {
    #[inline(always)]
    fn drop(&mut self) {
        if needs_drop::<V>() {
            for lane in 0..self.live {
                // SAFETY: live lanes have values, and this one is not looked at again.
                drop(unsafe { self.storage.take(lane) });
            }
        }
    }
}
