//! The order in which the elements of one segment join: a function of their number, the size of a value and the reducer.
//!
//! A segment is cut, from its first element on, into tiles of [`TILE`] elements; the last one may be shorter. A tile of
//! [`LONG`] elements or more joins as `parallel_reduce` joins that many. One of fewer than [`SHORT`] elements joins from left to
//! right into one value that begins with the identity. Other tiles have `W` such values, given by [`lanes`]. If the reducer
//! commutes, lane `l` takes the elements `l, l + W, l + 2 W, ..`, and lanes join by halving (`l` with `l + W/2`, and so on). If
//! it does not, lane `l` takes elements `l * run` to before `(l + 1) * run`, where `run` is the number of elements divided by
//! `W`; the last lane also takes the rest, and lanes join pairwise by number. Tiles join pairwise by number, level by level; a
//! tile without a neighbour moves up a level unchanged.
//!
//! It is not the order of a whole reduction, whose tiles have other lengths: one thread joins each of these, and most segments
//! are one tile.

use spelt_core::reducers::Reducer;
use spelt_core::{Element, serial_reduce};

use crate::large_values::is_large;

/// The elements of a tile. Unit: elements. Source: measured: the fixed cost of a tile, some 20 ns, is hidden
/// behind loads from memory with 1024 of `f32` (1.08 of reading alone), and not with 256 (1.5).
pub(crate) const TILE: usize = 1024;

/// The maximum number of levels of a tree of tiles.
const LEVELS: usize = usize::BITS as usize;

/// Tiles of fewer elements join from left to right. Unit: elements. Source: twice the most lanes of the others.
pub(super) const SHORT: usize = 16;

/// Tiles of at least this number of elements join as whole reductions do. Unit: elements. Source: two rows of their 32 lanes, which
/// join in some 10 ns.
pub(super) const LONG: usize = 64;

/// The lanes of a short tile for values of `bytes` bytes: enough to hide the latency of an addition behind loads from memory, and
/// few enough for registers.
pub(super) const fn lanes(bytes: usize) -> usize {
    match bytes {
        0..=16 => 8,
        17..=32 => 4,
        33..=64 => 2,
        _ => 1,
    }
}

/// Joins the elements of a tile.
#[inline(always)]
pub(crate) fn join_tile<R>(reducer: &R, values: &[R::Value]) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    if values.len() < SHORT {
        return left_to_right(reducer, values);
    }
    if values.len() >= LONG {
        let contribute = |k: usize, value: &mut R::Value| {
            // SAFETY: `serial_reduce` asks for positions below the length that it was given.
            reducer.join(value, unsafe { values.get_unchecked(k) });
        };
        return serial_reduce(values.len(), contribute, &Unfinished(reducer));
    }
    match const { lanes(R::LANE_BYTES) } {
        8 => join_lanes::<R, 8>(reducer, values),
        4 => join_lanes::<R, 4>(reducer, values),
        2 => join_lanes::<R, 2>(reducer, values),
        _ => left_to_right(reducer, values),
    }
}

/// [`join_tile`] of `len` values that are made: `make(k)` is called once for each, in an unspecified order.
#[inline(always)]
pub(super) fn join_made<R>(reducer: &R, len: usize, make: impl Fn(usize) -> R::Value) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    if len < SHORT || (len < LONG && const { lanes(R::LANE_BYTES) } == 1) {
        let mut value = reducer.init();
        for k in 0..len {
            reducer.join(&mut value, &make(k));
        }
        return value;
    }
    if len < LONG && const { is_large::<R::Value>() } {
        // A stack has no room for them.
        let values: Vec<R::Value> = (0..len).map(make).collect();
        return join_tile(reducer, &values);
    }
    if len < LONG {
        let mut room = [reducer.init(); LONG];
        for (k, place) in room[..len].iter_mut().enumerate() {
            *place = make(k);
        }
        return join_tile(reducer, &room[..len]);
    }
    let contribute = |k: usize, value: &mut R::Value| reducer.join(value, &make(k));
    serial_reduce(len, contribute, &Unfinished(reducer))
}

/// A reducer whose values are not finished yet.
pub(super) struct Unfinished<'a, R>(pub(super) &'a R);

impl<R: Reducer> Reducer for Unfinished<'_, R> {
    type Value = R::Value;
    type Output = R::Value;
    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const LANE_BYTES: usize = R::LANE_BYTES;

    #[inline(always)]
    fn init(&self) -> R::Value {
        self.0.init()
    }
    #[inline(always)]
    fn join(&self, into: &mut R::Value, from: &R::Value) {
        self.0.join(into, from);
    }
    #[inline(always)]
    fn finish(&self, value: R::Value) -> R::Value {
        value
    }
}

/// Joins from left to right.
///
/// Fewer than [`SHORT`] elements join in straight-line code: processors mispredict the end of a short loop.
#[inline(always)]
fn left_to_right<R: Reducer>(reducer: &R, values: &[R::Value]) -> R::Value {
    // One frame has room for the values of all these.
    if const { is_large::<R::Value>() } {
        return from_left(reducer, values);
    }
    macro_rules! by_length {
        ($($len:literal)*) => {
            match values.len() {
                $($len => of_length::<R, $len>(reducer, values),)*
                _ => from_left(reducer, values),
            }
        };
    }
    by_length!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
}

#[inline(always)]
fn of_length<R: Reducer, const N: usize>(reducer: &R, values: &[R::Value]) -> R::Value {
    match values.first_chunk::<N>() {
        Some(values) => from_left(reducer, values),
        None => reducer.init(),
    }
}

/// Joins from left to right, in a loop.
#[inline(always)]
pub(super) fn from_left<R: Reducer>(reducer: &R, values: &[R::Value]) -> R::Value {
    let mut value = reducer.init();
    for element in values {
        reducer.join(&mut value, element);
    }
    value
}

#[inline(always)]
fn join_lanes<R, const W: usize>(reducer: &R, values: &[R::Value]) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    // Arrays as values, and loops of constant length, so that lanes can stay in registers.
    let mut lanes = [reducer.init(); W];
    if R::COMMUTATIVE {
        let (rows, rest) = values.as_chunks::<W>();
        for row in rows {
            lanes = core::array::from_fn(|lane| joined(reducer, lanes[lane], &row[lane]));
        }
        lanes = core::array::from_fn(|lane| match rest.get(lane) {
            Some(element) => joined(reducer, lanes[lane], element),
            None => lanes[lane],
        });
        if W == 8 {
            fold(reducer, &mut lanes, [(0, 4), (1, 5), (2, 6), (3, 7)]);
        }
        if W >= 4 {
            fold(reducer, &mut lanes, [(0, 2), (1, 3)]);
        }
    } else {
        let run = values.len() / W;
        let runs: [&[R::Value]; W] = core::array::from_fn(|lane| &values[lane * run..][..run]);
        #[allow(clippy::needless_range_loop, reason = "the runs go side by side")]
        for step in 0..run {
            lanes = core::array::from_fn(|lane| joined(reducer, lanes[lane], &runs[lane][step]));
        }
        for element in &values[W * run..] {
            lanes[W - 1] = joined(reducer, lanes[W - 1], element);
        }
        if W == 8 {
            fold(reducer, &mut lanes, [(0, 1), (2, 3), (4, 5), (6, 7)]);
            fold(reducer, &mut lanes, [(0, 2), (4, 6)]);
            fold(reducer, &mut lanes, [(0, 4)]);
        }
        if W == 4 {
            fold(reducer, &mut lanes, [(0, 1), (2, 3)]);
            fold(reducer, &mut lanes, [(0, 2)]);
        }
    }
    if R::COMMUTATIVE || W == 2 {
        fold(reducer, &mut lanes, [(0, 1)]);
    }
    lanes[0]
}

/// Joins the second lane of each pair into the first.
#[inline(always)]
fn fold<R, const W: usize, const N: usize>(reducer: &R, lanes: &mut [R::Value; W], pairs: [(usize, usize); N])
where
    R: Reducer,
    R::Value: Element,
{
    for (into, from) in pairs {
        lanes[into] = joined(reducer, lanes[into], &lanes[from]);
    }
}

#[inline(always)]
pub(super) fn joined<R: Reducer>(reducer: &R, mut into: R::Value, from: &R::Value) -> R::Value {
    reducer.join(&mut into, from);
    into
}

/// [`join_pairwise`] of values that are too large for the stack, in place: the first becomes the result.
///
/// `join` joins the value of the second number into that of the first.
#[inline(always)]
pub(crate) fn join_pairwise_in_place(count: usize, mut join: impl FnMut(usize, usize)) {
    let mut step = 1;
    while step < count {
        for left in (0..count - step).step_by(2 * step) {
            join(left, left + step);
        }
        step *= 2;
    }
}

/// Joins `count` values, at least one, pairwise by number, level by level.
#[inline(always)]
pub(crate) fn join_pairwise<R>(reducer: &R, count: usize, value: impl Fn(usize) -> R::Value) -> R::Value
where
    R: Reducer,
    R::Value: Element,
{
    // One value for each set bit of the number of values so far, the largest block first.
    let mut blocks: [R::Value; LEVELS] = core::array::from_fn(|_| reducer.init());
    let mut depth = 0;
    for number in 0..count {
        blocks[depth] = value(number);
        for _ in 0..number.trailing_ones() {
            depth -= 1;
            let right = blocks[depth + 1];
            reducer.join(&mut blocks[depth], &right);
        }
        depth += 1;
    }
    while depth > 1 {
        depth -= 1;
        let right = blocks[depth];
        reducer.join(&mut blocks[depth - 1], &right);
    }
    blocks[0]
}
