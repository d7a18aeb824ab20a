//! The numbers that decide how a scan is cut for a device, with their reasons.
//!
//! None of them decides a bit of the result: the canonical order does.

use spelt_order::canonical;

/// Bytes of values that a block of an exact scan holds at a time. Unit: bytes. Source: estimated: with the other data of a block
/// they stay below [`MAX_SHARED_BYTES`], and several blocks fit on a multiprocessor.
const EXACT_BYTES: usize = 32 * 1024;

/// The maximum number of iterations of a thread in an exact scan. Unit: iterations. Source: estimated: beside 15 iterations the
/// work on a thread's total costs little; more would make small ranges use few blocks.
const MAX_ROWS: usize = 15;

/// The threads of a block of an exact scan. Unit: threads. Source: estimated: eight warps share one look at the preceding
/// blocks.
const EXACT_THREADS: usize = 256;

/// The threads of a block of a scan in canonical tiles. Unit: threads. Source: estimated: four warps, of four tiles of 32
/// lanes. Fewer threads wait while the first warp joins, and of three blocks on a multiprocessor the others have work meanwhile.
const TILED_THREADS: usize = 128;

/// The maximum amount of data that the blocks of one multiprocessor have read once and will read again. Unit: bytes. Source: estimated:
/// it must still be in cache the second time. A multiprocessor of compute capability 9.0 has 256 KiB for shared memory and
/// first-level cache together, of which an exact scan fills with values as much as it reads; on 132 multiprocessors,
/// 192 KiB are half of the second-level cache of 50 MB.
const IN_FLIGHT_BYTES: [usize; 2] = [192 * 1024, 128 * 1024];

/// The maximum number of threads of one multiprocessor. Unit: threads. Source: the CUDA C++ Programming Guide, table of technical
/// specifications by compute capability: 1024 to 2048; blocks that do not fit take no ticket before others end.
const MAX_THREADS: usize = 2048;

/// The maximum number of bytes that a block keeps in shared memory; above, it keeps them in global memory. Unit: bytes. Source:
/// every device gives 48 KiB by default.
pub(super) const MAX_SHARED_BYTES: usize = 48 * 1024;

/// The threads of a block.
///
/// The lanes of a warp join the totals of a block's groups, so there are at most 32 groups.
#[must_use]
pub(super) const fn threads(exact: bool, bytes: usize, lanes: usize) -> usize {
    if exact {
        let mut threads = EXACT_THREADS;
        while threads > 32 && threads * bytes > EXACT_BYTES {
            threads /= 2;
        }
        threads
    } else if lanes * 32 < TILED_THREADS {
        lanes * 32
    } else {
        TILED_THREADS
    }
}

/// The threads of a group: those whose totals one lane joins left to right.
#[must_use]
pub(super) const fn group(exact: bool, threads: usize, lanes: usize) -> usize {
    if exact { threads / 32 } else { lanes }
}

/// The iterations of a thread in a whole share.
///
/// An odd number for exact reducers: then neighbouring threads, each on its own run, are in different banks of shared
/// memory.
#[must_use]
pub(super) const fn run(exact: bool, threads: usize, bytes: usize) -> usize {
    if !exact {
        return canonical::ROWS;
    }
    let mut rows = MAX_ROWS;
    while rows > 1 && rows * threads * bytes > EXACT_BYTES {
        rows -= 2;
    }
    rows
}

/// The blocks that a launch keeps on each multiprocessor.
#[must_use]
pub(super) const fn blocks_per_multiprocessor(
    exact: bool,
    threads: usize,
    run: usize,
    bytes: usize,
) -> usize {
    // Values of one byte are seldom made from inputs of one byte.
    let bytes = if bytes < 4 { 4 } else { bytes };
    let by_bytes = IN_FLIGHT_BYTES[exact as usize] / (threads * run * bytes);
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
                let threads = threads(exact, bytes, lanes);
                let groups = threads / group(exact, threads, lanes);
                assert!(
                    threads.is_multiple_of(32) && groups.is_power_of_two() && groups <= 32,
                    "{bytes} {exact}"
                );
                let run = run(exact, threads, bytes);
                assert!(!exact || run % 2 == 1, "{bytes}");
                assert!((1..=16).contains(&blocks_per_multiprocessor(exact, threads, run, bytes)), "{bytes}");
            }
        }
    }
}
