//! The scan of one tile, run by one thread of the host.
//!
//! A tile is cut into `lanes` contiguous runs. The value before run `r` is the prefix of the tile joined with the
//! totals of the runs before `r`, which join left to right; within a run the closure continues from that value.

use spelt_reducers::Reducer;

use crate::body::{Pass, ReduceBody, ScanBody};
use crate::canonical;
use crate::cursor::Cursor;

/// The running value before each run of a tile, and the tile's total.
#[derive(Debug)]
pub struct Runs<V, const W: usize> {
    /// `before[r]`: the totals of runs `0..r` joined left to right; `None` for the first run.
    before: [Option<V>; W],
    total: Option<V>,
}

impl<V, const W: usize> Runs<V, W> {
    /// No run.
    #[must_use]
    pub fn new() -> Self {
        Self { before: [const { None }; W], total: None }
    }

    /// The total of the tile; `None` if it was empty.
    pub fn total(&self) -> Option<&V> {
        self.total.as_ref()
    }
}

impl<V, const W: usize> Default for Runs<V, W> {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs that are interleaved on a line. Unit: runs. Source: eight chains of additions of four cycles each keep two
/// adders busy, and their values and addresses fit in registers.
const SIDE_BY_SIDE: usize = 8;

/// Runs all iterations of a tile, each run with its own value of `values`.
///
/// On a line, several runs are interleaved, which hides the latency of their chains of joins.
#[inline(always)]
fn each_run<C: Cursor, V: Clone, const W: usize>(
    start: C,
    len: usize,
    values: &mut [V; W],
    body: &mut impl ReduceBody<C, V>,
) {
    let run = canonical::run_len(len, W);
    let mut first = 0;
    let mut place = start;
    if C::LINE && W.is_multiple_of(SIDE_BY_SIDE) {
        while (first + SIDE_BY_SIDE) * run <= len {
            // Local values, to which nothing points, can stay in registers.
            let mut group: [V; SIDE_BY_SIDE] = core::array::from_fn(|lane| values[first + lane].clone());
            for step in 0..run {
                for (lane, value) in group.iter_mut().enumerate() {
                    body.run(place, lane * run + step, value);
                }
            }
            for (lane, value) in group.into_iter().enumerate() {
                values[first + lane] = value;
            }
            place.advance(SIDE_BY_SIDE * run);
            first += SIDE_BY_SIDE;
            if first == W {
                return;
            }
        }
    }
    for (lane, value) in values.iter_mut().enumerate().skip(first) {
        let mut left = run.min(len.saturating_sub(lane * run));
        while left > 0 {
            let along = place.line().min(left);
            for distance in 0..along {
                body.run(place, distance, value);
            }
            left -= along;
            place.advance(along);
        }
    }
}

/// Finds the totals of a tile's runs: the first pass of a scan.
#[inline(always)]
pub fn scan_totals<R, C, B, const W: usize>(
    reducer: &R,
    start: C,
    len: usize,
    body: &mut B,
) -> Runs<R::Value, W>
where
    R: Reducer,
    R::Value: Clone,
    C: Cursor,
    B: ScanBody<C, R::Value>,
{
    let mut runs = Runs::new();
    if len == 0 {
        return runs;
    }
    let mut totals: [R::Value; W] = core::array::from_fn(|_| reducer.init());
    each_run(start, len, &mut totals, &mut Pass { body, last: false });
    let count = len.div_ceil(canonical::run_len(len, W));
    for (run, total) in totals.into_iter().enumerate().take(count) {
        let joined = match runs.total.take() {
            None => total,
            Some(before) => {
                let mut joined = before.clone();
                runs.before[run] = Some(before);
                reducer.join(&mut joined, &total);
                joined
            }
        };
        runs.total = Some(joined);
    }
    runs
}

/// Runs a tile with the values before its runs: the second pass of a scan. `prefix` is the joined value of all tiles
/// before this one.
#[inline(always)]
pub fn scan_final<R, C, B, const W: usize>(
    reducer: &R,
    start: C,
    len: usize,
    prefix: Option<&R::Value>,
    runs: &Runs<R::Value, W>,
    body: &mut B,
) where
    R: Reducer,
    R::Value: Clone,
    C: Cursor,
    B: ScanBody<C, R::Value>,
{
    if len == 0 {
        return;
    }
    let mut values: [R::Value; W] = core::array::from_fn(|run| match (prefix, &runs.before[run]) {
        (None, None) => reducer.init(),
        (None, Some(before)) => before.clone(),
        (Some(prefix), None) => prefix.clone(),
        (Some(prefix), Some(before)) => {
            let mut value = prefix.clone();
            reducer.join(&mut value, before);
            value
        }
    });
    each_run(start, len, &mut values, &mut Pass { body, last: true });
}

/// Runs a tile in index order from `value` on: the second pass where the reducer is exact.
#[inline(always)]
pub fn scan_in_order<C, V, B>(start: C, len: usize, value: &mut V, body: &mut B)
where
    C: Cursor,
    B: ScanBody<C, V>,
{
    let mut place = start;
    let mut left = len;
    while left > 0 {
        let along = place.line().min(left);
        for distance in 0..along {
            body.run(place, distance, value, true);
        }
        left -= along;
        if left > 0 {
            place.advance(along);
        }
    }
}
