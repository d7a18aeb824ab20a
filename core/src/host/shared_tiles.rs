//! Reductions of few long iterations: the lanes of a tile are distributed over threads.
//!
//! Such a launch has a small chunk, or begins on the caller and opens (`opening.rs`): then the caller's current tile stops, and its
//! lanes continue from their values.

use core::ops::Range;

use spelt_order::body::Inlined;
use spelt_order::cursor::Cursor;
use spelt_order::stopped_tile::{Stops, continue_lanes, join_stopped};
use spelt_order::{canonical, tile};
use spelt_policies::Schedule;
use spelt_reducers::Reducer;

use super::HostThreads;
use super::kernel::ReduceStep;
use super::opening::Opening;
use super::slots::Slots;
use crate::arena::NoRoom;
use crate::isa::{self, Work};
use crate::names::Names;

/// The tiles of a reduction that threads share, by lanes or whole.
pub(super) struct SharedTiles<V> {
    /// A slot for each lane of each tile, or for each tile.
    slots: Slots<V>,
    /// The number of iterations of the launch.
    n: usize,
    /// The tile that stopped after `done` of its iterations; those before it are not shared.
    first: usize,
    done: usize,
    /// Whether threads take whole tiles.
    whole: bool,
}

impl<V: Send> SharedTiles<V> {
    /// No value yet, of tiles from `first` on, of which the first has stopped after `done` iterations.
    ///
    /// # Errors
    /// If there is no memory for the values.
    pub(super) fn new<R: Reducer<Value = V>>(n: usize, first: usize, done: usize) -> Result<Self, NoRoom> {
        let lanes = canonical::lanes(R::LANE_BYTES);
        let slots = Slots::new(canonical::tile_count(n, lanes) * lanes)?;
        Ok(Self { slots, n, first, done, whole: false })
    }

    /// No value yet, of whole tiles from `first` on.
    ///
    /// # Errors
    /// If there is no memory for the values.
    pub(super) fn whole<R: Reducer<Value = V>>(n: usize, first: usize) -> Result<Self, NoRoom> {
        let slots = Slots::new(canonical::tile_count(n, canonical::lanes(R::LANE_BYTES)) - first)?;
        Ok(Self { slots, n, first, done: 0, whole: true })
    }

    /// Runs all whole tiles; `run` returns the value of one.
    pub(super) fn run_whole(
        &self,
        space: &dyn HostThreads,
        schedule: Schedule,
        names: &Names<'_>,
        run: impl Fn(usize) -> V + Sync,
    ) {
        debug_assert!(self.whole);
        space.run_units(self.slots.len(), schedule, &|unit| {
            let _running = names.enter();
            let value = run(self.first + unit);
            // SAFETY: each unit runs once.
            unsafe { self.slots.put(unit, value) }
        });
    }

    /// The iterations of a tile that have run, and all of them.
    fn progress<R: Reducer>(&self, number: usize) -> (usize, usize) {
        let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
        (if number == self.first { self.done } else { 0 }, tile_len.min(self.n - number * tile_len))
    }

    /// Runs what is left, `width` lanes a unit, a power of two.
    #[expect(clippy::too_many_arguments, reason = "a launch, and how its lanes are distributed")]
    pub(super) fn run<C, R, B>(
        &self,
        space: &dyn HostThreads,
        schedule: Schedule,
        names: &Names<'_>,
        width: usize,
        reducer: &R,
        place: &(impl Fn(usize) -> C + Sync),
        body: &B,
    ) where
        C: Cursor,
        R: Reducer<Value = V> + Sync,
        B: ReduceStep<C, V>,
    {
        let lanes = canonical::lanes(R::LANE_BYTES);
        let per_tile = lanes.div_ceil(width);
        // A copy: see `HostThreads::run_units`.
        let body = *body;
        space.run_units(self.live::<R>().div_ceil(width), schedule, &move |unit| {
            let _running = names.enter();
            let (number, first) = (self.first + unit / per_tile, unit % per_tile * width);
            let (done, len) = self.progress::<R>(number);
            let place = place(number * canonical::tile_len(lanes) + done);
            let lanes_of_unit = first..(first + width).min(tile::live_lanes::<R>(len));
            let slots = SlotsOfTile { slots: &self.slots, first: number * lanes };
            isa::dispatch(Lanes {
                reducer,
                place,
                len,
                next: done..len,
                lanes: lanes_of_unit,
                slots,
                body: &body,
            });
        });
    }

    /// The number of lanes of all tiles that are shared: all but the last have all lanes.
    pub(super) fn live<R: Reducer<Value = V>>(&self) -> usize {
        let lanes = canonical::lanes(R::LANE_BYTES);
        let last = canonical::tile_count(self.n, lanes) - 1;
        (last - self.first) * lanes + tile::live_lanes::<R>(self.progress::<R>(last).1)
    }

    /// The number of iterations that have run before the tiles were shared.
    pub(super) fn ran<R: Reducer<Value = V>>(&self) -> usize {
        self.first * canonical::tile_len(canonical::lanes(R::LANE_BYTES)) + self.done
    }

    /// The value of a tile, all lanes of which have run.
    pub(super) fn join<R: Reducer<Value = V>>(&mut self, reducer: &R, number: usize) -> V {
        if self.whole {
            return self.slots.take(number - self.first).expect("every tile has run");
        }
        let (done, len) = self.progress::<R>(number);
        let first = number * canonical::lanes(R::LANE_BYTES);
        join_stopped(reducer, len, done, |lane| {
            self.slots.take(first + lane).expect("every live lane has run")
        })
        .expect("no tile is empty")
    }
}

/// The slots of the lanes of one tile.
pub(super) struct SlotsOfTile<'a, V> {
    pub(super) slots: &'a Slots<V>,
    pub(super) first: usize,
}

/// Some lanes of a tile of `len` iterations, and the iterations that they run: `place` is that of the first of `next`.
pub(super) struct Lanes<'a, C, R: Reducer, B> {
    pub(super) reducer: &'a R,
    pub(super) place: C,
    pub(super) len: usize,
    pub(super) next: Range<usize>,
    pub(super) lanes: Range<usize>,
    pub(super) slots: SlotsOfTile<'a, R::Value>,
    pub(super) body: &'a B,
}

impl<C: Cursor, R: Reducer, B: ReduceStep<C, R::Value>> Work for Lanes<'_, C, R, B> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { reducer, place, len, next, lanes, slots: SlotsOfTile { slots, first }, body } = self;
        let mut body = Inlined::new::<(C, usize, &mut R::Value)>(*body);
        // SAFETY: each lane belongs to one unit, which runs once.
        let kept = |lane| unsafe { slots.take_shared(first + lane) };
        // SAFETY: each lane belongs to one unit, which runs once.
        let keep = |lane, value| unsafe { slots.put(first + lane, value) };
        continue_lanes(reducer, place, len, next, lanes, &mut body, kept, keep);
    }
}

/// The looks at the clock in one tile of a reduction that begins on the caller.
pub(super) struct Looks<'a, R: Reducer> {
    space: &'a dyn HostThreads,
    opening: Opening,
    /// The number of iterations of the launch.
    n: usize,
    /// The number of iterations at its beginning that have no looks.
    unlooked: usize,
    number: usize,
    /// The tiles that are left, once the launch has opened.
    shared: &'a mut Option<SharedTiles<R::Value>>,
}

impl<'a, R: Reducer> Looks<'a, R>
where
    R::Value: Send,
{
    #[inline(always)]
    pub(super) fn new(
        space: &'a dyn HostThreads,
        opening: Opening,
        n: usize,
        unlooked: usize,
        number: usize,
        shared: &'a mut Option<SharedTiles<R::Value>>,
    ) -> Self {
        Self { space, opening, n, unlooked, number, shared }
    }

    /// Opens the launch. Without memory for that, the caller runs the rest of the tile.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, done: usize) -> Option<usize> {
        *self.shared = SharedTiles::new::<R>(self.n, self.number, done).ok();
        if self.shared.is_some() { None } else { Some(usize::MAX) }
    }
}

impl<R: Reducer> Stops<R::Value> for Looks<'_, R>
where
    R::Value: Send,
{
    #[inline(always)]
    fn next(&mut self, done: usize) -> Option<usize> {
        let lanes = canonical::lanes(R::LANE_BYTES);
        let ran = self.number * canonical::tile_len(lanes) + done;
        if ran == 0 {
            if self.unlooked > 0 {
                return Some(self.unlooked);
            }
            // A whole row, where that is little, since it vectorises.
            return Some(if self.n >= 16 * lanes { lanes } else { Opening::first(self.n) });
        }
        self.opening.next(ran, self.n - ran, self.space).or_else(|| self.stop(done))
    }

    #[cold]
    #[inline(never)]
    fn keep(&mut self, lane: usize, value: R::Value) {
        if let Some(shared) = &*self.shared {
            let slot = shared.first * canonical::lanes(R::LANE_BYTES) + lane;
            // SAFETY: this thread made the slots, and shares them only after the tile has stopped.
            unsafe { shared.slots.put(slot, value) }
        }
    }
}
