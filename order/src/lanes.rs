//! The running values of a tile's lanes, laid out so that the compiler keeps them in vector registers.

use core::{
    hint::assert_unchecked,
    mem::{MaybeUninit, align_of, needs_drop, size_of},
};

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::opaque::{opaque, opaque_register};
use crate::vector_loops::VECTOR_LOOPS;

mod few;
mod halving;
mod masked;
mod rows;

/// The layout of the lanes' values in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One value after the other.
    Values,
    /// Word `w` of all lanes together, in words of 8 bytes: this turns the fields of a `MinMaxLocValue` into vectors.
    Words8,
    /// The same in words of 4 bytes.
    Words4,
}

/// The maximum number of words of a value that is stored by words: more do not fit into registers anyway.
const MAX_WORDS: usize = 8;

/// The values of `W` lanes in the order of their shape, aligned to whole registers and cache lines.
#[repr(C, align(64))]
pub(crate) struct Storage<R: Reducer, const W: usize>(pub(crate) [MaybeUninit<R::Value>; W]);

impl<R: Reducer, const W: usize> Storage<R, W> {
    const SHAPE: Shape = {
        let (size, align) = (size_of::<R::Value>(), align_of::<R::Value>());
        if !VECTOR_LOOPS || needs_drop::<R::Value>() || size <= align || R::PACKED {
            Shape::Values
        } else if align == 8 && size <= 8 * MAX_WORDS {
            Shape::Words8
        } else if align == 4 && size <= 4 * MAX_WORDS {
            Shape::Words4
        } else {
            Shape::Values
        }
    };

    /// Whether the values have this shape: a constant, so that one arm is compiled of those that depend on it.
    const fn is(shape: Shape) -> bool {
        Self::SHAPE as u8 == shape as u8
    }

    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; W])
    }

    /// Whether a word of 8 bytes is stored in halves.
    #[inline(always)]
    fn halved(word: usize) -> bool {
        R::HALF_WORDS >> word & 1 == 1
    }

    /// Stores `value`, word by word `T`.
    #[inline(always)]
    fn put_words<T: Copy>(&mut self, lane: usize, value: &MaybeUninit<R::Value>) {
        assert!(lane < W);
        for word in 0..size_of::<R::Value>() / size_of::<T>() {
            if size_of::<T>() == 8 && Self::halved(word) {
                for half in 0..2 {
                    // SAFETY: the value is made of this many words, in two halves each; each half has the alignment and half the
                    // room of its word, and the lane is one of `W`.
                    unsafe {
                        let from = value.as_ptr().cast::<MaybeUninit<u32>>().add(2 * word + half);
                        let into = self.0.as_mut_ptr().cast::<MaybeUninit<u32>>();
                        *into.add((2 * word + half) * W + lane) = *from;
                    }
                }
                continue;
            }
            // SAFETY: the value is made of this many words, aligned for them, and so are `W` values; the lane is one
            // of them. `MaybeUninit` carries padding as it is.
            unsafe {
                let from = value.as_ptr().cast::<MaybeUninit<T>>().add(word);
                *self.0.as_mut_ptr().cast::<MaybeUninit<T>>().add(word * W + lane) = *from;
            }
        }
    }

    /// Loads a value that `put_words` stored.
    #[inline(always)]
    fn words<T: Copy>(&self, lane: usize) -> MaybeUninit<R::Value> {
        assert!(lane < W);
        let mut value = MaybeUninit::<R::Value>::uninit();
        for word in 0..size_of::<R::Value>() / size_of::<T>() {
            if size_of::<T>() == 8 && Self::halved(word) {
                for half in 0..2 {
                    // SAFETY: the value is made of this many words, in two halves each, as `W` values are, and the lane
                    // is one of them.
                    unsafe {
                        let into = value.as_mut_ptr().cast::<MaybeUninit<u32>>().add(2 * word + half);
                        let from = self.0.as_ptr().cast::<MaybeUninit<u32>>();
                        *into = *from.add((2 * word + half) * W + lane);
                    }
                }
                continue;
            }
            // SAFETY: the value is made of this many words, aligned for them, and so are `W` values; the lane is one of
            // them.
            unsafe {
                let into = value.as_mut_ptr().cast::<MaybeUninit<T>>().add(word);
                *into = *self.0.as_ptr().cast::<MaybeUninit<T>>().add(word * W + lane);
            }
        }
        value
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, lane: usize, value: R::Value) {
        let value = MaybeUninit::new(value);
        if const { Self::is(Shape::Values) } {
            self.0[lane] = value;
        } else if const { Self::is(Shape::Words8) } {
            self.put_words::<u64>(lane, &value);
        } else {
            self.put_words::<u32>(lane, &value);
        }
    }

    /// The value of a lane, moved out.
    ///
    /// # Safety
    /// `put` gave the lane a value, which is not used again (values without drop glue: or used as a copy).
    #[inline(always)]
    pub(crate) unsafe fn take(&self, lane: usize) -> R::Value {
        let value = if const { Self::is(Shape::Values) } {
            // SAFETY: a copy of bytes that need not be a value.
            unsafe { core::ptr::read(&self.0[lane]) }
        } else if const { Self::is(Shape::Words8) } {
            self.words::<u64>(lane)
        } else {
            self.words::<u32>(lane)
        };
        // SAFETY: `put` stored a value in this lane, as the contract asks, and all of its bytes or words were read.
        unsafe { value.assume_init() }
    }

    /// Puts values into registers of `COUNT`, 16 bytes, of which the compiler knows nothing more: it makes vectors of as many of the joins before
    /// and behind.
    #[inline(always)]
    pub(crate) fn in_registers<const COUNT: usize>(&mut self) {
        assert!(W.is_multiple_of(COUNT));
        for first in (0..W).step_by(COUNT) {
            // SAFETY: the lanes are within the array; copies of bytes that need not be values.
            unsafe {
                let register = self.0.as_mut_ptr().add(first).cast::<[MaybeUninit<R::Value>; COUNT]>();
                register.write(opaque_register(register.read()));
            }
        }
    }

    /// [`in_registers`](Self::in_registers) for the first `FIRST` lanes alone, which have values without drop glue; of other sizes than 4 and 8 bytes,
    /// nothing.
    #[inline(always)]
    fn first_in_registers<const FIRST: usize>(&mut self) {
        if const { R::REORDERABLE || size_of::<R::Value>() != 4 && size_of::<R::Value>() != 8 } {
            return;
        }
        let mut first = Storage::<R, FIRST>::new();
        for lane in 0..FIRST {
            // SAFETY: the lanes have values, which are copied.
            first.put(lane, unsafe { self.take(lane) });
        }
        if size_of::<R::Value>() == 4 {
            first.in_registers::<4>();
        } else {
            first.in_registers::<2>();
        }
        for lane in 0..FIRST {
            // SAFETY: the lanes have values, and those of `self` are not used again.
            self.put(lane, unsafe { first.take(lane) });
        }
    }

    /// Calls `body` with the value of a lane.
    ///
    /// # Safety
    /// `put` gave the lane a value.
    #[inline(always)]
    unsafe fn with(&mut self, lane: usize, body: impl FnOnce(&mut R::Value)) {
        if const { !VECTOR_LOOPS || needs_drop::<R::Value>() || size_of::<R::Value>() > 8 * MAX_WORDS } {
            // SAFETY: `put` gave the lane a value, as the contract asks.
            body(unsafe { self.0[lane].assume_init_mut() });
        } else {
            // A copy, so that a value that `body` changes under a condition is a select and not a store in a branch.
            // SAFETY: `put` gave the lane a value, as the contract asks; such values have no drop glue, so a value that a panic
            // in `body` leaves behind need not be dropped.
            let mut value = unsafe { self.take(lane) };
            body(&mut value);
            self.put(lane, value);
        }
    }
}

/// Up to so many lanes join one by one. Unit: lanes. Source: measured with sums of `f64` (Zen 4): 2 to 8 lanes take 0.5 to 0.7 of the
/// time of whole vectors, whose loads wait for the stores of single lanes; 9 to 31 take 1.5 to 1.8 of it.
pub(crate) const FEW: usize = 8;

/// The running values of `W` lanes, the first `live` of which exist.
pub(crate) struct Lanes<R: Reducer, const W: usize> {
    pub(crate) storage: Storage<R, W>,
    live: usize,
}

impl<R: Reducer, const W: usize> Lanes<R, W> {
    /// Rows that the body of [`rows`](Lanes::rows) has written out. Unit: rows. Source: measured over the built-in reducers,
    /// 32768 f64 or f32 in cache, AVX2 and AVX-512.
    ///
    /// The loop over the lanes must reach LLVM's loop vectoriser as a loop, but a body that is too short is unrolled earlier: `W`
    /// copies of up to `300 / W` instructions. (The SLP vectoriser then packs them again, by heuristics: it left half of the
    /// built-in reducers scalar.) The shortest body for single words, a sum, has 13 with four rows in it. Nor must the body be
    /// too long: the loop over its vectors has to be unrolled, again up to 300 instructions, or the values stay in memory.
    pub(crate) const UNROLLED_ROWS: usize = match (size_of::<R::Value>(), align_of::<R::Value>()) {
        (8, ..8) => 2,
        (..=8, _) => 4,
        (9..=16, _) => 2,
        _ => 1,
    };

    /// No lanes.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { storage: Storage::new(), live: 0 }
    }

    /// Starts `live` lanes (at most `W`) where there were none, lane `l` from `init(l)`.
    #[inline(always)]
    pub(crate) fn start(&mut self, live: usize, mut init: impl FnMut(usize) -> R::Value) {
        if const { VECTOR_LOOPS } && live >= W {
            for lane in 0..W {
                self.storage.put(lane, init(lane));
                self.grow();
            }
        } else {
            for lane in 0..live.min(W) {
                self.storage.put(lane, init(lane));
                self.grow();
            }
        }
        self.live = live.min(W);
    }

    /// Starts the lanes from `first` on, up to `live` of them (at most `W`), each with one iteration of the row from `start` on. Those
    /// below `first` are live.
    #[inline(always)]
    pub(crate) fn start_row<C: Copy>(
        &mut self,
        first: usize,
        live: usize,
        reducer: &R,
        start: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        for lane in first..live.min(W) {
            let mut value = reducer.init();
            body.run(start, lane, &mut value);
            self.storage.put(lane, value);
            self.grow();
        }
        self.live = live.min(W);
    }

    /// Calls `keep` with each live lane and its value. No lane is left.
    #[inline(always)]
    pub(crate) fn hand_over(&mut self, mut keep: impl FnMut(usize, R::Value)) {
        let live = core::mem::replace(&mut self.live, 0);
        for lane in 0..live {
            // SAFETY: the lane was live and, with no live lane left, its value is not used or dropped elsewhere.
            keep(lane, unsafe { self.storage.take(lane) });
        }
    }

    /// Counts a lane as live at once if a panic in the next `init` must drop it.
    #[inline(always)]
    fn grow(&mut self) {
        if const { needs_drop::<R::Value>() } {
            self.live += 1;
        }
    }

    /// Whether `body` works on copies of the values: they stay in registers, and a conditional change becomes a select.
    pub(crate) const COPIES: bool =
        VECTOR_LOOPS && !needs_drop::<R::Value>() && size_of::<R::Value>() <= 8 * MAX_WORDS;

    /// Whether [`rows`](Self::rows) leaves whole rows to [`single_rows`](Self::single_rows).
    pub(crate) const HAS_SINGLE_ROWS: bool = Self::COPIES && Self::UNROLLED_ROWS > 1;

    /// Whether loops over some of the lanes read them from a copy.
    ///
    /// Of a lane that keeps its value, the compiler leaves out the store: it stores under masks (`vmaskmovps`), and no load takes its value
    /// from such a store before it is in the cache. It does not know that a copy has the same values.
    const READ_FROM_COPY: bool = Self::COPIES && R::MOSTLY_KEEPS && size_of::<R::Value>() <= 8;

    /// Runs one iteration, along the line from `place`, for the live lanes from `first` on, `count` of them.
    #[inline(always)]
    pub(crate) fn part<C: Copy>(
        &mut self,
        first: usize,
        count: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        self.part_from(first, count, place, 0, body);
    }

    /// [`part`](Self::part) from `along` places after `place` on.
    #[inline(always)]
    pub(crate) fn part_from<C: Copy>(
        &mut self,
        first: usize,
        count: usize,
        place: C,
        along: usize,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        debug_assert!(first + count <= self.live);
        assert!(first <= W && count <= W - first);
        let mut before = Storage::<R, W>::new();
        if const { Self::READ_FROM_COPY } {
            // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
            before.0 = unsafe { core::ptr::read(&self.storage.0) };
        }
        for distance in 0..count {
            // Otherwise the compiler checks each lane again, which keeps loads in the loop and the loop scalar.
            // SAFETY: asserted above.
            unsafe { assert_unchecked(first + distance < W) };
            if const { Self::COPIES } {
                let from = if const { Self::READ_FROM_COPY } { &before } else { &self.storage };
                // SAFETY: live lanes have values, here without drop glue, and so has their copy.
                let mut value = unsafe { from.take(first + distance) };
                body.run(place, along + distance, &mut value);
                self.storage.put(first + distance, value);
            } else {
                // SAFETY: live lanes have values.
                let value = unsafe { self.storage.0[first + distance].assume_init_mut() };
                body.run(place, along + distance, value);
            }
        }
    }

    /// Runs `rounds * UNROLLED_ROWS` rows of all `W` lanes, which must be live, along the line from `place`.
    #[inline(always)]
    pub(crate) fn rows<C: Copy>(&mut self, rounds: usize, place: C, body: &mut impl ReduceBody<C, R::Value>) {
        debug_assert!(self.live == W);
        if const { !Self::COPIES } {
            for row in 0..rounds * Self::UNROLLED_ROWS {
                self.part_from(0, W, place, row * W, body);
            }
            return;
        }
        // A copy that nothing points to and that only loops of constant length touch: it lives in registers.
        let mut local = Storage::<R, W>::new();
        // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
        local.0 = unsafe { core::ptr::read(&self.storage.0) };
        for round in 0..rounds {
            let row = round * Self::UNROLLED_ROWS;
            for lane in 0..W {
                // SAFETY: all lanes are live.
                let mut value = unsafe { local.take(lane) };
                // Written out: a loop around a long body would not be unrolled, and the one over the lanes, with a loop in
                // it, would not become vector code.
                body.run(place, row * W + lane, &mut value);
                if const { Self::UNROLLED_ROWS > 1 } {
                    body.run(place, (row + 1) * W + lane, &mut value);
                }
                if const { Self::UNROLLED_ROWS > 2 } {
                    body.run(place, (row + 2) * W + lane, &mut value);
                    body.run(place, (row + 3) * W + lane, &mut value);
                }
                local.put(lane, value);
            }
        }
        self.storage.0 = local.0;
    }

    /// Runs `rows` rows of all `W` lanes, which must be live, along the line from `place`; fewer than [`rows`](Self::rows) takes.
    ///
    /// `MASKS`: as [`reduce_tile_with`](crate::tile::reduce_tile_with).
    #[inline(always)]
    pub(crate) fn single_rows<const MASKS: bool, C: Copy>(
        &mut self,
        rows: usize,
        place: C,
        body: &mut impl ReduceBody<C, R::Value>,
    ) {
        debug_assert!(self.live == W && Self::COPIES);
        let mut local = Storage::<R, W>::new();
        // SAFETY: without drop glue, a copy of the bytes is a copy of the values.
        local.0 = unsafe { core::ptr::read(&self.storage.0) };
        for row in 0..rows {
            let along = if MASKS { opaque(row * W) } else { row * W };
            for lane in 0..W {
                // SAFETY: all lanes are live.
                let mut value = unsafe { local.take(lane) };
                body.run(place, along + lane, &mut value);
                local.put(lane, value);
            }
        }
        self.storage.0 = local.0;
    }
}

impl<R: Reducer, const W: usize> Drop for Lanes<R, W> {
    #[inline(always)]
    fn drop(&mut self) {
        if const { needs_drop::<R::Value>() } {
            for lane in 0..self.live {
                // SAFETY: live lanes have values, and this one is not used again.
                drop(unsafe { self.storage.take(lane) });
            }
        }
    }
}
