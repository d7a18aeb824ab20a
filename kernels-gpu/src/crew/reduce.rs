//! The canonical reduction, by a crew.
//!
//! If a crew has at most as many participants as a tile has lanes, it distributes the lanes: participant `p` of `m` takes lanes
//! `p, p + m, ..` one after the other, joins them as the halving does down to width `m`, and the rest of the halving goes
//! over shuffles. With as many participants as lanes, neighbours read neighbouring elements.
//!
//! In a crew of more participants than lanes, each row of the tile belongs to different participants from the row before, and the
//! running values move along. This is for loops in which an index has the same owner in every loop.

use spelt_order::canonical;
use spelt_order::cursor::{Cursor, skip};
use spelt_order::tile::{lane_iterations, live_lanes};
use spelt_reducers::Reducer;

use super::Crew;
use super::pending_nodes::PendingNodes;

/// The lanes that reduce a tile together.
#[derive(Clone, Copy)]
pub(crate) struct Crews {
    /// They and this lane's number among them.
    pub(crate) crew: Crew,
    /// The same, known before the loop, if the reducer is commutative and they have a lane for each of the tile, or for [`FOUR`] of a tile whose
    /// places lie on one line; their values then do not go through memory. `crew` is not looked at in that case.
    pub(crate) even: Option<Crew>,
}

impl Crews {
    /// Of any size.
    #[inline(always)]
    pub(crate) fn of(crew: Crew) -> Self {
        Self { crew, even: None }
    }
}

/// Reduces `count` iterations, at least one, from tile `tiles.start` up to `tiles.end`; the result is valid in every participant.
///
/// The whole crew calls it together. `place` returns the place of an iteration; `body` is as in
/// [`reduce_tile`](spelt_order::tile::reduce_tile).
#[inline(always)]
pub(crate) fn reduce<R, C>(
    reducer: &R,
    crews: Crews,
    count: usize,
    tiles: core::ops::Range<usize>,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
    let alone = tiles.end - tiles.start == 1;
    let mut nodes = PendingNodes::new();
    let mut tile = tiles.start;
    loop {
        let first = tile * tile_len;
        let value = reduce_tile(reducer, crews, first, tile_len.min(count - first), place, body);
        if alone {
            return value;
        }
        nodes.push(reducer, value);
        tile += 1;
        if tile == tiles.end {
            return nodes.join(reducer);
        }
    }
}

/// Reduces any number of iterations; the result is valid in every participant. The whole crew calls it together.
#[inline(always)]
pub fn reduce_all<R, C>(
    reducer: &R,
    crew: Crew,
    count: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    if count == 0 {
        return reducer.init();
    }
    let tiles = canonical::tile_count(count, canonical::lanes(R::LANE_BYTES));
    reduce(reducer, Crews::of(crew), count, 0..tiles, place, body)
}

/// Reduces the tile of `len` iterations from `first` on.
#[inline(always)]
fn reduce_tile<R, C>(
    reducer: &R,
    Crews { crew, even }: Crews,
    first: usize,
    len: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let lanes = const { canonical::lanes(R::LANE_BYTES) };
    let live = live_lanes::<R>(len);
    if R::COMMUTATIVE {
        if let Some(crew) = even {
            if !C::LINE || crew.size() as usize == lanes {
                let crew = crew.of_size(lanes as u32);
                let value = lane_of_line(reducer, first, len, crew.rank() as usize, place, body);
                return halve(reducer, crew, lanes, live, value);
            }
            let crew = crew.of_size((lanes / FOUR) as u32);
            let value = four_lanes(reducer, first, len, crew.rank() as usize, place, body);
            return halve(reducer, crew, lanes / FOUR, live, value);
        }
        let (size, rank) = (crew.size() as usize, crew.rank() as usize);
        let value = if size > lanes {
            wandering_lanes(reducer, crew, first, len, place, body)
        } else {
            let width = lanes.trailing_zeros() - size.trailing_zeros();
            own_lanes(reducer, 1 << width, |step| {
                // Bit reversal: the order in which halving joins.
                let number = rank + size * reversed(step, width);
                (number < live).then(|| lane(reducer, first, len, number, place, body))
            })
        };
        halve(reducer, crew, lanes.min(size), live, value)
    } else {
        let (size, rank) = (crew.size() as usize, crew.rank() as usize);
        // Both are powers of two.
        let each = ((lanes - 1) >> size.trailing_zeros()) + 1;
        let value = own_lanes(reducer, each, |step| {
            let number = rank * each + step;
            (number < live).then(|| lane(reducer, first, len, number, place, body))
        });
        pair(reducer, crew, live.div_ceil(each), value)
    }
}

/// The lowest `width` bits of `number` in reverse.
#[inline(always)]
fn reversed(number: usize, width: u32) -> usize {
    if width == 0 { 0 } else { number.reverse_bits() >> (usize::BITS - width) }
}

/// Joins the values that `value` returns for `0..count`, a power of two, pairwise by number, skipping `None`; `init` if there is
/// no value.
#[inline(always)]
fn own_lanes<R: Reducer>(
    reducer: &R,
    count: usize,
    mut value: impl FnMut(usize) -> Option<R::Value>,
) -> R::Value {
    // A number without a value has none after it in its pair, so the tree over the existing values skips it.
    let mut levels: [Option<R::Value>; 6] = [const { None }; 6];
    let mut step = 0;
    loop {
        let mut joined = value(step);
        let mut level = 0;
        while step >> level & 1 == 1 {
            let mut left = levels[level].take();
            match (&mut left, &joined) {
                (Some(left), Some(right)) => reducer.join(left, right),
                (None, _) => left = joined.take(),
                _ => {}
            }
            joined = left;
            level += 1;
        }
        step += 1;
        if step == count {
            return joined.unwrap_or_else(|| reducer.init());
        }
        levels[level] = joined;
    }
}

/// One lane of the tile.
#[inline(always)]
fn lane<R, C>(
    reducer: &R,
    first: usize,
    len: usize,
    number: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let (begin, step, count) = lane_iterations::<R>(len, number);
    let mut value = reducer.init();
    if count > 0 {
        let mut here = place(first + begin);
        let mut left = count;
        loop {
            body(here, 0, &mut value);
            left -= 1;
            if left == 0 {
                break;
            }
            skip(&mut here, step);
        }
    }
    value
}

/// Iterations of a lane whose loads a device has under way at the same time. Unit: iterations. Source: estimated: 1280 lanes of
/// a multiprocessor with 8 bytes each are 10 KiB under way; 4.2 TB/s over 132 multiprocessors need 25 KiB if a load takes 0.8 us.
const TOGETHER: usize = 4;

/// [`lane`] of a tile whose places lie on one line, several iterations at a time: their loads do not wait for each other, as they
/// would in a loop with a test after each.
#[inline(always)]
fn lane_of_line<R, C>(
    reducer: &R,
    first: usize,
    len: usize,
    number: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    if !C::LINE {
        return lane(reducer, first, len, number, place, body);
    }
    let lanes = const { canonical::lanes(R::LANE_BYTES) };
    let mut value = reducer.init();
    let mut here = first + number;
    // The whole rows of the tile, which all participants have in common, and the rest of a row.
    let rows = len / lanes;
    for _ in 0..rows / TOGETHER {
        several::<TOGETHER, C, _>(lanes, &mut here, place, body, &mut value);
    }
    if rows & 2 != 0 {
        several::<2, C, _>(lanes, &mut here, place, body, &mut value);
    }
    for _ in 0..(rows & 1) + usize::from(rows * lanes + number < len) {
        several::<1, C, _>(lanes, &mut here, place, body, &mut value);
    }
    value
}

/// Lanes of a tile for each participant of the small teams of large leagues.
pub(crate) const FOUR: usize = 4;

/// The joined value of four lanes of a tile whose places lie on one line: `rank`, and every `lanes / 4` further. An iteration of each
/// goes at a time, so that four loads are under way. The values move around, so that they need no memory.
#[inline(always)]
fn four_lanes<R, C>(
    reducer: &R,
    first: usize,
    len: usize,
    rank: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let lanes = const { canonical::lanes(R::LANE_BYTES) };
    let size = lanes / FOUR;
    let (mut a, mut b, mut c, mut d) = (reducer.init(), reducer.init(), reducer.init(), reducer.init());
    let rows = len / lanes;
    for row in 0..rows {
        let here = first + row * lanes + rank;
        body(place(here), 0, &mut a);
        body(place(here + size), 0, &mut b);
        body(place(here + 2 * size), 0, &mut c);
        body(place(here + 3 * size), 0, &mut d);
    }
    let rest = len - rows * lanes;
    if rest > 0 {
        for lane in (rank..lanes).step_by(size) {
            if lane < rest {
                body(place(first + rows * lanes + lane), 0, &mut a);
            }
            (a, b, c, d) = (b, c, d, a);
        }
    }
    // As halving joins them: at a distance of half of the lanes, then of a quarter.
    let live = live_lanes::<R>(len);
    if rank + 2 * size < live {
        reducer.join(&mut a, &c);
    }
    if rank + 3 * size < live {
        reducer.join(&mut b, &d);
    }
    if rank + size < live {
        reducer.join(&mut a, &b);
    }
    a
}

/// Runs `N` iterations of a lane, each `step` after the one before, and steps `here` past them.
#[inline(always)]
fn several<const N: usize, C, V>(
    step: usize,
    here: &mut usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut V),
    value: &mut V,
) {
    for row in 0..N {
        body(place(*here + row * step), 0, value);
    }
    *here += N * step;
}

/// The lanes of a tile in a crew of more participants: lane `l` ends with participant `l`.
#[inline(always)]
fn wandering_lanes<R, C>(
    reducer: &R,
    crew: Crew,
    first: usize,
    len: usize,
    place: &impl Fn(usize) -> C,
    body: &mut impl FnMut(C, usize, &mut R::Value),
) -> R::Value
where
    R: Reducer,
    C: Cursor,
{
    let lanes = const { canonical::lanes(R::LANE_BYTES) as u32 };
    let rows = len.div_ceil(lanes as usize) as u32;
    let groups = crew.size() / lanes;
    let (lane, group) = (crew.rank() % lanes, crew.rank() / lanes);
    let mut value = reducer.init();
    for row in 0..rows {
        let offset = (row * lanes + lane) as usize;
        if row % groups == group && offset < len {
            body(place(first + offset), 0, &mut value);
        }
        value = crew.from(value, crew.rank().wrapping_sub(lanes));
    }
    crew.from(value, crew.rank().wrapping_add(rows * lanes))
}

/// Joins the values of the first `width` participants, `live` of which have a value, by halving.
#[inline(always)]
fn halve<R: Reducer>(reducer: &R, crew: Crew, width: usize, live: usize, value: R::Value) -> R::Value {
    let live = live as u32;
    crew.together(value, |crew, mut value| {
        let mut half = width as u32 / 2;
        while half > 0 {
            // A copy of a value that may belong to no participant: it is not used in that case.
            let other = crew.next(copy(&value), crew.rank() + half);
            if crew.rank() < half.min(live.saturating_sub(half)) {
                reducer.join(&mut value, &other);
            }
            half /= 2;
        }
        crew.next(value, 0)
    })
}

/// Joins the values of the first `live` participants pairwise by number.
#[inline(always)]
fn pair<R: Reducer>(reducer: &R, crew: Crew, live: usize, mut value: R::Value) -> R::Value {
    let mut step = 1;
    while (step as usize) < live {
        let other = crew.from(copy(&value), crew.rank() + step);
        if crew.rank().is_multiple_of(2 * step) && ((crew.rank() + step) as usize) < live {
            reducer.join(&mut value, &other);
        }
        step *= 2;
    }
    crew.from(value, 0)
}

/// The value before, if there is one, joined with the next value.
#[inline(always)]
pub(crate) fn joined<R: Reducer>(reducer: &R, before: Option<R::Value>, next: R::Value) -> R::Value {
    match before {
        None => next,
        Some(mut before) => {
            reducer.join(&mut before, &next);
            before
        }
    }
}

/// A copy of a value that owns nothing.
#[inline(always)]
pub(crate) fn copy<V>(value: &V) -> V {
    if core::mem::needs_drop::<V>() {
        panic!("a value that owns something cannot be passed to another thread of a device");
    }
    // SAFETY: without a destructor a copy of the bytes is a copy of the value.
    unsafe { core::ptr::read(value) }
}
