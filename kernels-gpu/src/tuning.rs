//! The numbers of every launch, with their reasons; those of reductions, scans and teams are in their folders.

use crate::intrinsics::WARP;

/// Threads of a block of `parallel_for`. Unit: threads. Source: estimated: eight such blocks fill a multiprocessor of 2048
/// threads, with up to 32 registers for each thread, and four with up to 64; fewer threads would cost more blocks, more
/// threads leave more of them idle at the end of a block.
pub const FOR_THREADS: u32 = 256;

/// The least number of blocks for each multiprocessor, if they have more than a warp. Unit: blocks. Source: on an H100, 9,766 long iterations in 39
/// blocks left 93 of 132 multiprocessors idle.
const FOR_BLOCKS: usize = 2;

/// The threads of a block of a `parallel_for` over `len` indices, one for each, on a device with this number of multiprocessors: fewer than
/// [`FOR_THREADS`] if the indices are few.
#[must_use]
pub fn block_threads(len: usize, multiprocessors: usize) -> u32 {
    let mut threads = FOR_THREADS;
    while threads > WARP && len.div_ceil(threads as usize) < FOR_BLOCKS * multiprocessors {
        threads /= 2;
    }
    threads
}

/// The largest number of iterations of a thread in `parallel_for` over a range, a power of two. Unit: iterations. Source: counted,
/// docs/benchmarks/device.md: finding the first takes a thread some forty instructions, whose share has become small with eight.
const FOR_EACH: usize = 8;

/// The least number, if it is not 1. Unit: iterations. Source: counted, docs/benchmarks/device.md: the compiler writes small loops out for four (axpy: 15.3
/// instructions an iteration); with two, axpy takes 29.6, as many as before threads could have several (28).
const FOR_EACH_AT_LEAST: usize = 4;

/// The least number of times that the blocks of such a launch fill the device if threads run more than one iteration: fewer, longer
/// blocks would leave more of it idle at the end. Unit: times. Source: estimated: half a block's time is idle on average, a
/// sixteenth of eight.
const FOR_FILLS: usize = 8;

/// The number of iterations that each thread runs in a `parallel_for` over a range of `len` indices, on a device that holds
/// `resident` threads at a time.
#[must_use]
pub const fn iterations_each(len: usize, resident: usize) -> u32 {
    let fills = len / (FOR_FILLS * if resident == 0 { 1 } else { resident });
    let each = if fills < FOR_EACH { fills } else { FOR_EACH };
    if each < FOR_EACH_AT_LEAST { 1 } else { 1 << each.ilog2() }
}

/// Threads of a block along its fastest dimension, if a box has more than one. Unit: threads. Source: estimated: two
/// warps' worth of coalesced accesses; the four rows of the block then share the reads of a stencil in neighbouring rows: 1.5
/// rows are read for each written, not 3.
pub const FOR_ROW: u32 = 64;

/// The maximum number of threads of a block. Unit: threads. Source: the CUDA programming guide.
pub const MAX_THREADS: u32 = 1024;

/// The maximum number of blocks of a launch. Unit: blocks. Source: the CUDA programming guide.
pub const MAX_BLOCKS: u32 = i32::MAX as u32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_iterations_are_spread_over_all_multiprocessors() {
        let threads = |len| block_threads(len, 132);
        assert_eq!((threads(1), threads(32 * 263), threads(64 * 262)), (32, 32, 32));
        assert_eq!(
            (threads(64 * 264), threads(256 * 263), threads(256 * 264), threads(usize::MAX)),
            (64, 128, 256, 256)
        );
    }

    #[test]
    fn threads_run_several_iterations_where_blocks_remain_many() {
        let resident = 132 * 2048;
        let each = |len| iterations_each(len, resident);
        assert_eq!((each(0), each(100_000), each(4 * 8 * resident - 1)), (1, 1, 1));
        assert_eq!((each(4 * 8 * resident), each(10_000_000), each(100_000_000)), (4, 4, 8));
        assert_eq!((each(usize::MAX), iterations_each(100, 0)), (8, 8));
    }
}
