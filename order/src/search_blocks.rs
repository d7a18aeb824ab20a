//! The search of one row of some hundred elements for extremes and their places: the values of a block first, and then one block.
//!
//! A lane that keeps a place beside its value has three operations for each element. So each lane here takes the best of [`ROWS`]
//! iterations by their values alone, and keeps only the block in which it met its best. Of equal values it keeps the first, and the lanes
//! join by the smallest block, which thus has the first of all. The last block overlaps the one before it. Then that block is searched for
//! the first iteration that reaches the best value, so the closure runs a second time there.

use core::hint::{black_box, select_unpredictable};

use spelt_reducers::at_index::Extremes;

use crate::body::ReduceBody;
use crate::search::{Found, item, offset_in_line};
use crate::search_row::{Offset, Values, WIDTH, first_place};

/// Iterations of a lane in a block. Unit: iterations. Source: estimated: keeping the block costs three operations, as many as the values of
/// three rows.
const ROWS: usize = 8;

/// Iterations of a block.
const BLOCK: usize = ROWS * WIDTH;

/// Rows of fewer iterations are searched with places in the lanes. Unit: iterations. Source: measured with minloc of `f64` (Zen 4, AVX-512):
/// both ways take 75 ns for 700 iterations (docs/benchmarks.md).
pub(crate) const SHORTEST: usize = 6 * BLOCK;

/// Iterations that are compared with the best value at a time: a number of whole registers.
const PIECE: usize = 32;

/// [`find_offsets`](crate::search_row::find_offsets) of at least [`SHORTEST`] iterations.
#[inline(always)]
pub(crate) fn in_blocks<E, T, O, C, B>(start: C, len: usize, body: &mut B) -> (usize, usize)
where
    E: Extremes<T>,
    O: Offset,
    C: Copy,
    B: ReduceBody<C, Option<T>>,
{
    let mut first: Values<E::Value> = [E::none(0); WIDTH];
    let mut second: Values<E::Value> = [E::none(1); WIDTH];
    let mut first_blocks = [O::NONE; WIDTH];
    let mut second_blocks = [O::NONE; WIDTH];
    let last = len - BLOCK;
    let mut done = 0;
    while done < len {
        let block = done.min(last);
        for lane in 0..WIDTH {
            let (mut least, mut most) = (E::none(0), E::none(1));
            for row in 0..ROWS {
                let value = E::value(&item(body, start, block + row * WIDTH + lane));
                least = select_unpredictable(E::is_better(value, least, 0), value, least);
                if E::NUMBER == 2 {
                    most = select_unpredictable(E::is_better(value, most, 1), value, most);
                }
            }
            let better = E::is_better(least, first[lane], 0);
            first[lane] = select_unpredictable(better, least, first[lane]);
            first_blocks[lane] = select_unpredictable(better, O::new(block), first_blocks[lane]);
            if E::NUMBER == 2 {
                let better = E::is_better(most, second[lane], 1);
                second[lane] = select_unpredictable(better, most, second[lane]);
                second_blocks[lane] = select_unpredictable(better, O::new(block), second_blocks[lane]);
            }
        }
        done += BLOCK;
    }
    let (least, block) =
        first_place(&first, &first_blocks, |block, _| block, |new, kept| E::is_better(new, kept, 0));
    if E::NUMBER < 2 {
        let found = Found::of(E::of([least, E::none(1)]));
        return (located::<E, T, C, B>(&found, 0, start, block, body), usize::MAX);
    }
    // As in `search_row`: the compiler would pack both joins together.
    let block = black_box(block);
    let (most, other) =
        first_place(&second, &second_blocks, |block, _| block, |new, kept| E::is_better(new, kept, 1));
    let found = Found::of(E::of([least, most]));
    (
        located::<E, T, C, B>(&found, 0, start, block, body),
        located::<E, T, C, B>(&found, 1, start, other, body),
    )
}

/// The offset of the first iteration of a block, if there is one, that reaches extreme `number`; `usize::MAX` if there is none.
#[inline(always)]
fn located<E, T, C, B>(found: &Found<E>, number: usize, start: C, block: usize, body: &mut B) -> usize
where
    E: Extremes<T>,
    C: Copy,
    B: ReduceBody<C, Option<T>>,
{
    if block == usize::MAX {
        return usize::MAX;
    }
    let mut body = |place, distance, value: &mut Option<T>| body.run(place, block + distance, value);
    // None, if the closure has returned other values now.
    offset_in_line::<PIECE, E, T, C, _>(found, number, start, BLOCK, &mut body)
        .map_or(usize::MAX, |offset| block + offset)
}
