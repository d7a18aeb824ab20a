//! The canonical order: the order in which a reduction joins values, on every space.
//!
//! A range of `n` iterations is cut into tiles of `lanes * ROWS` iterations. In a tile, lane `l` takes the
//! iterations `l, l + lanes, l + 2 lanes, ..`, in ascending order, into its own value; then lanes join by
//! halving (`l` with `l + lanes/2`, and so on); then tiles join pairwise by tile number, level by level. Lanes
//! and tiles without iterations are skipped, not joined as identities, because that could change bits.
//!
//! ```text
//! iteration  0 1 2 3 | 4 5 6 7 | 8 9          lanes = 4
//! lane       0 1 2 3   0 1 2 3   0 1
//! join       ((0+4+8) + (2+6)) + ((1+5+9) + (3+7))
//! ```
//! A non-commutative reducer has lanes that take contiguous runs of [`run_len`] iterations instead; they join pairwise
//! by number, level by level, as tiles do, so values join in index order.
//!
//! A scan goes through each tile in rows of [`scan_lanes`] neighbours. The closure, run on an identity, makes the contribution of each
//! iteration. The value from which an iteration starts joins, from left to right, the tiles before its own, the rows before its
//! own in its tile, and the iterations before it in its row: `(tiles + rows) + iterations`. A part that is empty is skipped; the
//! first iteration of all starts from an identity. Contributions of a row join pairwise by number, level by level; rows of a tile
//! from left to right; the tiles before tile `t` in the blocks given by the bits of `t`, each joined as the tree does, the largest
//! first.
//!
//! ```text
//! iteration  0  1  2    3        4           5              scan_lanes = 4
//! starts     -  0  0+1  (0+1)+2  (0+1)+(2+3) ((0+1)+(2+3))+4
//! ```
//! So the total of a scan, the tree's value, may differ in its last bits from the prefix at the last index, and from a reduction; and
//! a prefix may be smaller in the last bit than the one before it, even if all contributions are positive. Where joins are exact
//! (the reducer's `EXACT`: integers, minima and maxima), all of these are one value.
//!
//! The order depends only on the number of iterations, the size of the value and commutativity.

use core::mem::needs_drop;

use spelt_reducers::Reducer;

/// The number of this order. Source: raised by each change that gives a result of the patterns other bits, beside the golden test of conformance:
/// 2 since scans go in rows. Algorithms with other orders, as segmented scans, do not count. Ranks with other numbers refuse each other.
///
/// # Examples
/// ```
/// println!("bits by order {}", spelt_order::canonical::NUMBER);
/// ```
pub const NUMBER: u32 = 2;

/// Iterations of a lane in one tile. Unit: iterations. Source: estimated: beside 64 rows of four registers the joins of
/// 32 lanes, five steps of a few cycles, cost below a tenth; and 10^5 iterations still make 49 tiles to distribute.
pub const ROWS: usize = 64;

/// The maximum number of lanes of a tile.
pub const MAX_LANES: usize = 32;

/// The number of lanes of a tile for values of `bytes` bytes (for arrays of run-time length, the size of an element).
///
/// 32 lanes of 8 bytes fill four 512-bit registers, enough to hide the latency of an addition, and one warp of
/// a GPU. Above 16 bytes the lanes become fewer so that they stay in registers.
///
/// Measured on the host (2-core Xeon, 32768 values in cache, ns an element with AVX-512 and with AVX2): sum of f64
/// 0.05 and 0.06, of f32 0.03 and 0.03, at the rate of the loads; `MinLoc<f64>` (16 bytes) with 32 lanes 0.16 and
/// 0.39, with 16 lanes 0.19 and 0.41; `MinMax<f64>` with 32 lanes 0.06 and 0.09, with 16 lanes 0.08 and 0.10;
/// `MinMaxLoc<f64>` (32 bytes) with 16 lanes 0.31 and 0.73, with 8 lanes 0.41 and 0.85. Sums of 4 bytes already keep up with
/// the second-level cache, and more lanes make short ranges more expensive: hence 32 there too.
///
/// # Examples
/// ```
/// assert_eq!(spelt_order::canonical::lanes(core::mem::size_of::<f64>()), 32);
/// ```
#[must_use]
pub const fn lanes(bytes: usize) -> usize {
    match bytes {
        0..=16 => 32,
        17..=32 => 16,
        33..=64 => 8,
        65..=128 => 4,
        129..=512 => 2,
        _ => 1,
    }
}

/// `of_lanes!(R: function, A, B)`: the instance `function::<W, A, B>` for the `W` lanes of the reducer `R`.
///
/// A constant, so that the compiler visits this instance alone. Of a `match` with a call in each arm it would visit all, with everything that they
/// call, though it compiles one.
macro_rules! of_lanes {
    ($reducer:ident: $function:ident, $($argument:tt),*) => {
        const {
            match $crate::canonical::lanes($reducer::LANE_BYTES) {
                32 => $function::<32, $($argument),*>,
                16 => $function::<16, $($argument),*>,
                8 => $function::<8, $($argument),*>,
                4 => $function::<4, $($argument),*>,
                2 => $function::<2, $($argument),*>,
                _ => $function::<1, $($argument),*>,
            }
        }
    };
}
pub(crate) use of_lanes;

/// The iterations of a whole tile of `lanes` lanes.
#[must_use]
pub const fn tile_len(lanes: usize) -> usize {
    lanes * ROWS
}

/// The number of tiles of `n` iterations with `lanes` lanes.
#[must_use]
pub const fn tile_count(n: usize, lanes: usize) -> usize {
    n.div_ceil(tile_len(lanes))
}

/// The length of the contiguous runs into which a tile of `n` iterations is cut for a reducer that does not commute: the
/// same for all runs but the last ones.
#[must_use]
pub const fn run_len(n: usize, lanes: usize) -> usize {
    n.div_ceil(lanes)
}

/// The largest value that a scan keeps in rows of several lanes. Unit: bytes. Source: [`lanes`] gives larger ones one lane
/// anyway, unless the reducer asks for lanes of another size.
const MAX_BYTES_IN_ROWS: usize = 512;

/// The lanes of a row in a scan, and of its tiles: [`lanes`], but 1 for values with drop glue or above 512 bytes.
///
/// # Examples
/// ```
/// use spelt_order::canonical::scan_lanes;
/// use spelt_reducers::Sum;
///
/// assert_eq!(scan_lanes::<Sum<f64>>(), 32);
/// ```
#[must_use]
pub const fn scan_lanes<R: Reducer>() -> usize {
    if needs_drop::<R::Value>() || size_of::<R::Value>() > MAX_BYTES_IN_ROWS {
        1
    } else {
        lanes(R::LANE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Different numbers mean a different order, and so different bits of results.
    #[test]
    fn the_numbers_of_the_order_are_these() {
        let most = [16, 32, 64, 128, 512];
        let ends = most.map(|bytes| [lanes(bytes), lanes(bytes + 1)]);
        assert_eq!(ends, [[32, 16], [16, 8], [8, 4], [4, 2], [2, 1]]);
        assert_eq!([lanes(0), lanes(usize::MAX), ROWS, tile_len(32)], [32, 1, 64, 2048]);
        assert_eq!([0, 1, 2048, 2049, 4096].map(|n| tile_count(n, 32)), [0, 1, 1, 2, 2]);
        assert_eq!([0, 1, 31, 32, 33, 64, 2047, 2048].map(|n| run_len(n, 32)), [0, 1, 1, 1, 2, 2, 64, 64]);
    }
}
