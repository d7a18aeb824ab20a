//! The extremes of a block whose lines are short, as those of a box are: lanes go on from line to line.
//!
//! The order of joins does not matter to extremes, so the lanes of a line begin at its first place, and its last row of lanes overlaps the
//! one before it: an iteration may run twice. Canonical lanes, which begin where those of the line before end, would leave most of a short
//! line to loops of parts of rows.

use core::hint::{black_box, select_unpredictable};

use spelt_reducers::at_index::Extremes;

use crate::body::ReduceBody;
use crate::cursor::Cursor;
use crate::search::item;
use crate::search_row::{Values, WIDTH, best_of};

/// Lines from this length on are long. Unit: iterations. Source: estimated: the parts of two rows at its ends are a tenth of such a line.
const LONG: usize = 1024;

/// Whether the lines of a block from `place` on are short, but not shorter than the lanes: those of 10 whose closure has a square root take
/// 1.7 times as long here as in canonical lanes.
#[inline(always)]
pub(crate) fn are_short<C: Cursor>(place: &C) -> bool {
    (WIDTH..LONG).contains(&place.extent())
}

/// The extremes of the `count` iterations from `place` on.
#[inline(always)]
pub(crate) fn extremes<E, T, C, B>(mut place: C, count: usize, body: &mut B) -> E
where
    E: Extremes<T>,
    C: Cursor,
    B: ReduceBody<C, Option<T>>,
{
    let mut first: Values<E::Value> = [E::none(0); WIDTH];
    let mut second: Values<E::Value> = [E::none(1); WIDTH];
    let mut others = E::NONE;
    let mut left = count;
    while left > 0 {
        let along = place.line().min(left);
        if along < WIDTH {
            // The rest of the first line or of the last one, which may be cut.
            for distance in 0..along {
                others.update(item(body, place, distance));
            }
        } else {
            let (last, mut done) = (along - WIDTH, 0);
            // Two rows at once: a shorter loop would be written out before it becomes vector code.
            while done + WIDTH < along {
                let (row, next) = (done, (done + WIDTH).min(last));
                for lane in 0..WIDTH {
                    let values =
                        [E::value(&item(body, place, row + lane)), E::value(&item(body, place, next + lane))];
                    // Written out, as in `search_row.rs`.
                    first[lane] = better_of::<E, T>(values[0], first[lane], 0);
                    first[lane] = better_of::<E, T>(values[1], first[lane], 0);
                    if E::NUMBER == 2 {
                        second[lane] = better_of::<E, T>(values[0], second[lane], 1);
                        second[lane] = better_of::<E, T>(values[1], second[lane], 1);
                    }
                }
                done += 2 * WIDTH;
            }
            if done < along {
                for lane in 0..WIDTH {
                    let value = E::value(&item(body, place, done.min(last) + lane));
                    first[lane] = better_of::<E, T>(value, first[lane], 0);
                    if E::NUMBER == 2 {
                        second[lane] = better_of::<E, T>(value, second[lane], 1);
                    }
                }
            }
        }
        place.advance(along);
        left -= along;
    }
    // The compiler packs the lanes starting from these stores, otherwise from the joins, whose order it then has in the loop too.
    let (mut first, mut second) = (first, second);
    black_box((&mut first, &mut second));
    let best = [
        best_of(&first, |new, kept| E::is_better(new, kept, 0)),
        best_of(&second, |new, kept| E::is_better(new, kept, 1)),
    ];
    let mut extremes = E::of(best);
    extremes.join(&others);
    extremes
}

/// The better one of two values as extreme `number`.
#[inline(always)]
fn better_of<E: Extremes<T>, T>(new: E::Value, kept: E::Value, number: usize) -> E::Value {
    select_unpredictable(E::is_better(new, kept, number), new, kept)
}
