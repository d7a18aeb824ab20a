//! A tile of a few rows on one line: the loop of short launches, which stays in registers and has nothing around it.

use spelt_reducers::Reducer;

use crate::body::ReduceBody;
use crate::canonical;
use crate::cursor::Cursor;
use crate::lanes::Lanes;
use crate::vector_loops::VECTOR_LOOPS;

/// The lengths of the tiles that [`reduce_short_tile`] takes: at least a row, at most a tile. A constant, to be tested in `const` blocks; it is
/// empty where [`reduce_tile`](crate::tile::reduce_tile) takes as little time.
#[must_use]
pub const fn short_lengths<R: Reducer, C: Cursor>() -> (usize, usize) {
    let lanes = canonical::lanes(R::LANE_BYTES);
    // Fewer lanes are those of large values, which do not stay in registers.
    if VECTOR_LOOPS && R::COMMUTATIVE && C::LINE && lanes >= 16 && !core::mem::needs_drop::<R::Value>() {
        (lanes, canonical::tile_len(lanes))
    } else {
        (1, 0)
    }
}

/// Reduces a tile of `len` iterations from `start` on, one of the [`short_lengths`], as [`reduce_tile`](crate::tile::reduce_tile) does.
///
/// `MASKS`: as [`reduce_tile_with`](crate::tile::reduce_tile_with).
///
/// # Panics
/// If it is none of these lengths.
#[inline(always)]
pub fn reduce_short_tile<const MASKS: bool, R, C, B>(reducer: &R, start: C, len: usize, body: &mut B) -> R::Value
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
    let (least, most) = const { short_lengths::<R, C>() };
    assert!(least <= len && len <= most);
    let mut lanes = Lanes::<R, W>::of_line::<MASKS, C>(reducer, len, start, body);
    lanes.halve_all(|into, from| reducer.join(into, from))
}
