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
//! A scan cuts each tile into such runs too, regardless of the reducer. The value before run `r` of a tile is the tile's
//! prefix joined with the totals of the runs before `r`, which join left to right; within the run the closure continues
//! from there. A tile's total is that of all its runs, left to right. The prefix of tile `t` joins the complete nodes
//! given by the bits of `t`, the largest first: their tiles join as the tree does. So the total of a scan, the tree's
//! value, may differ in its last bits from the prefix at the last index, and from a reduction. Where joins are exact
//! (the reducer's `EXACT`: integers, minima and maxima), all of these are one value.
//!
//! The order depends only on the number of iterations, the size of the value and commutativity.

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

/// The length of the contiguous runs into which a tile of `n` iterations is cut for a scan, and for a reducer
/// that does not commute: the same for all runs but the last ones.
#[must_use]
pub const fn run_len(n: usize, lanes: usize) -> usize {
    n.div_ceil(lanes)
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
