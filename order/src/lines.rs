//! A tile on several lines, in lanes that stay in registers, where vectors can leave out lanes.

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::cursor::Cursor;
use crate::lanes::Lanes;
use crate::stopped_tile::Stops;

/// The length of the shortest line. Unit: halves of a row of lanes. Source: boxes of some 2000 `f32` in lines of 48, 56, 60 and 33 take 0.07, 0.07, 0.07
/// and 0.33 ns an element, and otherwise 0.08, 0.08, 0.15 and 0.28 (Zen 4).
pub(crate) const SHORTEST_HALF_ROWS: usize = 3;

/// Reduces a tile of at least one row of lanes, on lines of at least [`SHORTEST_HALF_ROWS`].
///
/// On each line, the rest of the row that the line before has begun comes first, then whole rows, then the beginning of a row: loops over all lanes,
/// some of them under masks.
#[inline(always)]
pub(crate) fn reduce_lines<const W: usize, R, C, B, S>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
    stops: &mut S,
) -> Option<R::Value>
where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
    S: Stops<R::Value>,
{
    let mut until = stops.next(0)?.min(len);
    let mut lanes = Lanes::<R, W>::new();
    lanes.start(W, |_| reducer.init());
    let mut place = start;
    let mut done = 0;
    while done < len {
        if done == until {
            let Some(more) = stops.next(done) else {
                lanes.stop(done, stops);
                return None;
            };
            until = done.saturating_add(more).min(len);
            if until < len && more >= W {
                // Whole rows take less time.
                until -= until % W;
            }
        }
        let (lane, left) = (done % W, until - done);
        let along = place.line().min(left);
        if lane == 0 && along >= W {
            done += lanes.lines(left, &mut place, body);
            continue;
        }
        let count = along.min(W - lane);
        lanes.some_of_line(lane, count, place, body);
        place.advance(count);
        done += count;
    }
    Some(lanes.halve_begun(len, reducer))
}

#[cfg(test)]
mod tests {
    use spelt_reducers::custom;

    use super::*;
    use crate::cursor::{Boxed, Place, Reversed, skip};
    use crate::stopped_tile::{NeverStops, StopsAt};
    use crate::tile::tests::Keeping;
    use crate::tile::{join_lanes, live_lanes, reduce_lane, reduce_tile_with};

    /// Extents of boxes with lines from below [`SHORTEST_HALF_ROWS`] of 16 and of 32 lanes to several rows, with and without rests. On lines of fewer
    /// than two rows, less than a row is left now and then after the rest of the row before.
    const BOXES: [[usize; 3]; 14] = [
        [1, 9, 23],
        [2, 5, 25],
        [1, 9, 31],
        [1, 9, 47],
        [1, 9, 48],
        [2, 5, 49],
        [1, 9, 62],
        [1, 4, 64],
        [2, 3, 65],
        [3, 2, 95],
        [1, 5, 96],
        [2, 2, 97],
        [1, 3, 196],
        [2, 2, 254],
    ];

    /// Compares tiles from several places on with their lanes, reduced one by one.
    fn check<R: Reducer<Value = V>, V: PartialEq + core::fmt::Debug>(
        reducer: &R,
        one: impl Fn([usize; 3]) -> V,
    ) {
        for extents in BOXES {
            let all: usize = extents.iter().product();
            let mut body = |place: Boxed<3>, distance: usize, value: &mut V| {
                assert!(distance < place.line(), "beyond the line");
                reducer.join(value, &one(place.at(distance)));
            };
            for first in [0, 1, 31, 32, 40, 62, extents[2] - 1, extents[2]] {
                let start = Boxed::new([0; 3], extents, first);
                for len in [all - first, all - first - 1, 32, 33, 64, 65, 97, 130] {
                    let len = len.min(all - first);
                    let tile =
                        reduce_tile_with::<true, _, _, _, _>(reducer, start, len, &mut body, &mut NeverStops);
                    let lane = |lane| reduce_lane(reducer, start, len, lane, &mut body);
                    let lanes = join_lanes(reducer, live_lanes::<R>(len), lane);
                    assert_eq!(tile, lanes, "{len} from {first} of {extents:?}");
                    let reversed = Reversed(start);
                    let mut body =
                        |place: Reversed<3>, distance: usize, value: &mut V| body(place.0, distance, value);
                    let tile = reduce_tile_with::<true, _, _, _, _>(
                        reducer,
                        reversed,
                        len,
                        &mut body,
                        &mut NeverStops,
                    );
                    assert_eq!(tile, lanes, "{len} from {first} of {extents:?}, reversed");
                }
            }
        }
    }

    #[test]
    fn tiles_on_several_lines_have_the_lanes_of_others() {
        let number = |[i, j, k]: [usize; 3]| ((i * 7919 + j * 131 + k) % 1009) as f64 / 7.0;
        // Each lane's iterations in order, which the steps show.
        check(&custom(0.0, |into: &mut f64, from: &f64| *into = *into * 0.75 + from), number);
        check(&custom(0.0, |into: &mut f32, from: &f32| *into = *into * 0.75 + from), |i| number(i) as f32);
        check(&Keeping, |i| number(i) as f32);
        // 16 lanes, stored by words.
        let add = |into: &mut [f64; 3], from: &[f64; 3]| {
            into[0] = into[0] * 0.75 + from[0];
            into[2] += from[1];
        };
        check(&custom([0.0; 3], add), |i| [number(i), number(i) / 3.0, 0.0]);
        // Eight lanes.
        let add = |into: &mut [f64; 6], from: &[f64; 6]| into[0] = into[0] * 0.75 + from[0];
        check(&custom([0.0; 6], add), |i| [number(i), 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_tile_on_several_lines_hands_over_the_lanes_that_have_begun() {
        let add = |into: &mut f64, from: &f64| *into = *into * 0.75 + from;
        let reducer = custom(0.0, add);
        let extents = [1, 3, 67];
        let one = |[_, j, k]: [usize; 3]| (j * 100 + k) as f64 / 7.0;
        let mut body =
            |place: Boxed<3>, distance: usize, value: &mut f64| add(value, &one(place.at(distance)));
        for at in 1..200 {
            let mut stops = StopsAt { at, kept: [None; 32] };
            let start = Boxed::new([0; 3], extents, 0);
            assert_eq!(
                reduce_tile_with::<true, _, _, _, _>(&reducer, start, 201, &mut body, &mut stops),
                None
            );
            for (lane, kept) in stops.kept.into_iter().enumerate() {
                let begun = (lane < at).then(|| {
                    (lane..at).step_by(32).fold(0.0, |mut value, number| {
                        let mut place = start;
                        skip(&mut place, number);
                        add(&mut value, &one(place.at(0)));
                        value
                    })
                });
                assert_eq!(kept, begun, "lane {lane}, stopped at {at}");
            }
        }
    }
}
