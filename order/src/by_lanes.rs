//! One tile, run by one thread of a device: lane by lane.
//!
//! The tile loop of the host keeps all lanes at once, in vector registers. A thread of a device has none: it would keep the lanes in
//! local memory, and the loops over them, unrolled, would be thousands of instructions. One lane at a time needs one value, and the closure is there
//! once. The lanes come in the order in which halving joins them: in that of their numbers with reversed bits, the values that wait are
//! those of a binary counter.

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::canonical;
use crate::cursor::Cursor;
use crate::tile::{live_lanes, reduce_lane};

/// The maximum number of values that wait, and one for the result.
const LEVELS: usize = canonical::MAX_LANES.ilog2() as usize + 1;

/// The value of [`reduce_tile`](crate::tile::reduce_tile) for a reducer that commutes, with the iterations of each lane in their order, and the
/// lanes one after the other.
///
/// Work O(`len` + lanes), span the same; at most log2 of the lanes values wait.
#[inline(always)]
pub fn reduce_tile_by_lanes<R, C, B>(reducer: &R, start: C, len: usize, body: &mut B) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    debug_assert!(R::COMMUTATIVE, "lanes of runs join in another order");
    let lanes = const { canonical::lanes(R::LANE_BYTES) };
    let live = live_lanes::<R>(len);
    let mut waiting: [Option<R::Value>; LEVELS] = [const { None }; LEVELS];
    for number in 0..lanes {
        let lane = (number.reverse_bits() >> 1) >> (usize::BITS - 1 - lanes.ilog2());
        let mut value = (lane < live).then(|| reduce_lane(reducer, start, len, lane, body));
        let level = number.trailing_ones() as usize;
        for left in &mut waiting[..level] {
            value = match (left.take(), value) {
                (Some(mut left), Some(right)) => {
                    reducer.join(&mut left, &right);
                    Some(left)
                }
                (left, right) => left.or(right),
            };
        }
        waiting[level] = value;
    }
    waiting[lanes.ilog2() as usize].take()
}

#[cfg(test)]
mod tests {
    use spelt_reducers::{MinLoc, MinLocValue, Sum, custom};

    use super::*;
    use crate::cursor::Line;
    use crate::tile::reduce_tile;

    fn check<R: Reducer<Value = V>, V: PartialEq + core::fmt::Debug, C: Cursor>(
        reducer: &R,
        start: C,
        one: impl Fn(C, usize) -> V,
    ) {
        for len in (0..70).chain([255, 256, 1000]) {
            let mut body = |place: C, distance: usize, value: &mut V| {
                reducer.join(value, &one(place, distance));
            };
            let expected = reduce_tile(reducer, start, len, &mut body);
            assert_eq!(reduce_tile_by_lanes(reducer, start, len, &mut body), expected, "{len} iterations");
        }
    }

    #[test]
    fn tiles_have_the_values_of_the_tile_loop() {
        let line = Line { index: 0 };
        check(&Sum::new(), line, |place, along| (((place.index + along) * 7919) % 1009) as f64 / 7.0);
        check(&Sum::new(), line, |place, along| (((place.index + along) * 7919) % 1009) as f32 / 7.0);
        let smallest = |place: Line, along: usize| {
            let loc = place.index + along;
            MinLocValue { val: loc as u64 * 7 % 5, loc }
        };
        check(&MinLoc::<u64, usize>::new(), line, smallest);
        // 16, 8, 4 lanes, and one.
        let add = |into: &mut [f64; 3], from: &[f64; 3]| into[0] = (into[0] + from[0]) * 0.75;
        check(&custom([0.0; 3], add), line, |place, along| [(place.index + along) as f64 + 0.1, 0.0, 0.0]);
        let add = |into: &mut [f64; 6], from: &[f64; 6]| into[0] = (into[0] + from[0]) * 0.75;
        check(&custom([0.0; 6], add), line, |place, along| [(place.index + along) as f64 + 0.1; 6]);
        let add = |into: &mut [f64; 12], from: &[f64; 12]| into[0] = (into[0] + from[0]) * 0.75;
        check(&custom([0.0; 12], add), line, |place, along| [(place.index + along) as f64 + 0.1; 12]);
        let add = |into: &mut [f64; 100], from: &[f64; 100]| into[0] = (into[0] + from[0]) * 0.75;
        check(&custom([0.0; 100], add), line, |place, along| [(place.index + along) as f64 + 0.1; 100]);
    }
}
