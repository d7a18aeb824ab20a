//! A tile of a few iterations on one line: the loop of short launches, which stays in registers and has nothing around it.

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::canonical;
use crate::cursor::Cursor;
use crate::if_vector_loops;
use crate::lanes::{FEW, Lanes};
use crate::tile::reduce_row;
use crate::vector_loops::VECTOR_LOOPS;

/// The length of the longest tile that [`reduce_short_tile`] takes: a whole tile. A constant, to be tested in `const` blocks; it is 0 where
/// [`reduce_tile`](crate::tile::reduce_tile) takes as little time.
#[must_use]
pub const fn longest<R: Reducer, C: Cursor>() -> usize {
    let lanes = canonical::lanes(R::LANE_BYTES);
    // Others are too large for the stack, or do not stay in registers: a reducer may say what it likes of its lanes.
    let is_small = size_of::<R::Value>() <= 64 && !core::mem::needs_drop::<R::Value>();
    if VECTOR_LOOPS && R::COMMUTATIVE && C::LINE && lanes >= 16 && is_small {
        canonical::tile_len(lanes)
    } else {
        0
    }
}

/// Reduces a tile of `len` iterations from `start` on, at least one and at most [`longest`], as [`reduce_tile`](crate::tile::reduce_tile) does.
///
/// `MASKS`: as [`reduce_tile_with`](crate::tile::reduce_tile_with). `REST`: whether the loop over a last row that is not whole goes over all lanes
/// under masks; if it ends where the row does, the lanes go through memory. `ALIKE`: whether whole rows and short rests have no code of their own.
/// A body that is not vector code gains nothing by it, and one that contains a loop takes minutes to compile if there are many copies of it.
///
/// # Panics
/// If it has another length.
#[inline(always)]
pub fn reduce_short_tile<const MASKS: bool, const REST: bool, const ALIKE: bool, R, C, B>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
) -> R::Value
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    // A constant, for the reason of `of_lanes`.
    let reduce = const {
        match canonical::lanes(R::LANE_BYTES) {
            32 => reduce_rows::<32, MASKS, REST, ALIKE, R, C, B>,
            16 => reduce_rows::<16, MASKS, REST, ALIKE, R, C, B>,
            _ => |_: &R, _, _, _: &mut B| unreachable!("no length is short"),
        }
    };
    reduce(reducer, start, len, body)
}

#[inline(always)]
fn reduce_rows<const W: usize, const MASKS: bool, const REST: bool, const ALIKE: bool, R, C, B>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
) -> R::Value
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    assert!(0 < len && len <= const { longest::<R, C>() });
    if_vector_loops! {{
        if len < W {
            return reduce_row(reducer, start, len, body).expect("there is an iteration");
        }
        let rest = len % W;
        // `of_line` ends with two loops of run-time length, which keep the lanes in memory.
        if const { !MASKS && !ALIKE && Lanes::<R, W>::COPIES } && rest == 0 {
            let mut lanes = Lanes::<R, W>::of_rows(reducer, len / W, start, body);
            return lanes.join_all(reducer);
        }
        // Behind more rows, what this wins is less than the loop over them loses: with it, lanes do not stay in registers.
        if const { !MASKS && !ALIKE && Lanes::<R, W>::HAS_FEW } && 0 < rest && rest < FEW && len < 4 * W {
            let mut last = start;
            last.advance(len - rest);
            let mut lanes = Lanes::<R, W>::of_rows(reducer, len / W, start, body);
            return lanes.end_with_few(rest, last, body, |into, from| reducer.join(into, from));
        }
        // Whole rows stay in registers here, too, for three more copies of the body than `of_line` has: sums gain a twentieth by it, which is not worth
        // the time of the compiler.
        if const { !MASKS && !REST && !ALIKE && Lanes::<R, W>::COPIES && R::MOSTLY_KEEPS } {
            let mut lanes = Lanes::<R, W>::of_rows(reducer, len / W, start, body);
            lanes.part_from(0, rest, start, len - rest, body);
            return lanes.join_all(reducer);
        }
        let mut lanes = Lanes::<R, W>::of_line::<REST, C>(reducer, len, start, body);
        lanes.join_all(reducer)
    } else {
        let _ = (reducer, start, body);
        unreachable!("without vector loops no tile is short")
    }}
}

#[cfg(test)]
mod tests {
    use spelt_reducers::{MinMax, MinMaxValue, Sum, custom};

    use super::*;
    use crate::cursor::Line;
    use crate::tile::tests::Keeping;
    use crate::tile::{join_lanes, live_lanes, reduce_lane, reduce_tile};

    /// Compares tiles of many lengths with those of [`reduce_tile`].
    fn check<R: Reducer<Value = V>, V: PartialEq + core::fmt::Debug>(reducer: &R, one: impl Fn(usize) -> V) {
        let longest = const { longest::<R, Line>() };
        for len in (1..=300).chain([longest - 1, longest]).filter(|len| *len <= longest) {
            let start = Line { index: 3 };
            let mut body = |place: Line, distance: usize, value: &mut V| {
                assert!(distance < len);
                reducer.join(value, &one(place.index + distance));
            };
            let tile = reduce_tile(reducer, start, len, &mut body);
            for (masks, short) in [
                ("no", reduce_short_tile::<false, false, false, _, _, _>(reducer, start, len, &mut body)),
                (
                    "no, and one form",
                    reduce_short_tile::<false, false, true, _, _, _>(reducer, start, len, &mut body),
                ),
                (
                    "in the last row",
                    reduce_short_tile::<false, true, false, _, _, _>(reducer, start, len, &mut body),
                ),
                ("all", reduce_short_tile::<true, true, false, _, _, _>(reducer, start, len, &mut body)),
            ] {
                assert_eq!(Some(short), tile, "{len} iterations, {masks} masks");
            }
        }
    }

    #[test]
    fn short_tiles_have_the_joins_of_others() {
        check(&Sum::new(), |i| ((i * 7919) % 1009) as f64 / 7.0);
        check(&Sum::new(), |i| ((i * 7919) % 1009) as f32 / 7.0);
        check(&Keeping, |i| i as f32 + 0.1);
        // 16 lanes, stored by words.
        let add = |into: &mut [f64; 3], from: &[f64; 3]| {
            into[0] = (into[0] + from[0]) * 0.75;
            into[2] += from[1];
        };
        check(&custom([0.0; 3], add), |i| [i as f64 + 0.1, i as f64 / 3.0, 0.0]);
    }

    /// Values that a kernel assigns: NaN in some lanes or in all, infinities and zeros of both signs.
    #[test]
    fn lanes_with_any_values_have_the_joins_of_others() {
        type Value = fn(usize) -> f64;
        let some: Value = |i| if i.is_multiple_of(5) { f64::NAN } else { (i * 7919 % 1009) as f64 };
        let infinite: Value = |i| [f64::INFINITY, f64::NEG_INFINITY, f64::NAN][i % 3];
        let zeros: Value = |i| [0.0, -0.0, f64::NAN][i % 3];
        for value in [some, infinite, zeros, |_| f64::NAN] {
            for len in (1..=140).chain([1024, 2048]) {
                let start = Line { index: 3 };
                let bits = |ends: MinMaxValue<f64>| [ends.min_val, ends.max_val].map(f64::to_bits);
                let ends = MinMax::<f64>::new();
                let mut assign = |place: Line, distance: usize, ends: &mut MinMaxValue<f64>| {
                    let i = place.index + distance;
                    *ends = MinMaxValue { min_val: value(i), max_val: value(i + 1) };
                };
                let live = live_lanes::<MinMax<f64>>(len);
                let joined =
                    join_lanes(&ends, live, |lane| reduce_lane(&ends, start, len, lane, &mut assign));
                let short = [
                    reduce_tile(&ends, start, len, &mut assign).expect("there are iterations"),
                    reduce_short_tile::<false, false, false, _, _, _>(&ends, start, len, &mut assign),
                    reduce_short_tile::<true, true, false, _, _, _>(&ends, start, len, &mut assign),
                ];
                assert_eq!(
                    short.map(bits),
                    [joined.map(bits).expect("a lane is live"); 3],
                    "{len} iterations"
                );
            }
        }
    }

    #[test]
    fn reducers_that_do_not_commute_and_large_values_have_no_short_tiles() {
        fn longest_of<R: Reducer>(_: &R) -> usize {
            longest::<R, Line>()
        }
        let add = |into: &mut f64, from: &f64| *into += from;
        assert_eq!(longest_of(&custom(0.0, add).non_commutative()), 0);
        assert_eq!(
            longest_of(&custom([0.0; 12], |into: &mut [f64; 12], from: &[f64; 12]| into[0] += from[0])),
            0
        );
        assert_eq!(longest_of(&Large), 0);
    }

    /// Large values, of which it asks for as many lanes as of small ones.
    struct Large;

    impl Reducer for Large {
        type Value = [u64; 2048];
        type Output = ();
        const LANE_BYTES: usize = 1;
        fn init(&self) -> Self::Value {
            [0; 2048]
        }
        fn join(&self, into: &mut Self::Value, from: &Self::Value) {
            into[0] += from[0];
        }
        fn finish(&self, _value: Self::Value) {}
    }
}
