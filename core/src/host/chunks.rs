//! The number of units of a launch: tuning constants, with their reasons.

use super::HostThreads;

/// Launches of fewer iterations run on the caller, unless the program sets a chunk. Unit: iterations. Source: the empty loop
/// of docs/benchmarks.md: waking a spinning thread and waiting for it costs about 0.6 us, in which one thread sums that many
/// numbers.
pub(crate) const BREAK_EVEN: usize = 8192;

/// Units for each thread, so that a late or slow thread costs at most a sixteenth of a launch.
const UNITS_PER_THREAD: usize = 16;

/// The maximum number of units whose partial results a launch keeps at a time.
pub(crate) const MAX_UNITS: usize = 256;

/// Lengths of chunks are multiples of this, so that their borders are on cache lines for elements of any size.
const CHUNK_STEP: usize = 64;

/// The length of the chunks of a `parallel_for` over `n` iterations; the last one is shorter.
pub(crate) fn chunk_len(space: &impl HostThreads, n: usize, asked: Option<usize>) -> usize {
    if let Some(chunk) = asked {
        return chunk;
    }
    let threads = space.threads();
    if threads == 1 || n < BREAK_EVEN {
        return n.max(1);
    }
    n.div_ceil(threads * UNITS_PER_THREAD).next_multiple_of(CHUNK_STEP)
}

/// The number of tiles, a power of two, that make one unit of a reduction of `tiles` tiles.
pub(crate) fn tiles_per_unit(space: &impl HostThreads, tiles: usize) -> usize {
    let units = (space.threads() * UNITS_PER_THREAD).min(MAX_UNITS);
    tiles.div_ceil(units).next_power_of_two()
}
