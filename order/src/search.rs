//! The search for extremes and their locations, for mapped reductions whose locations are the indices.
//!
//! Of equal values the one with the smallest location wins, so the result does not depend on the order of joins. A first pass
//! looks at values alone and remembers only the first block that has the best one. Then that block is searched, in short pieces, for
//! the first value that equals the best.
//!
//! Places ascend with their offsets, as the locations do, so an equal value in a later block never wins.

use core::marker::PhantomData;

use spelt_reducers::at_index::Extremes;
use spelt_reducers::{MapReducer, Reducer};

use crate::body::ReduceBody;
use crate::canonical;
use crate::cursor::{Cursor, skip};
use crate::if_vector_loops;
use crate::search_lines;
use crate::tile;
use crate::whole_tiles::{self, reduce_two_tiles, reduce_whole_tile};

/// Iterations of a block, two whole tiles. Unit: iterations. Source: estimated: joining the lanes costs a tenth of a block in cache, and searching
/// one costs as much as two.
pub const BLOCK: usize = 2 * canonical::tile_len(canonical::MAX_LANES);

/// Iterations of a piece of the block that is searched: a number of whole registers.
const PIECE: usize = 64;

/// Iterations of a piece where lines are shorter than [`PIECE`].
const SHORT_PIECE: usize = 16;

/// The extremes of some iterations, each with the offset of a block that has it.
#[derive(Clone, Copy, Debug)]
pub struct Found<E> {
    extremes: E,
    blocks: [usize; 2],
}

impl<E> Found<E> {
    /// Nothing yet.
    #[inline(always)]
    #[must_use]
    pub fn nothing<T>() -> Self
    where
        E: Extremes<T>,
    {
        Self { extremes: E::NONE, blocks: [usize::MAX; 2] }
    }

    /// These extremes, wherever they are.
    #[inline(always)]
    pub(crate) fn of(extremes: E) -> Self {
        Self { extremes, blocks: [usize::MAX; 2] }
    }

    /// Joins the extremes of other iterations; at ties the smaller offset stays.
    #[inline(always)]
    pub fn join<T>(&mut self, other: &Self)
    where
        E: Extremes<T>,
    {
        for number in 0..E::NUMBER {
            let better = other.extremes.improves(&self.extremes, number);
            let worse = self.extremes.improves(&other.extremes, number);
            if better || (!worse && other.blocks[number] < self.blocks[number]) {
                self.blocks[number] = other.blocks[number];
            }
        }
        self.extremes.join(&other.extremes);
    }

    /// The offset of the first block that has extreme `number`.
    #[inline(always)]
    pub fn block(&self, number: usize) -> usize {
        self.blocks[number]
    }
}

/// Joins extremes alone.
struct Alone<E, T>(PhantomData<fn() -> (E, T)>);

impl<E: Extremes<T>, T> Reducer for Alone<E, T> {
    type Value = E;
    type Output = E;

    #[inline(always)]
    fn init(&self) -> E {
        E::NONE
    }
    #[inline(always)]
    fn join(&self, into: &mut E, from: &E) {
        into.join(from);
    }
    #[inline(always)]
    fn finish(&self, value: E) -> E {
        value
    }
}

/// The contribution of an iteration.
#[inline(always)]
pub fn item<C, T>(body: &mut impl ReduceBody<C, Option<T>>, place: C, distance: usize) -> T {
    let mut item = None;
    body.run(place, distance, &mut item);
    item.expect("a body gives its contribution")
}

/// Finds the extremes of the `len` iterations from `start` on, whose offset is `first`.
#[inline(always)]
pub fn find<E, T, C, B>(start: C, first: usize, len: usize, body: &mut B) -> Found<E>
where
    E: Extremes<T>,
    C: Cursor,
    B: ReduceBody<C, Option<T>>,
{
    let mut found = Found::nothing();
    let (mut place, mut done) = (start, 0);
    while done < len {
        let count = BLOCK.min(len - done);
        let extremes = if_vector_loops! {{
            if const { !C::LINE } && search_lines::are_short(&place) {
                search_lines::extremes(place, count, body)
            } else {
                in_tile(place, count, body)
            }
        } else {
            in_tile(place, count, body)
        }};
        found.join(&Found { extremes, blocks: [first + done; 2] });
        done += count;
        if done < len {
            skip(&mut place, count);
        }
    }
    found
}

/// The extremes of a tile of `count` iterations.
#[inline(always)]
fn in_tile<E, T, C, B>(place: C, count: usize, body: &mut B) -> E
where
    E: Extremes<T>,
    C: Cursor,
    B: ReduceBody<C, Option<T>>,
{
    let alone = Alone::<E, T>(PhantomData);
    let mut update = |place, distance, extremes: &mut E| extremes.update(item(body, place, distance));
    if_vector_loops! {{
        if const { whole_tiles::gain::<Alone<E, T>, C>() } && count == BLOCK {
            let [mut extremes, other] = if const { size_of::<E>() == 4 } {
                reduce_two_tiles(&alone, place, &mut update)
            } else {
                let first = reduce_whole_tile(&alone, place, &mut update);
                let mut behind = place;
                behind.advance(BLOCK / 2);
                [first, reduce_whole_tile(&alone, behind, &mut update)]
            };
            extremes.join(&other);
            return extremes;
        }
    }}
    tile::reduce_tile(&alone, place, count, &mut update).expect("a block has an iteration")
}

/// The offset of the first contribution, of the `len` iterations from `start` on, that equals extreme `number` of `found`; `None` if
/// there is none, or if the closure returns other values than before.
#[inline(always)]
pub fn offset<E, T, C, B>(
    found: &Found<E>,
    number: usize,
    start: C,
    len: usize,
    body: &mut B,
) -> Option<usize>
where
    E: Extremes<T>,
    C: Cursor,
    B: ReduceBody<C, Option<T>>,
{
    let (mut place, mut done) = (start, 0);
    while done < len {
        let along = place.line().min(len - done);
        let mut one_by_one =
            || (0..along).find(|distance| found.extremes.is_reached(&item(body, place, *distance), number));
        let offset = if_vector_loops! {{
            // Ranges that are shorter than a piece are usually searched in one pass.
            if along < if C::LINE { PIECE } else { SHORT_PIECE } {
                one_by_one()
            } else if const { !C::LINE } && along < PIECE {
                offset_in_line::<SHORT_PIECE, E, T, C, B>(found, number, place, along, body)
            } else {
                offset_in_line::<PIECE, E, T, C, B>(found, number, place, along, body)
            }
        } else {
            one_by_one()
        }};
        if let Some(offset) = offset {
            return Some(done + offset);
        }
        place.advance(along);
        done += along;
    }
    None
}

/// [`offset`] on one line of `along` iterations, at least `LEN`.
#[inline(always)]
pub(crate) fn offset_in_line<const LEN: usize, E, T, C, B>(
    found: &Found<E>,
    number: usize,
    place: C,
    along: usize,
    body: &mut B,
) -> Option<usize>
where
    E: Extremes<T>,
    C: Copy,
    B: ReduceBody<C, Option<T>>,
{
    let mut first = 0;
    while first < along {
        // Pieces have a constant length, so they vectorise; the last overlaps the one before it.
        let piece = first.min(along - LEN);
        if let Some(offset) = offset_in_piece::<LEN, E, T, C, B>(found, number, place, piece, body) {
            return Some(offset);
        }
        first = first.saturating_add(LEN);
    }
    None
}

/// [`offset`] in the `LEN` iterations from `first` on, on one line.
#[inline(always)]
fn offset_in_piece<const LEN: usize, E, T, C, B>(
    found: &Found<E>,
    number: usize,
    place: C,
    first: usize,
    body: &mut B,
) -> Option<usize>
where
    E: Extremes<T>,
    C: Copy,
    B: ReduceBody<C, Option<T>>,
{
    // Loops and not `Iterator::fold`, which may stay a function of the lowest level.
    let mut is_here = false;
    for distance in first..first + LEN {
        is_here |= found.extremes.is_reached(&item(body, place, distance), number);
    }
    if !is_here {
        return None;
    }
    let mut offset = u32::MAX;
    for distance in 0..LEN {
        let reached = found.extremes.is_reached(&item(body, place, first + distance), number);
        offset = offset.min(if reached { distance as u32 } else { u32::MAX });
    }
    // Nowhere, if the closure has returned other values now.
    (offset < LEN as u32).then_some(first + offset as usize)
}

/// The body of a reduction that adds the contributions of `body` at their locations.
pub struct Contributions<'r, M: MapReducer<L>, L, B, F> {
    reducer: &'r M::Reducer,
    body: B,
    location: F,
}

impl<'r, M: MapReducer<L>, L, B, F> Contributions<'r, M, L, B, F> {
    /// `location(place, distance)` is the location of an iteration.
    #[inline(always)]
    pub fn new(reducer: &'r M::Reducer, body: B, location: F) -> Self {
        Self { reducer, body, location }
    }
}

impl<M: MapReducer<L>, L, B, F> core::fmt::Debug for Contributions<'_, M, L, B, F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Contributions").finish_non_exhaustive()
    }
}

impl<C, M, L, B, F> ReduceBody<C, <M::Reducer as Reducer>::Value> for Contributions<'_, M, L, B, F>
where
    C: Copy,
    M: MapReducer<L>,
    B: ReduceBody<C, Option<M::Item>>,
    F: Fn(C, usize) -> L,
{
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut <M::Reducer as Reducer>::Value) {
        let item = item(&mut self.body, place, distance);
        M::contribute(self.reducer, value, item, (self.location)(place, distance));
    }

    #[inline(always)]
    fn enter(&mut self) {
        self.body.enter();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use spelt_reducers::MinMaxValue;

    use super::*;
    use crate::cursor::{Boxed, Line, Place};

    /// The lengths of rows of the boxes.
    const ROWS: [usize; 8] = [1, 15, 16, 17, 49, 64, 100, 1500];

    /// The places of the smallest and of the largest number, which are searched for in parts that end at `ends` and join last part first.
    fn places<C: Cursor>(
        ends: &[usize],
        place: impl Fn(usize) -> C,
        number: impl Fn(C, usize) -> i32,
    ) -> [Option<usize>; 2] {
        let mut body =
            |place: C, distance: usize, item: &mut Option<i32>| *item = Some(number(place, distance));
        let mut found = Found::<MinMaxValue<i32>>::nothing();
        for (part, end) in ends.iter().enumerate().rev() {
            let first = if part == 0 { 0 } else { ends[part - 1] };
            found.join(&find(place(first), first, end - first, &mut body));
        }
        [0, 1].map(|extreme| {
            let block = found.block(extreme);
            let len = BLOCK.min(ends[ends.len() - 1] - block);
            offset(&found, extreme, place(block), len, &mut body).map(|offset| block + offset)
        })
    }

    /// The extremes are at `least` and `most`, and equal ones are the last number and the one behind the first block.
    fn check(len: usize, least: usize, most: usize) {
        let mut numbers = std::vec![0; len];
        for place in [least, len - 1] {
            numbers[place] = -5;
        }
        for place in [most, (most + BLOCK).min(len - 2)] {
            numbers[place] = 7;
        }
        let line = |place: Line, distance: usize| numbers[place.index + distance];
        let expected = [-5, 7].map(|extreme| numbers.iter().position(|number| *number == extreme));
        for ends in [&[len][..], &[len / 3, len], &[most, len - 1, len]] {
            assert_eq!(places(ends, |index| Line { index }, line), expected, "{len} in parts to {ends:?}");
            for columns in ROWS {
                let start = |first| Boxed::new([0, 0], [len.div_ceil(columns), columns], first);
                let in_box = |place: Boxed<2>, distance: usize| {
                    let [row, column] = place.at(distance);
                    numbers[row * columns + column]
                };
                let found = places(ends, start, in_box);
                assert_eq!(found, expected, "{len} in rows of {columns}, in parts to {ends:?}");
            }
        }
    }

    #[test]
    fn the_first_of_equal_extremes_is_found() {
        for len in [3, 63, 64, 65, 130, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 71] {
            for place in [0, 1, 62, 63, 64, 127, BLOCK - 1, BLOCK, 2 * BLOCK, 2 * BLOCK + 63] {
                if place + 2 < len {
                    check(len, place, place + 1);
                    check(len, place + 1, place);
                }
            }
        }
    }

    #[test]
    fn numbers_that_have_changed_are_not_found() {
        let found = find(Line { index: 0 }, 0, 70, &mut |_: Line, _, item: &mut Option<i32>| *item = Some(1));
        let mut changed = |_: Line, _, item: &mut Option<i32>| *item = Some(2);
        for len in [1, 63, 64, 70] {
            assert_eq!(
                offset::<MinMaxValue<i32>, _, _, _>(&found, 0, Line { index: 0 }, len, &mut changed),
                None
            );
        }
    }
}
