//! The numbers that decide how a scan is cut for a device, with their reasons.
//!
//! None of them decides a bit of the result: the canonical order does.

use spelt_order::canonical;

/// The way of a block through its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Each thread joins a run of iterations: where joins are exact.
    Runs,
    /// Each thread joins a row of the canonical order.
    Rows,
    /// The lanes of a row join by shuffles, and the block keeps no contributions: where a tile of them is too large.
    Shuffles,
}

impl Way {
    /// Whether the block keeps each iteration's contribution from one pass to the next.
    pub(super) const fn keeps(self) -> bool {
        !matches!(self, Self::Shuffles)
    }
}

/// Bytes of values that a block of an exact scan holds at a time. Unit: bytes. Source: estimated: with the other data of a block
/// they stay below [`MAX_SHARED_BYTES`], and several blocks fit on a multiprocessor.
const EXACT_BYTES: usize = 32 * 1024;

/// The maximum number of iterations of a thread in an exact scan. Unit: iterations. Source: estimated: beside 15 iterations the
/// work on a thread's total costs little; more would make small ranges use few blocks.
const MAX_RUN: usize = 15;

/// The threads of a block of an exact scan. Unit: threads. Source: estimated: eight warps share one look at the preceding
/// blocks.
const EXACT_THREADS: usize = 256;

/// The maximum number of threads of a block of a scan in canonical tiles. Unit: threads. Source: estimated: four warps. Fewer
/// threads wait while the first warp joins, and the other blocks on a multiprocessor have work meanwhile.
const TILED_THREADS: usize = 128;

/// Bytes of values that a block of a scan in rows holds at a time: one slot for each iteration, and for each row one more and its
/// total. Unit: bytes. Source: with the other data of a block they stay below [`MAX_SHARED_BYTES`]. Two tiles of `f64` take
/// 34 KiB.
const ROWS_BYTES: usize = 40 * 1024;

/// The maximum amount of data that the blocks of one multiprocessor have read once and will read again. Unit: bytes. Source: estimated:
/// it must still be in cache the second time. A multiprocessor of compute capability 9.0 has 256 KiB for shared memory and
/// first-level cache together, of which a block that keeps contributions fills as much as it reads; on 132
/// multiprocessors, 192 KiB are half of the second-level cache of 50 MB. The smaller number is for blocks that keep none.
const IN_FLIGHT_BYTES: [usize; 2] = [128 * 1024, 192 * 1024];

/// The maximum number of threads of one multiprocessor. Unit: threads. Source: the CUDA C++ Programming Guide, table of technical
/// specifications by compute capability: 1024 to 2048; blocks that do not fit take no ticket before others end.
const MAX_THREADS: usize = 2048;

/// The maximum number of bytes that a block keeps in shared memory; above, it keeps them in global memory. Unit: bytes. Source:
/// every device gives 48 KiB by default.
pub(super) const MAX_SHARED_BYTES: usize = 48 * 1024;

/// Whether the rows of `tiles` tiles fit in shared memory.
const fn rows_fit(tiles: usize, bytes: usize, lanes: usize) -> bool {
    (canonical::tile_len(lanes) + 2 * canonical::ROWS) * tiles * bytes <= ROWS_BYTES
}

/// The way through a share.
#[must_use]
pub(super) const fn way(exact: bool, bytes: usize, lanes: usize) -> Way {
    if exact {
        Way::Runs
    } else if rows_fit(1, bytes, lanes) {
        Way::Rows
    } else {
        Way::Shuffles
    }
}

/// The threads of a block.
///
/// The lanes of a warp join the totals of a block's groups, so there are at most 32 groups.
#[must_use]
pub(super) const fn threads(way: Way, bytes: usize, lanes: usize) -> usize {
    match way {
        Way::Runs => {
            let mut threads = EXACT_THREADS;
            while threads > 32 && threads * bytes > EXACT_BYTES {
                threads /= 2;
            }
            threads
        }
        Way::Rows if rows_fit(TILED_THREADS / canonical::ROWS, bytes, lanes) => TILED_THREADS,
        Way::Rows => canonical::ROWS,
        Way::Shuffles if lanes * 32 < TILED_THREADS => lanes * 32,
        Way::Shuffles => TILED_THREADS,
    }
}

/// The threads of a group: those whose totals one lane joins left to right, or the lanes of a row.
#[must_use]
pub(super) const fn group(way: Way, threads: usize, lanes: usize) -> usize {
    match way {
        Way::Runs => threads / 32,
        Way::Rows => canonical::ROWS,
        Way::Shuffles => lanes,
    }
}

/// The iterations of a thread in a whole share.
///
/// An odd number for runs: then neighbouring threads, each on its own run, are in different banks of shared
/// memory.
#[must_use]
pub(super) const fn run(way: Way, threads: usize, bytes: usize, lanes: usize) -> usize {
    match way {
        Way::Runs => {
            let mut run = MAX_RUN;
            while run > 1 && run * threads * bytes > EXACT_BYTES {
                run -= 2;
            }
            run
        }
        Way::Rows => lanes,
        Way::Shuffles => canonical::ROWS,
    }
}

/// The blocks that a launch keeps on each multiprocessor.
#[must_use]
pub(super) const fn blocks_per_multiprocessor(way: Way, threads: usize, run: usize, bytes: usize) -> usize {
    // Values of one byte are seldom made from inputs of one byte.
    let bytes = if bytes < 4 { 4 } else { bytes };
    let by_bytes = IN_FLIGHT_BYTES[way.keeps() as usize] / (threads * run * bytes);
    let most = MAX_THREADS / threads;
    if by_bytes < 1 {
        1
    } else if by_bytes > most {
        most
    } else {
        by_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_a_power_of_two_that_one_warp_has_lanes_for() {
        for bytes in [0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 100, 128, 256, 512, 513, 4096, 1 << 20] {
            for exact in [true, false] {
                let lanes = canonical::lanes(bytes);
                let way = way(exact, bytes, lanes);
                let threads = threads(way, bytes, lanes);
                let groups = threads / group(way, threads, lanes);
                assert!(
                    threads.is_multiple_of(32) && groups.is_power_of_two() && groups <= 32,
                    "{bytes} {exact}"
                );
                let run = run(way, threads, bytes, lanes);
                assert!(!exact || run % 2 == 1, "{bytes}");
                assert!(way != Way::Rows || run * canonical::ROWS == canonical::tile_len(lanes), "{bytes}");
                assert!((1..=32).contains(&blocks_per_multiprocessor(way, threads, run, bytes)), "{bytes}");
            }
        }
    }
}
