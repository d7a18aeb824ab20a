//! Tiles that stop before their end: the values of their lanes are handed over, and other threads or later launches continue them.
//!
//! A lane's value comes from its own iterations alone, in ascending order. So anyone may continue any lane, and the bits are
//! those of a tile that did not stop. A launch that opens stops a tile of a reducer that does not commute between two runs; a part of
//! a reduction may end anywhere.

use core::ops::Range;

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::canonical::{self, of_lanes};
use crate::cursor::{Cursor, skip};
use crate::lanes::Lanes;
use crate::pending_nodes::PendingNodes;
use crate::tile::{RUN_LEVELS, continue_run, join_lanes, live_lanes};

/// Decides whether a tile stops.
pub trait Stops<V> {
    /// The number of iterations, at least 1, that the tile runs next, when its first `done` have run. It may round the number to
    /// whole rows or runs. `None`: it stops.
    fn next(&mut self, done: usize) -> Option<usize>;

    /// Takes the value of a lane of a tile that has stopped: for a reducer that does not commute, of several joined runs, by
    /// the first of them. A lane that has not begun has none.
    fn keep(&mut self, lane: usize, value: V);
}

/// The tile runs to its end.
#[derive(Clone, Copy, Debug)]
pub struct NeverStops;

impl<V> Stops<V> for NeverStops {
    #[inline(always)]
    fn next(&mut self, _done: usize) -> Option<usize> {
        Some(usize::MAX)
    }
    #[inline(always)]
    fn keep(&mut self, _lane: usize, _value: V) {}
}

/// The tile runs to its end, with its iterations in ascending order.
///
/// Otherwise the loops take several rows at a time, where they get as many, and the closure's calls for each lane in these rows follow one
/// another: its contributions to other arguments would come in another order wherever loops become vector code.
#[derive(Clone, Copy, Debug)]
pub struct Ascending {
    row: usize,
}

impl Ascending {
    /// For tiles of `lanes` lanes.
    #[must_use]
    pub const fn new(lanes: usize) -> Self {
        Self { row: lanes }
    }
}

impl<V> Stops<V> for Ascending {
    #[inline(always)]
    fn next(&mut self, _done: usize) -> Option<usize> {
        Some(self.row)
    }
    #[inline(always)]
    fn keep(&mut self, _lane: usize, _value: V) {}
}

/// `None` never stops.
impl<V> Stops<V> for Option<&mut dyn Stops<V>> {
    #[inline(always)]
    fn next(&mut self, done: usize) -> Option<usize> {
        match self {
            Some(stops) => stops.next(done),
            None => Some(usize::MAX),
        }
    }
    #[inline(always)]
    fn keep(&mut self, lane: usize, value: V) {
        if let Some(stops) = self {
            stops.keep(lane, value);
        }
    }
}

/// Runs the iterations of some lanes that are among the iterations `next` of a tile of `len`; those before them have run. `place` is
/// that of the first of `next`.
///
/// `kept(lane)` is the value that the tile handed over. `keep(lane, value)` is called with the value of each lane; for a reducer
/// that does not commute, of those that have an iteration here.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a tile, a part of it, and the two sides of its values")]
pub fn continue_lanes<R, C, B, I, O>(
    reducer: &R,
    place: C,
    len: usize,
    next: Range<usize>,
    lanes: Range<usize>,
    body: &mut B,
    kept: I,
    keep: O,
) where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
    I: FnMut(usize) -> Option<R::Value>,
    O: FnMut(usize, R::Value),
{
    if const { !R::COMMUTATIVE } {
        return continue_runs(reducer, place, len, next, lanes, body, kept, keep);
    }
    let resume = of_lanes!(R: continue_columns, R, C, B, I, O);
    resume(reducer, place, next, lanes, body, kept, keep);
}

/// [`continue_lanes`] for a reducer that commutes: row by row, so that neighbouring lanes vectorise.
#[inline(always)]
fn continue_columns<const W: usize, R, C, B, I, O>(
    reducer: &R,
    mut place: C,
    next: Range<usize>,
    lanes: Range<usize>,
    body: &mut B,
    mut kept: I,
    mut keep: O,
) where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
    I: FnMut(usize) -> Option<R::Value>,
    O: FnMut(usize, R::Value),
{
    let (first, width) = (lanes.start, lanes.len());
    let mut values = Lanes::<R, W>::new();
    values.start(width, |lane| kept(first + lane).unwrap_or_else(|| reducer.init()));
    // The iteration of the first of these lanes in the first row, and the lanes that have run in that row.
    let mut row = next.start - next.start % W + first;
    let mut lane = (next.start % W).saturating_sub(first);
    if lane >= width {
        (row, lane) = (row + W, 0);
    }
    if row + lane < next.end {
        skip(&mut place, row + lane - next.start);
        loop {
            let end = width.min(next.end - row);
            while lane < end {
                let along = place.line().min(end - lane);
                values.part(lane, along, place, body);
                place.advance(along);
                lane += along;
            }
            row += W;
            if row >= next.end {
                break;
            }
            skip(&mut place, W - width);
            lane = 0;
        }
    }
    values.hand_over(|lane, value| keep(first + lane, value));
}

/// [`continue_lanes`] for a reducer that does not commute.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "those of `continue_lanes`")]
fn continue_runs<R, C, B>(
    reducer: &R,
    place: C,
    len: usize,
    next: Range<usize>,
    runs: Range<usize>,
    body: &mut B,
    mut kept: impl FnMut(usize) -> Option<R::Value>,
    mut keep: impl FnMut(usize, R::Value),
) where
    R: Reducer,
    C: Cursor,
    B: ReduceBody<C, R::Value>,
{
    let run_len = canonical::run_len(len, canonical::lanes(R::LANE_BYTES));
    for run in runs {
        let first = (run * run_len).max(next.start);
        let end = ((run + 1) * run_len).min(next.end);
        if first < end {
            let mut start = place;
            skip(&mut start, first - next.start);
            let value = kept(run).unwrap_or_else(|| reducer.init());
            keep(run, continue_run(value, &mut start, end - first, body));
        }
    }
}

/// Joins the values of the lanes of a tile that stopped after `done` of its `len` iterations, as
/// [`reduce_tile`](crate::tile::reduce_tile) does; `None` if there is no lane.
pub fn join_stopped<R: Reducer>(
    reducer: &R,
    len: usize,
    done: usize,
    mut lane: impl FnMut(usize) -> R::Value,
) -> Option<R::Value> {
    let live = live_lanes::<R>(len);
    if R::COMMUTATIVE {
        return join_lanes(reducer, live, lane);
    }
    let joined = done.div_ceil(canonical::run_len(len, canonical::lanes(R::LANE_BYTES)).max(1));
    let mut nodes = PendingNodes::<R::Value, RUN_LEVELS>::new();
    let mut run = 0;
    while run < live {
        let size = if run < joined { 1 << (joined - run).ilog2() } else { 1 };
        nodes.push(reducer, lane(run), size);
        run += size;
    }
    nodes.join(reducer)
}

/// Stops a tile at an iteration, which it reaches in pieces, each of which is half of what is left.
#[cfg(test)]
pub(crate) struct StopsAt {
    pub(crate) at: usize,
    pub(crate) kept: [Option<f64>; 32],
}

#[cfg(test)]
impl Stops<f64> for StopsAt {
    fn next(&mut self, done: usize) -> Option<usize> {
        (done < self.at).then(|| (self.at - done).div_ceil(2))
    }
    fn keep(&mut self, lane: usize, value: f64) {
        self.kept[lane] = Some(value);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::format;
    use std::string::String;
    use std::vec::Vec;

    use super::*;
    use crate::cursor::{Boxed, Line, Place};
    use crate::tile::{begun_lanes, reduce_tile, reduce_tile_with};
    use spelt_reducers::{MinLoc, MinMaxLoc, Sum, custom};

    /// Writes down which iterations join in which order, with values of `BYTES` bytes.
    struct Text<const BYTES: usize, const COMMUTATIVE: bool>;

    impl<const BYTES: usize, const COMMUTATIVE: bool> Reducer for Text<BYTES, COMMUTATIVE> {
        type Value = String;
        type Output = String;
        const LANE_BYTES: usize = BYTES;
        const COMMUTATIVE: bool = COMMUTATIVE;

        fn init(&self) -> String {
            String::new()
        }
        fn join(&self, into: &mut String, from: &String) {
            *into = format!("({into}+{from})");
        }
        fn finish(&self, value: String) -> String {
            value
        }
    }

    /// Stops at the first look at or after `at` iterations, and looks as often as it can.
    struct StopsAt {
        at: usize,
        done: Option<usize>,
        values: Vec<Option<String>>,
    }

    impl Stops<String> for StopsAt {
        fn next(&mut self, done: usize) -> Option<usize> {
            if done >= self.at {
                self.done = Some(done);
                return None;
            }
            Some(1)
        }
        fn keep(&mut self, lane: usize, value: String) {
            self.values[lane] = Some(value);
        }
    }

    fn stops_everywhere<C: Place<N>, R: Reducer<Value = String>, const N: usize>(
        reducer: &R,
        len: usize,
        start: C,
    ) {
        let mut body =
            |place: C, distance: usize, value: &mut String| *value += &format!("{:?}", place.at(distance));
        let whole = reduce_tile(reducer, start, len, &mut body).unwrap();
        for at in 0..len {
            let mut stops = StopsAt { at, done: None, values: std::vec![None; canonical::MAX_LANES] };
            let ended = reduce_tile_with::<false, _, _, _, _>(reducer, start, len, &mut body, &mut stops);
            let Some(done) = stops.done else {
                assert_eq!(ended.as_ref(), Some(&whole), "{len} iterations, not stopped at {at}");
                continue;
            };
            assert!(ended.is_none() && (done == at || !R::COMMUTATIVE), "{done} of {len} run, not {at}");
            let live = live_lanes::<R>(len);
            for width in [1, 2, 3, 32] {
                let mut left = stops.values.clone();
                for first in (0..live).step_by(width) {
                    let (mut begun, mut run) = (left.clone(), Vec::new());
                    let lanes = first..(first + width).min(live);
                    let mut place = start;
                    skip(&mut place, done);
                    continue_lanes(
                        reducer,
                        place,
                        len,
                        done..len,
                        lanes,
                        &mut body,
                        |lane| begun[lane].take(),
                        |lane, value| run.push((lane, value)),
                    );
                    run.into_iter().for_each(|(lane, value)| left[lane] = Some(value));
                }
                let joined = join_stopped(reducer, len, done, |lane| left[lane].take().expect("it has run"));
                assert_eq!(
                    joined.as_ref(),
                    Some(&whole),
                    "{len} iterations, {done} run, {width} lanes a unit"
                );
            }
        }
    }

    /// A tile in three pieces, each of which continues the lanes of the one before it.
    fn pieces_go_on_anywhere<C: Place<N>, R: Reducer<Value = String>, const N: usize>(
        reducer: &R,
        len: usize,
        start: C,
    ) {
        let mut body =
            |place: C, distance: usize, value: &mut String| *value += &format!("{:?}", place.at(distance));
        let whole = reduce_tile(reducer, start, len, &mut body).unwrap();
        for (first, second) in (0..=len).flat_map(|first| (first..=len).map(move |second| (first, second))) {
            let mut lanes = std::vec![None; canonical::MAX_LANES];
            for next in [0..first, first..second, second..len] {
                let mut place = start;
                skip(&mut place, next.start);
                let begun = 0..begun_lanes::<R>(len, next.end);
                let mut before = lanes.clone();
                let (kept, keep) =
                    (|lane: usize| before[lane].take(), |lane: usize, value| lanes[lane] = Some(value));
                continue_lanes(reducer, place, len, next.clone(), begun.clone(), &mut body, kept, keep);
                assert!(lanes[begun.clone()].iter().all(Option::is_some));
                assert!(lanes[begun.end..].iter().all(Option::is_none));
            }
            let joined =
                join_lanes(reducer, live_lanes::<R>(len), |lane| lanes[lane].take().expect("it has run"));
            assert_eq!(joined.as_ref(), Some(&whole), "{len} iterations, cut at {first} and {second}");
        }
    }

    /// The places of a tile of `len` iterations in the order in which it runs them, row by row or not.
    fn order<R: Reducer, C: Place<N>, const MASKS: bool, const N: usize>(
        reducer: &R,
        start: C,
        len: usize,
        ascending: bool,
    ) -> Vec<[usize; N]> {
        let mut places = Vec::new();
        let mut body = |place: C, distance: usize, _: &mut R::Value| places.push(place.at(distance));
        let mut by_rows = Ascending::new(canonical::lanes(R::LANE_BYTES));
        let mut stops: Option<&mut dyn Stops<R::Value>> = ascending.then_some(&mut by_rows as _);
        assert!(reduce_tile_with::<MASKS, _, _, _, _>(reducer, start, len, &mut body, &mut stops).is_some());
        places
    }

    #[test]
    fn ascending_tiles_run_their_iterations_in_order() {
        fn check<R: Reducer>(reducer: &R) {
            for len in [1, 7, 31, 32, 33, 64, 127, 128, 129, 1000, 2048] {
                let wanted: Vec<_> = (3..3 + len).map(|index| [index]).collect();
                assert_eq!(order::<R, _, false, 1>(reducer, Line { index: 3 }, len, true), wanted);
                assert_eq!(order::<R, _, true, 1>(reducer, Line { index: 3 }, len, true), wanted);
                for columns in [6, 64, 1000] {
                    let wanted: Vec<_> = (5..5 + len).map(|at| [at / columns, at % columns]).collect();
                    let start = Boxed::new([0, 0], [2000, columns], 5);
                    assert_eq!(order::<R, _, false, 2>(reducer, start, len, true), wanted);
                    assert_eq!(order::<R, _, true, 2>(reducer, start, len, true), wanted);
                }
            }
        }
        check(&Sum::<f64>::new());
        check(&Sum::<f32>::new());
        check(&Sum::<[f32; 2]>::new());
        check(&MinLoc::<f64>::new());
        check(&MinMaxLoc::<f64>::new());
        check(&custom(0_u64, |into: &mut u64, from: &u64| *into = *from).non_commutative());
        check(&Text::<8, true>);
        // The test can fail: others take rows together.
        let line = order::<_, _, false, 1>(&Sum::<f64>::new(), Line { index: 0 }, 1000, false);
        assert_ne!(line, (0..1000).map(|index| [index]).collect::<Vec<_>>());
    }

    #[test]
    fn a_tile_cut_anywhere_has_the_joins_of_a_whole_one() {
        for len in [1, 2, 3, 31, 32, 33, 70] {
            pieces_go_on_anywhere(&Text::<8, true>, len, Line { index: 3 });
            pieces_go_on_anywhere(&Text::<8, false>, len, Line { index: 3 });
            pieces_go_on_anywhere(&Text::<64, true>, len, Boxed::new([0, 1], [70, 6], 4));
            pieces_go_on_anywhere(&Text::<64, false>, len, Boxed::new([0, 1], [70, 6], 4));
        }
    }

    #[test]
    fn a_tile_that_stops_anywhere_has_the_joins_of_a_whole_one() {
        for len in [1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 70] {
            stops_everywhere(&Text::<8, true>, len, Line { index: 3 });
            stops_everywhere(&Text::<8, false>, len, Line { index: 3 });
            stops_everywhere(&Text::<64, true>, len, Line { index: 3 });
            stops_everywhere(&Text::<64, false>, len, Boxed::new([0, 1], [70, 6], 4));
            stops_everywhere(&Text::<8, true>, len, Boxed::new([0, 1], [70, 6], 4));
            stops_everywhere(&Text::<128, true>, len, Boxed::new([5], [75], 0));
        }
    }
}
