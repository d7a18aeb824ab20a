//! Whole tiles on one line, one or two at a time: the loop of long ranges, which stays in registers and has little around it.

use core::mem::{align_of, needs_drop, size_of};

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::canonical::{self, of_lanes};
use crate::cursor::Cursor;
use crate::lanes::Lanes;
use crate::vector_loops::VECTOR_LOOPS;

/// Whether the functions of this module take less time than [`reduce_tile`](crate::tile::reduce_tile): where a value is one word. A constant, to be
/// tested in `const` blocks.
#[must_use]
pub const fn gain<R: Reducer, C: Cursor>() -> bool {
    let in_rows =
        VECTOR_LOOPS && R::COMMUTATIVE && C::LINE && canonical::lanes(R::LANE_BYTES) == canonical::MAX_LANES;
    let is_word = matches!((size_of::<R::Value>(), align_of::<R::Value>()), (4, 4) | (8, 8));
    in_rows && is_word && !needs_drop::<R::Value>()
}

/// Whether a reduction of `n` iterations takes less time two tiles at a time.
///
/// A tile of 4 bytes a value is two registers of 64 bytes, or four of 32: too few to hide the latency of an operation on numbers in the first
/// cache. Two streams of numbers from the second one take longer than one (Zen 4, sums of `f32`, ns for 4096, 10,240 and 40,960: 116, 405 and 1592 two at
/// a time, 156, 396 and 1465 one at a time).
#[inline(always)]
#[must_use]
pub const fn two_gain<R: Reducer>(n: usize) -> bool {
    // The elements of 4 bytes in 48 KiB.
    const IN_FIRST_CACHE: usize = 12_288;
    size_of::<R::Value>() == 4 && n <= IN_FIRST_CACHE
}

/// The value of the whole tile that begins at `start`, on one line: that of [`reduce_tile`](crate::tile::reduce_tile).
#[inline(always)]
pub fn reduce_whole_tile<R, C, B>(reducer: &R, start: C, body: &mut B) -> R::Value
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    let reduce = of_lanes!(R: reduce_one, R, C, B);
    reduce(reducer, start, body)
}

/// The values of the whole tile that begins at `start` and of the one behind it, both on one line.
#[inline(always)]
pub fn reduce_two_tiles<R, C, B>(reducer: &R, start: C, body: &mut B) -> [R::Value; 2]
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    let reduce = of_lanes!(R: reduce_two, R, C, B);
    reduce(reducer, start, body)
}

#[inline(always)]
fn reduce_one<const W: usize, R, C, B>(reducer: &R, start: C, body: &mut B) -> R::Value
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    debug_assert!(start.line() >= canonical::tile_len(W));
    let mut lanes = Lanes::<R, W>::of_whole_tile(reducer, start, body);
    lanes.join_all(reducer)
}

#[inline(always)]
fn reduce_two<const W: usize, R, C, B>(reducer: &R, start: C, body: &mut B) -> [R::Value; 2]
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    debug_assert!(start.line() >= 2 * canonical::tile_len(W));
    let [mut first, mut second] = Lanes::<R, W>::of_two_tiles(reducer, start, body);
    // Not by `array::map`, which is not inlined.
    let first = first.join_all(reducer);
    [first, second.join_all(reducer)]
}

#[cfg(test)]
mod tests {
    use spelt_reducers::{Max, Min, MinMax, Sum};

    use super::*;
    use crate::cursor::{Boxed, Line};
    use crate::tile::{join_lanes, reduce_lane};

    /// Compares two tiles, together and each by itself, with their lanes, reduced and joined one by one, by their bits.
    fn check<R: Reducer<Value = V>, V: Copy>(
        reducer: &R,
        contribute: impl Fn(usize, &mut V),
        bits: impl Fn(V) -> u64,
    ) {
        assert!(const { gain::<R, Line>() });
        let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
        let mut body =
            |place: Line, distance: usize, value: &mut V| contribute(place.index + distance, value);
        let starts = [Line { index: 3 }, Line { index: 3 + tile_len }];
        let tiles = starts.map(|start| {
            let lane = |lane| reduce_lane(reducer, start, tile_len, lane, &mut body);
            let tile = join_lanes(reducer, canonical::MAX_LANES, lane).expect("there are iterations");
            let whole = reduce_whole_tile(reducer, start, &mut body);
            assert_eq!(bits(whole), bits(tile));
            tile
        });
        let two = reduce_two_tiles(reducer, starts[0], &mut body);
        assert_eq!(two.map(&bits), tiles.map(&bits));
    }

    /// A number for each iteration, such that another order of additions has other bits.
    fn number(iteration: usize) -> f64 {
        ((iteration * 7919) % 1009) as f64 / 7.0
    }

    #[test]
    fn whole_tiles_have_the_joins_of_others() {
        check(&Sum::<f64>::new(), |i, sum| *sum += number(i), f64::to_bits);
        check(&Sum::<f32>::new(), |i, sum| *sum += number(i) as f32, |sum| sum.to_bits().into());
        check(&Sum::<u32>::new(), |i, sum| *sum = sum.wrapping_mul(3).wrapping_add(i as u32), u64::from);
    }

    /// Values that a kernel assigns: NaN in some lanes, zeros of both signs, infinities, and in all lanes of a tile the same.
    #[test]
    fn lanes_with_any_values_have_the_joins_of_others() {
        type Value = fn(usize) -> f64;
        let some: Value = |i| if i.is_multiple_of(5) { f64::NAN } else { number(i) };
        let zeros: Value = |i| [0.0, -0.0, f64::NAN][i % 3];
        let none: Value = |i| if i % 3 == 0 { f64::NAN } else { f64::INFINITY };
        let infinite: Value = |i| if i % 3 == 0 { f64::INFINITY } else { f64::NEG_INFINITY };
        for value in [some, zeros, none, infinite, |_| f64::NAN, |_| -f64::NAN, |_| f64::INFINITY] {
            check(&Min::<f64>::new(), |i, least| *least = value(i), f64::to_bits);
            check(&Max::<f64>::new(), |i, most| *most = value(i), f64::to_bits);
            check(&Min::<f32>::new(), |i, least| *least = value(i) as f32, |least| least.to_bits().into());
        }
    }

    #[test]
    fn other_values_and_places_gain_nothing() {
        assert!(!const { gain::<Sum<f64>, Boxed<2>>() });
        assert!(!const { gain::<Sum<[f64; 2]>, Line>() });
        assert!(!const { gain::<MinMax<f32>, Line>() });
        assert!(!const { gain::<Sum<u8>, Line>() });
        assert!(two_gain::<Sum<f32>>(4096) && !two_gain::<Sum<f32>>(100_000) && !two_gain::<Sum<f64>>(4096));
    }
}
