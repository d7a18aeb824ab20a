//! A tile on several lines, in lanes that stay in registers, where vectors can leave out lanes.

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::cursor::Cursor;
use crate::lanes::Lanes;
use crate::stopped_tile::Stops;

/// The length of the shortest line. Unit: rows of lanes.
pub(crate) const SHORTEST: usize = 2;

/// Reduces a tile of at least one row of lanes, on lines of at least one.
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
    Some(lanes.halve_begun(len, |into, from| reducer.join(into, from)))
}
