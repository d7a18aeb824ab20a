//! The scan, by a crew.

use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::Crew;
use super::pending_nodes::PendingNodes;
use super::reduce::{copy, joined};
use spelt_order::cursor::{Cursor, skip};

/// Scans `count` iterations, at least one, whose joins may be regrouped; the total is valid in every participant.
///
/// The whole crew calls it together. Each participant computes the contribution of its iteration, the crew joins these, and each
/// participant runs its iteration again from the value before it.
#[inline(always)]
fn scan_exact<R, C>(
    reducer: &R,
    crew: Crew,
    count: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value, bool),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let (size, rank) = (crew.size() as usize, crew.rank() as usize);
    let mut carry = reducer.init();
    let mut first = 0;
    while first < count {
        let here = first + rank;
        let mut value = reducer.init();
        if here < count {
            body(place(here), 0, &mut value, false);
        }
        let mut step = 1;
        while step < size {
            let mut left = crew.from(copy(&value), crew.rank().wrapping_sub(step as u32));
            if rank >= step {
                reducer.join(&mut left, &value);
                value = left;
            }
            step *= 2;
        }
        let before = crew.from(value, crew.rank().wrapping_sub(1));
        let mut value = copy(&carry);
        if rank > 0 {
            reducer.join(&mut value, &before);
        }
        if here < count {
            body(place(here), 0, &mut value, true);
        }
        let last = size.min(count - first) - 1;
        carry = crew.from(value, last as u32);
        first += size;
    }
    carry
}

/// Scans `count` iterations by a crew in which the participant of an iteration depends only on its offset modulo the crew's size.
#[inline(always)]
pub fn scan_all<R, C>(
    reducer: &R,
    crew: Crew,
    count: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value, bool),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    if count == 0 {
        return reducer.init();
    }
    if R::EXACT {
        scan_exact(reducer, crew, count, place, body)
    } else {
        scan_wave(reducer, crew, count, place, body)
    }
}

/// Scans `count` iterations by one thread; if several call it together, `body` gives all of them the same value.
#[inline(always)]
pub fn scan_alone<R, C>(
    reducer: &R,
    count: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value, bool),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    if count == 0 {
        return reducer.init();
    }
    if R::EXACT { scan_in_order(reducer, count, place, body) } else { scan_runs(reducer, count, place, body) }
}

/// Scans `count` iterations, at least one, in the canonical order, run after run, by one thread.
///
/// If several threads call it together, `body` gives all of them the same value.
#[inline(always)]
fn scan_runs<R, C>(
    reducer: &R,
    count: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value, bool),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let lanes = const { canonical::lanes(R::LANE_BYTES) };
    let tile_len = canonical::tile_len(lanes);
    let mut tiles = PendingNodes::new();
    let mut first = 0;
    loop {
        let len = tile_len.min(count - first);
        let run_len = canonical::run_len(len, lanes);
        let prefix = tiles.prefix(reducer);
        let mut total = None;
        let mut begin = 0;
        while begin < len {
            let run_len = run_len.min(len - begin);
            let mut from = start(reducer, prefix.as_ref(), total.as_ref());
            // The run's contribution comes first: the second pass may overwrite its inputs.
            let mut run = reducer.init();
            for last in [false, true] {
                let value = if last { &mut from } else { &mut run };
                let mut here = place(first + begin);
                let mut left = run_len;
                loop {
                    body(here, 0, value, last);
                    left -= 1;
                    if left == 0 {
                        break;
                    }
                    skip(&mut here, 1);
                }
            }
            total = Some(joined(reducer, total, run));
            begin += run_len;
        }
        let total = total.unwrap_or_else(|| reducer.init());
        tiles.push(reducer, total);
        first += len;
        if first >= count {
            return tiles.join(reducer);
        }
    }
}

/// Scans `count` iterations, at least one, whose joins may be regrouped, in index order, by one thread.
///
/// If several threads call it together, `body` gives all of them the same value.
#[inline(always)]
fn scan_in_order<R, C>(
    reducer: &R,
    count: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value, bool),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let mut value = reducer.init();
    let mut here = place(0);
    let mut left = count;
    loop {
        body(here, 0, &mut value, true);
        left -= 1;
        if left == 0 {
            return value;
        }
        skip(&mut here, 1);
    }
}

/// Replaces the contribution of each of `count` runs, `lanes` runs to a tile, by the value from which the run starts, in the
/// canonical order, and returns the total. One thread calls it.
///
/// # Safety
/// `values` points to `count` values, which nothing else uses.
pub unsafe fn join_runs<R: Reducer>(
    reducer: &R,
    lanes: usize,
    count: usize,
    values: *mut R::Value,
) -> R::Value {
    let mut tiles = PendingNodes::new();
    let mut first = 0;
    while first < count {
        let end = count.min(first + lanes);
        let prefix = tiles.prefix(reducer);
        let mut total: Option<R::Value> = None;
        for number in first..end {
            // SAFETY: there are `count` values.
            let place = unsafe { values.add(number) };
            // SAFETY: there are `count` values, `number` is below it, and nothing else uses them; a value without drop glue may
            // exist twice.
            let run = unsafe { place.read() };
            let next = joined(reducer, total.as_ref().map(copy), copy(&run));
            // SAFETY: there are `count` values, `number` is below it, and nothing else uses them.
            unsafe { place.write(start(reducer, prefix.as_ref(), total.as_ref())) };
            total = Some(next);
        }
        if let Some(total) = total {
            tiles.push(reducer, total);
        }
        first = end;
    }
    if count == 0 { reducer.init() } else { tiles.join(reducer) }
}

/// The value from which a run starts: the value of the tiles before, joined with the totals of the earlier runs in its tile.
#[inline(always)]
fn start<R: Reducer>(reducer: &R, prefix: Option<&R::Value>, before: Option<&R::Value>) -> R::Value {
    match (prefix, before) {
        (None, None) => reducer.init(),
        (Some(value), None) | (None, Some(value)) => copy(value),
        (Some(prefix), Some(before)) => {
            let mut value = copy(prefix);
            reducer.join(&mut value, before);
            value
        }
    }
}

/// Scans `count` iterations, at least one and all on one line, in the canonical order; the total is valid in every participant.
/// The participant of an iteration depends only on its offset modulo the crew's size.
///
/// The whole crew calls it together. Runs are interleaved, each one place behind the run before it modulo the size, so that at
/// each step every participant has an iteration of a different run; the running values move along.
#[inline(always)]
fn scan_wave<R, C>(
    reducer: &R,
    crew: Crew,
    count: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value, bool),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let lanes = const { canonical::lanes(R::LANE_BYTES) };
    let tile_len = canonical::tile_len(lanes);
    let size = crew.size() as usize;
    let mut tiles = PendingNodes::new();
    let mut first = 0;
    loop {
        let len = tile_len.min(count - first);
        let run_len = canonical::run_len(len, lanes);
        let runs = len.div_ceil(run_len);
        let prefix = tiles.prefix(reducer);
        let mut total: Option<R::Value> = None;
        let mut begin = 0;
        // As many runs at a time as there are participants; run `begin + p` starts and ends with participant `p`.
        while begin < runs {
            let group = size.min(runs - begin);
            let totals = wave(
                reducer.init(),
                crew,
                (first, len, run_len),
                (begin, group),
                place,
                &mut |place, value| {
                    body(place, 0, value, false);
                },
            );
            // The totals before each run, left to right.
            let mut from = reducer.init();
            for run in 0..group {
                if run == crew.rank() as usize {
                    from = start(reducer, prefix.as_ref(), total.as_ref());
                }
                let next = crew.from(copy(&totals), run as u32);
                total = Some(joined(reducer, total, next));
            }
            let _ = wave(from, crew, (first, len, run_len), (begin, group), place, &mut |place, value| {
                body(place, 0, value, true);
            });
            begin += group;
        }
        let total = total.unwrap_or_else(|| reducer.init());
        tiles.push(reducer, total);
        first += len;
        if first >= count {
            return tiles.join(reducer);
        }
    }
}

/// Runs `group` runs of a tile from run `begin` on: participant `p` gives the value that run `begin + p` starts from, and gets
/// back the value that it ends with.
#[inline(always)]
fn wave<V, C: Cursor>(
    value: V,
    crew: Crew,
    (first, len, run_len): (usize, usize, usize),
    (begin, group): (usize, usize),
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, &mut V),
) -> V {
    let (size, rank) = (crew.size() as usize, crew.rank() as usize);
    // At step `t` participant `c` has run `t - c`, modulo the size: a run waits until that is the participant of its first
    // offset, and moves with its offsets from then on.
    let steps = run_len + size - 1;
    let mut value = crew.from(value, 0_u32.wrapping_sub(crew.rank()));
    for step in 0..steps {
        let run = step.wrapping_sub(rank) & (size - 1);
        let start = (begin + run) * run_len;
        let at = step.wrapping_sub((first + start + run) & (size - 1));
        if run < group && at < run_len && start + at < len {
            body(place(first + start + at), &mut value);
        }
        value = crew.from(value, crew.rank().wrapping_sub(1));
    }
    crew.from(value, (steps as u32).wrapping_sub(crew.rank()))
}
