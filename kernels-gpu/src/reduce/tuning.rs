//! The numbers of reductions, with their reasons.

use crate::intrinsics::WARP;
use crate::tuning::MAX_BLOCKS;

/// Rows of a tile whose loads can be under way at the same time. Unit: rows. Source: estimated: a load takes some 600 ns, in
/// which a multiprocessor of an H100 could fetch 15 KiB; 16 rows of 8 bytes of one warp are 4 KiB, so that four warps are
/// enough, and the 64 rows of a tile take four such waits.
pub const ROWS_AT_ONCE: usize = 16;

/// Warps of a block of a reduction, if values are small and there are enough tiles. Unit: warps. Source: as for
/// `FOR_THREADS`.
const REDUCE_WARPS: u32 = 8;

/// The maximum number of blocks of a reduction in which each warp has one row of tiles. Unit: blocks. Source: estimated: the last
/// block joins 1024 partial results of 8 bytes in one step, and each step takes about 400 ns.
const PARTIALS: usize = 8192;

/// Shared memory that a block gets by default. Unit: bytes. Source: the CUDA programming guide.
const SHARED: usize = 48 << 10;

/// Several values up to this size are joined at a time before threads exchange them. Unit: bytes. Source: four of them
/// should stay in registers.
const SMALL: usize = 32;

/// The number of neighbouring partial results of `bytes` bytes that one thread of the last block joins.
#[must_use]
pub const fn partials_at_once(bytes: usize) -> usize {
    if bytes <= SMALL { 4 } else { 1 }
}

/// The division of a reduction over blocks.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReduceShape {
    /// Iterations.
    pub n: usize,
    /// Rows of tiles, as many side by side as fit into a warp, that each warp runs one after the other. A power of two.
    pub steps: u32,
    /// Warps of a block. A power of two.
    pub warps: u32,
    /// Blocks.
    pub blocks: u32,
}

impl ReduceShape {
    /// For `n` iterations in tiles of `lanes` lanes and `tile_len` iterations, with values of `bytes` bytes, on a device with
    /// this number of multiprocessors; `None` if that takes more blocks than a launch can have, which is beyond 2^44 iterations.
    #[must_use]
    pub const fn new(
        n: usize,
        lanes: usize,
        tile_len: usize,
        bytes: usize,
        multiprocessors: usize,
    ) -> Option<Self> {
        let rows = n.div_ceil(tile_len).div_ceil(WARP as usize / lanes);
        let mut warps = REDUCE_WARPS;
        // Large values: the exchange of a block must fit into its shared memory. One warp needs none.
        while warps > 1 && warps as usize * bytes > SHARED / 2 {
            warps /= 2;
        }
        // Few tiles: they are spread over all multiprocessors.
        while warps > 1 && rows < warps as usize * 2 * multiprocessors {
            warps /= 2;
        }
        let mut steps = 1;
        while rows.div_ceil(warps as usize * steps) > PARTIALS && steps < super::warp::MAX_IN_ROW as usize {
            steps *= 2;
        }
        let blocks = rows.div_ceil(warps as usize * steps);
        let blocks = if blocks == 0 { 1 } else { blocks };
        if blocks > MAX_BLOCKS as usize {
            return None;
        }
        Some(Self { n, steps: steps as u32, warps, blocks: blocks as u32 })
    }

    /// The same iterations cut differently: all powers of two give the same bits.
    #[must_use]
    pub const fn cut(self, lanes: usize, warps: u32, steps: u32) -> Self {
        let rows = self.n.div_ceil(lanes * spelt_order::canonical::ROWS).div_ceil(WARP as usize / lanes);
        let blocks = rows.div_ceil(warps as usize * steps as usize);
        Self { n: self.n, steps, warps, blocks: if blocks == 0 { 1 } else { blocks as u32 } }
    }

    /// Threads of a block.
    #[must_use]
    pub const fn threads(&self) -> u32 {
        self.warps * WARP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_has_a_warp() {
        for n in [0, 1, 2048, 2049, 1_000_000, 100_000_000, 1 << 40] {
            for (lanes, bytes) in [(32, 8), (16, 32), (8, 64), (1, 600), (1, 60_000)] {
                let shape = ReduceShape::new(n, lanes, lanes * 64, bytes, 132).unwrap();
                let rows = n.div_ceil(lanes * 64).div_ceil(32 / lanes);
                assert!(shape.blocks as usize * shape.warps as usize * shape.steps as usize >= rows);
                assert!(shape.steps.is_power_of_two() && shape.warps.is_power_of_two());
                assert!(shape.warps == 1 || shape.warps as usize * bytes <= SHARED);
            }
        }
    }

    #[test]
    fn small_launches_use_all_multiprocessors() {
        assert_eq!(ReduceShape::new(1_000_000, 32, 2048, 8, 132).unwrap().warps, 1);
        assert_eq!(
            ReduceShape::new(100_000_000, 32, 2048, 8, 132),
            Some(ReduceShape { n: 100_000_000, steps: 1, warps: 8, blocks: 6104 })
        );
    }

    #[test]
    fn too_long_launches_have_no_shape() {
        for (lanes, bytes) in [(32, 8), (1, 60_000)] {
            assert!(ReduceShape::new(1 << 44, lanes, lanes * 64, bytes, 132).is_some());
            assert_eq!(ReduceShape::new(usize::MAX, lanes, lanes * 64, bytes, 132), None);
        }
    }
}
