//! The scan, by a crew.

use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::Crew;
use super::pending_nodes::PendingNodes;
use super::reduce::{copy, joined};
use super::start_from;
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
        scan_rows(reducer, crew, count, place, body)
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
    if R::EXACT {
        scan_in_order(reducer, count, place, body)
    } else {
        scan_rows(reducer, Crew::alone(), count, place, body)
    }
}

/// Levels of the tree of a row's parts: there are at most as many parts as lanes.
const PART_LEVELS: usize = canonical::MAX_LANES.ilog2() as usize + 1;

/// Scans `count` iterations, at least one, in rows of the canonical order; the total is valid in every participant. The
/// participant of an iteration depends only on its offset modulo the crew's size.
///
/// The whole crew calls it together, and takes as many neighbouring iterations at a time as it has participants: several rows, one,
/// or a part of one.
#[inline(always)]
fn scan_rows<R, C>(
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
    let lanes = const { canonical::scan_lanes::<R>() };
    let tile_len = canonical::tile_len(lanes);
    let (size, rank) = (crew.size() as usize, crew.rank() as usize);
    // The participants of one row, or all: those whose contributions join by shuffles.
    let width = size.min(lanes);
    let lane = rank % width;
    let mut tiles = PendingNodes::new();
    let mut prefix = None;
    let mut rows: Option<R::Value> = None;
    // The parts of a row that has more lanes than there are participants.
    let mut parts = PendingNodes::<R::Value, PART_LEVELS>::short();
    let mut here = place(rank.min(count - 1));
    let mut first = 0;
    loop {
        let exists = first + rank < count;
        let mut value = reducer.init();
        if exists {
            body(here, 0, &mut value, false);
        }
        let mut half = 1;
        while half < width {
            let joins = lane & half != 0;
            let from = if joins { rank - lane + (lane & !(half - 1)) - 1 } else { rank };
            let left = crew.from(copy(&value), from as u32);
            if joins && exists {
                value = joined(reducer, Some(left), value);
            }
            half *= 2;
        }
        let before = crew.from(copy(&value), (rank.max(1) - 1) as u32);
        let in_part = (lane > 0).then_some(before);
        let here_len = size.min(count - first);
        let mut start = reducer.init();
        // Every participant follows the totals of all rows, or of all parts of the row.
        let mut begin = 0;
        while begin < here_len {
            let end = here_len.min(begin + width);
            let total = crew.from(copy(&value), (end - 1) as u32);
            if begin == rank - lane {
                let in_row = match &in_part {
                    Some(in_part) => Some(parts.joined_before(reducer, copy(in_part))),
                    None if parts.is_empty() => None,
                    None => Some(parts.join(reducer)),
                };
                start = start_from(reducer, prefix.as_ref(), rows.as_ref(), in_row.as_ref());
            }
            parts.push(reducer, total);
            let done = first + end;
            if done.is_multiple_of(lanes) || done == count {
                rows = Some(joined(reducer, rows, parts.join(reducer)));
                parts = PendingNodes::short();
            }
            begin = end;
        }
        if exists {
            body(here, 0, &mut start, true);
        }
        first += here_len;
        if first.is_multiple_of(tile_len) || first == count {
            if let Some(total) = rows.take() {
                tiles.push(reducer, total);
            }
            if first == count {
                return tiles.join(reducer);
            }
            prefix = tiles.prefix(reducer);
        }
        if first + rank < count {
            skip(&mut here, size);
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
