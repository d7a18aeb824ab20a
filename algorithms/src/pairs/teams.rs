//! Reduces the pairs of a row on one thread of a team, which loads `y` into its scratch memory.
//!
//! The version for devices: each thread of a team has its own row, and all have the same indices. The team loads one piece of `y` at a
//! time into scratch, which is shared memory on a device, and each thread reads it there: one load per element and team instead of one
//! per element and row. Pairs are reduced in the order of [`Rows`](super::rows::Rows), so the result has the same bits.

use core::mem::replace;

use spelt_core::reducers::Reducer;
use spelt_core::{Element, Team};

use super::rows::Place;
use super::tree::{Cut, Tree};

/// Rows of a team. Unit: rows. Source: estimated: 13 teams with their scratch fill 1664 of the 2048 lanes of a multiprocessor with 228 KiB
/// of shared memory, and 20,000 rows make 157 teams for its 132.
pub(super) const ROWS: usize = 128;

/// Scratch of a team, where elements are not larger. Unit: bytes. Source: estimated, as `ROWS`.
const SCRATCH: usize = 16 << 10;

/// The elements of `y` that are in scratch at a time. Each has its index beside it.
const fn piece<Y>() -> usize {
    let most = SCRATCH / (size_of::<usize>() + size_of::<Y>());
    if most == 0 { 1 } else { 1 << most.ilog2() }
}

/// Bytes of scratch that a team needs for rows of at most `n` pairs, with room for alignment.
pub(super) const fn scratch<R: Reducer, Y>(n: usize) -> usize {
    let len = if n < Cut::<R>::TILE { n } else { Cut::<R>::TILE };
    // As many slots as the leaves of a tile have.
    let slots = len.div_ceil(Cut::<R>::LEAVES) * Cut::<R>::LEAVES;
    let most = if slots < piece::<Y>() { slots } else { piece::<Y>() };
    most * (size_of::<usize>() + size_of::<Y>()) + align_of::<Y>()
}

/// The reduction of a thread's row over the `n` indices from `place` on, in the canonical order.
///
/// `y(j)` is element `j`, and `f(j, value, y)` contributes a pair. All threads of the team call it with the same `n` and `place`; those
/// that are not `active` only help to fill.
pub(super) struct TeamRow<'a, R, P, G, F> {
    pub(super) reducer: &'a R,
    pub(super) active: bool,
    pub(super) n: usize,
    pub(super) place: P,
    pub(super) y: G,
    pub(super) f: F,
}

impl<R, P, Y, G, F> TeamRow<'_, R, P, G, F>
where
    R: Reducer,
    P: Place,
    Y: Element,
    G: Fn(usize) -> Y,
    F: Fn(usize, &mut R::Value, Y),
{
    #[inline(always)]
    pub(super) fn run<V, K>(self, team: &mut Team<'_, V, K>) -> R::Value {
        let Self { reducer, active, n, mut place, y, f } = self;
        let mut tree = Tree::<R::Value, 1>::new();
        let mut left = n;
        while left > 0 {
            let len = left.min(Cut::<R>::TILE);
            // No leaf has more pairs than the first. Each gets as many slots, so that a slot knows its leaf without a search.
            let slots_of_leaf = Cut::<R>::leaf(len, 0).count;
            let slots = slots_of_leaf * Cut::<R>::LEAVES;
            let (mut k, mut done, mut running) = (0, 0, reducer.init());
            // The index in the tile at which `place` is.
            let mut origin = 0;
            for from in (0..slots).step_by(piece::<Y>()) {
                let count = piece::<Y>().min(slots - from);
                let (mut walked, mut walker) = (origin, place);
                let index = |at: usize| {
                    let leaf = Cut::<R>::leaf(len, (from + at) / slots_of_leaf);
                    // A slot without a pair holds any existing index.
                    let in_tile = (leaf.first + (from + at) % slots_of_leaf * leaf.step).min(len - 1);
                    if in_tile < walked {
                        // In another leaf.
                        (walked, walker) = (origin, place);
                    }
                    walker.advance(in_tile - walked);
                    walked = in_tile;
                    walker.index()
                };
                team.with_scratch(count, index, |team, indices| {
                    let elements = team.scratch_fill(count, |at| y(indices[at]));
                    let mut at = 0;
                    while active && at < count {
                        let leaf = Cut::<R>::leaf(len, k);
                        let here = (slots_of_leaf - done).min(count - at);
                        let pairs = leaf.count.saturating_sub(done).min(here);
                        for (&j, &y) in indices[at..][..pairs].iter().zip(&elements[at..][..pairs]) {
                            f(j, &mut running, y);
                        }
                        (at, done) = (at + here, done + here);
                        if done == slots_of_leaf {
                            let value = replace(&mut running, reducer.init());
                            tree.push(reducer, (leaf.count > 0).then_some([value]));
                            (k, done) = (k + 1, 0);
                        }
                    }
                });
                if const { Cut::<R>::LEAVES == 1 } {
                    // Indices increase, so each search starts where the last one ended.
                    place.advance(count);
                    origin += count;
                }
            }
            place.advance(len - origin);
            left -= len;
        }
        let [value] = tree.finish(reducer);
        value
    }
}
