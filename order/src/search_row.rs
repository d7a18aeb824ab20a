//! The search of one row for extremes and their places, in one pass: for rows in cache, shorter than the passes of [`search`].
//!
//! Each lane keeps the extremes of its iterations, with the row of lanes in which it met them. Of equal values a lane keeps the first
//! and the lanes join by the smaller place, so the result is that of the ordinary form. The last row of lanes overlaps the one
//! before it: an iteration may run twice.
//!
//! [`search`]: crate::search

use core::hint::{black_box, select_unpredictable};

use spelt_reducers::at_index::Extremes;

use crate::body::ReduceBody;
use crate::if_vector_loops;
use crate::search::item;
use crate::search_blocks::{SHORTEST, in_blocks};

/// Lanes of a row. Source: measured: the fewest of which LLVM's loop vectoriser sees a loop (see `Lanes::UNROLLED_ROWS`).
pub const WIDTH: usize = 16;

/// The offset of an iteration, as wide as the values beside it and signed: vectors of all levels have their minimum.
pub(crate) trait Offset: Copy + Ord {
    /// No iteration; sums with lanes do not overflow.
    const NONE: Self;
    fn new(offset: usize) -> Self;
    fn plus(self, lane: usize) -> Self;
    fn get(self) -> usize;
}

macro_rules! offset {
    ($type:ty) => {
        impl Offset for $type {
            const NONE: Self = Self::MAX / 2;
            #[inline(always)]
            fn new(offset: usize) -> Self {
                offset as Self
            }
            #[inline(always)]
            fn plus(self, lane: usize) -> Self {
                self + lane as Self
            }
            #[inline(always)]
            fn get(self) -> usize {
                if self >= Self::NONE { usize::MAX } else { self as usize }
            }
        }
    };
}

offset!(i32);
offset!(i64);

/// Each extreme's first offset among the `len` iterations from `start` on, all on one line, fewer than 2^30; `usize::MAX` if no
/// contribution is better than the identity.
#[inline(always)]
pub fn find_offsets<E, T, C, B>(start: C, len: usize, body: &mut B) -> (usize, usize)
where
    E: Extremes<T>,
    C: Copy,
    B: ReduceBody<C, Option<T>>,
{
    if_vector_loops! {{
        if len < WIDTH {
            return one_by_one::<E, T, C, B>(start, len, body);
        }
        // The condition is a constant: one arm is compiled.
        if const { size_of::<E::Value>() <= 4 } {
            in_row::<E, T, i32, C, B>(start, len, body)
        } else {
            in_row::<E, T, i64, C, B>(start, len, body)
        }
    } else {
        one_by_one::<E, T, C, B>(start, len, body)
    }}
}

/// [`find_offsets`] of a row that is long enough for lanes.
#[inline(always)]
fn in_row<E, T, O, C, B>(start: C, len: usize, body: &mut B) -> (usize, usize)
where
    E: Extremes<T>,
    O: Offset,
    C: Copy,
    B: ReduceBody<C, Option<T>>,
{
    if len < SHORTEST {
        in_lanes::<E, T, O, C, B>(start, len, body)
    } else {
        in_blocks::<E, T, O, C, B>(start, len, body)
    }
}

/// Both halves of the row in turns, so that neither waits for its own comparisons. They overlap if its length is odd.
#[inline(always)]
fn one_by_one<E, T, C, B>(start: C, len: usize, body: &mut B) -> (usize, usize)
where
    E: Extremes<T>,
    C: Copy,
    B: ReduceBody<C, Option<T>>,
{
    let mut kept = [[E::none(0), E::none(1)]; 2];
    let mut offsets = [[usize::MAX; 2]; 2];
    let in_half = len.div_ceil(2);
    let second = len - in_half;
    for distance in 0..in_half {
        // Written out: the compiler would leave a loop around a long closure, and the values in memory.
        let values =
            [E::value(&item(body, start, distance)), E::value(&item(body, start, second + distance))];
        for number in 0..E::NUMBER {
            if E::is_better(values[0], kept[0][number], number) {
                (kept[0][number], offsets[0][number]) = (values[0], distance);
            }
            if E::is_better(values[1], kept[1][number], number) {
                (kept[1][number], offsets[1][number]) = (values[1], second + distance);
            }
        }
    }
    let [mut first, behind] = offsets;
    for number in 0..E::NUMBER {
        if E::is_better(kept[1][number], kept[0][number], number) {
            first[number] = behind[number];
        }
    }
    (first[0], first[1])
}

/// The values of one extreme in all lanes: an array by itself, which LLVM keeps in registers.
pub(crate) type Values<V> = [V; WIDTH];

/// The best value of all lanes.
#[inline(always)]
pub(crate) fn best_of<V: Copy>(values: &Values<V>, is_better: impl Fn(V, V) -> bool) -> V {
    let better = |a: V, b: V| if is_better(b, a) { b } else { a };
    let mut joined = *values;
    halve::<8, _>(&mut joined, better);
    halve::<4, _>(&mut joined, better);
    halve::<2, _>(&mut joined, better);
    better(joined[0], joined[1])
}

/// The best value of all lanes, and the first place of those that have it: `place(row, lane)`, for lanes that met their values in these
/// rows.
#[inline(always)]
pub(crate) fn first_place<V: Copy, O: Offset>(
    values: &Values<V>,
    rows: &[O; WIDTH],
    place: impl Fn(O, usize) -> O,
    is_better: impl Fn(V, V) -> bool,
) -> (V, usize) {
    let best = best_of(values, &is_better);
    let mut offsets = *rows;
    for lane in 0..WIDTH {
        let offset = place(offsets[lane], lane);
        offsets[lane] = if is_better(best, values[lane]) { O::NONE } else { offset };
    }
    halve::<8, _>(&mut offsets, Ord::min);
    halve::<4, _>(&mut offsets, Ord::min);
    halve::<2, _>(&mut offsets, Ord::min);
    (best, offsets[0].min(offsets[1]).get())
}

/// Joins the first `2 HALF` lanes to `HALF`.
#[inline(always)]
fn halve<const HALF: usize, V: Copy>(lanes: &mut [V; WIDTH], join: impl Fn(V, V) -> V) {
    for lane in 0..HALF {
        lanes[lane] = join(lanes[lane], lanes[lane + HALF]);
    }
}

#[inline(always)]
fn in_lanes<E, T, O, C, B>(start: C, len: usize, body: &mut B) -> (usize, usize)
where
    E: Extremes<T>,
    O: Offset,
    C: Copy,
    B: ReduceBody<C, Option<T>>,
{
    let mut first: Values<E::Value> = [E::none(0); WIDTH];
    let mut second: Values<E::Value> = [E::none(1); WIDTH];
    let mut first_rows = [O::NONE; WIDTH];
    let mut second_rows = [O::NONE; WIDTH];
    let last = len - WIDTH;
    let mut done = 0;
    while done < len {
        let (row, next) = (done.min(last), (done + WIDTH).min(last));
        for lane in 0..WIDTH {
            let value = E::value(&item(body, start, row + lane));
            let better = E::is_better(value, first[lane], 0);
            first[lane] = select_unpredictable(better, value, first[lane]);
            first_rows[lane] = select_unpredictable(better, O::new(row), first_rows[lane]);
            if E::NUMBER == 2 {
                let better = E::is_better(value, second[lane], 1);
                second[lane] = select_unpredictable(better, value, second[lane]);
                second_rows[lane] = select_unpredictable(better, O::new(row), second_rows[lane]);
            } else {
                // Long enough to stay a loop, until LLVM's loop vectoriser sees it.
                let value = E::value(&item(body, start, next + lane));
                let better = E::is_better(value, first[lane], 0);
                first[lane] = select_unpredictable(better, value, first[lane]);
                first_rows[lane] = select_unpredictable(better, O::new(next), first_rows[lane]);
            }
        }
        done += WIDTH * if E::NUMBER == 2 { 1 } else { 2 };
    }
    let (_, offset) = first_place(&first, &first_rows, O::plus, |new, kept| E::is_better(new, kept, 0));
    if E::NUMBER < 2 {
        return (offset, usize::MAX);
    }
    // The compiler would pack the joins of both extremes together, lane by lane, with five times the instructions.
    let offset = black_box(offset);
    (offset, first_place(&second, &second_rows, O::plus, |new, kept| E::is_better(new, kept, 1)).1)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::fmt::Debug;

    use spelt_reducers::{AtIndex, MapReducer, MaxLoc, MinLoc, MinMaxElement, MinMaxLoc, Reducer};
    use std::vec::Vec;

    use super::*;

    /// The offsets that the ordinary form finds, for each of some extremes: `location` reads one from its value.
    fn ordinary<T: MinMaxElement, M: MapReducer<usize, Item = T>>(
        mapped: M,
        row: &[T],
        location: impl Fn(&<M::Reducer as Reducer>::Value) -> (usize, usize),
    ) -> (usize, usize) {
        let reducer = mapped.reducer();
        let mut value = reducer.init();
        for (place, item) in row.iter().enumerate() {
            M::contribute(&reducer, &mut value, *item, place);
        }
        location(&value)
    }

    fn found<T: MinMaxElement, M: MapReducer<usize, Item = T>>(_: &M, row: &[T]) -> (usize, usize) {
        let mut body =
            |start: usize, distance: usize, item: &mut Option<T>| *item = Some(row[start + distance]);
        find_offsets::<M::Extremes, T, usize, _>(0, row.len(), &mut body)
    }

    /// Compares rows of all short lengths, of values among these, with the ordinary form. Where an extreme is the identity, nothing
    /// is found.
    fn check<T: MinMaxElement + Debug + Send + Sync>(values: &[T]) {
        for len in (0..70).chain([127, 128, 129, 767, 768, 769, 895, 896, 897, 1000]) {
            for seed in 0..40 {
                let number = |i: usize| i.wrapping_mul(7919 + seed) ^ (i * seed) >> 3;
                let row: Vec<T> = (0..len).map(|i| values[number(i) % (1 + seed % values.len())]).collect();
                let (least, most, both) =
                    (MinLoc::<T>::at_index(), MaxLoc::<T>::at_index(), MinMaxLoc::<T>::at_index());
                let below = row.iter().any(|value| *value < T::LARGEST);
                let above = row.iter().any(|value| T::LOWEST < *value);
                let or_none = |is_found, place| if is_found { place } else { usize::MAX };
                let (first, _) = ordinary::<T, AtIndex<MinLoc<T>>>(least, &row, |value| (value.loc, 0));
                let (second, _) = ordinary::<T, AtIndex<MaxLoc<T>>>(most, &row, |value| (value.loc, 0));
                let wanted = (or_none(below, first), or_none(above, second));
                assert_eq!(found(&least, &row).0, wanted.0, "least of {row:?}");
                assert_eq!(found(&most, &row).0, wanted.1, "most of {row:?}");
                assert_eq!(found(&both, &row), wanted, "both of {row:?}");
            }
        }
    }

    #[test]
    fn an_extreme_is_found_wherever_it_is() {
        for len in [16, 17, 100, 767, 768, 769, 895, 896, 1000] {
            for at in [0, 1, 15, 127, 128, len / 2, len - 2, len - 1] {
                let mut row = std::vec![0; len];
                row[at % len] = -1;
                row[(at + 1) % len] = 1;
                let both = MinMaxLoc::<i32>::at_index();
                assert_eq!(found(&both, &row), (at % len, (at + 1) % len), "{len}");
            }
        }
    }

    #[test]
    fn offsets_are_those_of_the_ordinary_form() {
        check(&[1.0, -0.0, 0.0, f64::NAN, f64::INFINITY, 2.5, f64::NEG_INFINITY, f64::MIN_POSITIVE / 4.0]);
        check(&[f32::NAN, 0.0, -0.0, f32::INFINITY, f32::MAX, f32::MIN]);
        check(&[i64::MAX, 0, -1, i64::MIN, 7]);
        check(&[u8::MAX, 0, 3, 200]);
        check(&[true, false]);
    }
}
