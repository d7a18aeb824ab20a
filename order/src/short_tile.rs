//! A tile of a few iterations on one line: the loop of short launches, which stays in registers and has nothing around it.

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::canonical;
use crate::cursor::Cursor;
use crate::lanes::Lanes;
use crate::tile::reduce_row;
use crate::vector_loops::VECTOR_LOOPS;

/// The length of the longest tile that [`reduce_short_tile`] takes: a whole tile. A constant, to be tested in `const` blocks; it is 0 where
/// [`reduce_tile`](crate::tile::reduce_tile) takes as little time.
#[must_use]
pub const fn longest<R: Reducer, C: Cursor>() -> usize {
    let lanes = canonical::lanes(R::LANE_BYTES);
    // Fewer lanes are those of large values, which do not stay in registers.
    if VECTOR_LOOPS && R::COMMUTATIVE && C::LINE && lanes >= 16 && !core::mem::needs_drop::<R::Value>() {
        canonical::tile_len(lanes)
    } else {
        0
    }
}

/// Reduces a tile of `len` iterations from `start` on, at least one and at most [`longest`], as [`reduce_tile`](crate::tile::reduce_tile) does.
///
/// `MASKS`: as [`reduce_tile_with`](crate::tile::reduce_tile_with).
///
/// # Panics
/// If it has another length.
#[inline(always)]
pub fn reduce_short_tile<const MASKS: bool, R, C, B>(
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
    match const { canonical::lanes(R::LANE_BYTES) } {
        32 => reduce_rows::<32, MASKS, R, C, B>(reducer, start, len, body),
        16 => reduce_rows::<16, MASKS, R, C, B>(reducer, start, len, body),
        _ => unreachable!("no length is short"),
    }
}

#[inline(always)]
fn reduce_rows<const W: usize, const MASKS: bool, R, C, B>(
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
    if len < W {
        return reduce_row(reducer, start, len, body).expect("there is an iteration");
    }
    let mut lanes = Lanes::<R, W>::of_line::<MASKS, C>(reducer, len, start, body);
    lanes.halve_all(|into, from| reducer.join(into, from))
}
