//! The number of units of a launch: tuning constants, with their reasons.

use spelt_order::canonical;

use super::HostThreads;

/// Launches of fewer iterations begin on the caller (`opening.rs`), unless the program sets a chunk; scans of fewer are shared if they are long (`few_scan.rs`).
/// Unit: iterations. Source: the empty loop of docs/benchmarks.md: waking a spinning thread and waiting for it costs about 0.6 us, in
/// which one thread sums that many numbers.
pub(crate) const BREAK_EVEN: usize = 8192;

/// The same for reductions and searches. Unit: iterations. Source: sums of so many `f64` take 1.6 us on one thread, and as long on two
/// with waking the other; loops that write take twice as long (docs/benchmarks.md).
pub(crate) const BREAK_EVEN_OF_SUMS: usize = 20_480;

/// Units for each thread, so that a late or slow thread costs at most a sixteenth of a launch.
pub(crate) const UNITS_PER_THREAD: usize = 16;

/// Those of launches that are known to be short. Source: sums of 10^5 `f32` on two threads take 3.5 us with sixteen, 3.0 with four (Intel Xeon,
/// docs/benchmarks/launches.md).
pub(crate) const UNITS_OF_SHORT: usize = 4;

/// The maximum number of units whose partial results a launch keeps at a time.
pub(crate) const MAX_UNITS: usize = 256;

/// The lanes of a unit whose iterations gain from vector code. Unit: lanes. Source: a register of 512 bits holds 8 `f64`.
const VECTOR: usize = 8;

/// Lengths of chunks are multiples of this, so that their borders are on cache lines for elements of any size.
const CHUNK_STEP: usize = 64;

/// Chunks of launches of few iterations are multiples of this, if they are at least twice as long. Unit: items. Source: the numbers of 4 bytes in
/// a cache line.
const OF_A_LINE: usize = 16;

/// The number of items of `per_item` iterations in the chunks of a `parallel_for` over `n` items, with so many units for each thread; the last one is
/// shorter.
pub(crate) fn chunk_len(space: &dyn HostThreads, n: usize, per_item: usize, per_thread: usize) -> usize {
    let units = space.threads() * per_thread;
    let iterations = n.saturating_mul(per_item);
    if iterations < BREAK_EVEN {
        // A launch of so few iterations is distributed because they are long.
        let chunk = (n / units).max(1);
        return if chunk < 2 * OF_A_LINE { chunk } else { chunk.next_multiple_of(OF_A_LINE) };
    }
    iterations.div_ceil(units).next_multiple_of(CHUNK_STEP).div_ceil(per_item)
}

/// The length of chunks of about `chunk` items, whole lines of `line` items if those are not longer. The ends of a line that is cut are not whole
/// vectors.
pub(crate) fn whole_lines(chunk: usize, line: usize) -> usize {
    if line <= chunk { chunk.next_multiple_of(line.max(1)) } else { chunk }
}

/// The number of tiles, a power of two, that make one unit of a reduction of `tiles` tiles, with so many units for each thread.
pub(crate) fn tiles_per_unit(space: &dyn HostThreads, tiles: usize, per_thread: usize) -> usize {
    let units = (space.threads() * per_thread).min(MAX_UNITS);
    tiles.div_ceil(units).next_power_of_two()
}

/// The same for a launch in parts: a function of its length alone, as the parts must be.
pub(crate) const fn tiles_per_unit_in_parts(tiles: usize) -> usize {
    tiles.div_ceil(MAX_UNITS).next_power_of_two()
}

/// The number of tiles in each part of a reduction of `tiles` tiles, whose arguments have `parts` replicas: whole units.
pub(crate) fn tiles_per_part(tiles: usize, parts: usize) -> usize {
    let per_unit = tiles_per_unit_in_parts(tiles);
    tiles.div_ceil(per_unit).div_ceil(parts) * per_unit
}

/// The number of tiles, a power of two, that make one unit of a reduction of `tiles` tiles, where a chunk of so many was chosen.
pub(crate) fn tiles_per_chunk(tiles: usize, chunk: usize) -> usize {
    let most = tiles.next_power_of_two();
    chunk.clamp(tiles.div_ceil(MAX_UNITS).max(1), most).next_power_of_two()
}

/// The number of lanes, a power of two, of a unit of a reduction that opens with `left` lanes of tiles of `lanes` lanes. `short`:
/// its iterations are.
pub(crate) fn lanes_per_unit(space: &dyn HostThreads, left: usize, lanes: usize, short: bool) -> usize {
    let least = if short { VECTOR.min(lanes) } else { 1 };
    let width = left / (space.threads() * UNITS_PER_THREAD);
    1 << width.clamp(least, lanes).ilog2()
}

/// The number of lanes, a power of two, of a unit of a reduction of `n` iterations in tiles of `lanes` lanes, where a chunk of so many was
/// chosen.
pub(crate) fn lanes_of(chunk: usize, n: usize, lanes: usize) -> usize {
    let in_a_lane = n.min(canonical::tile_len(lanes)).div_ceil(lanes);
    1 << (chunk / in_a_lane.max(1)).clamp(1, lanes).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Readiness;
    use crate::host::opening::tests::Two;

    #[test]
    fn chunks_of_few_iterations_end_on_cache_lines_where_they_are_long_enough() {
        let chunk = |n, per_item| chunk_len(&Two(Readiness::Awake), n, per_item, UNITS_PER_THREAD);
        assert_eq!([1, 31, 64, 1000].map(|n| chunk(n, 1)), [1, 1, 2, 31]);
        assert_eq!([1024, 1056, 2000, BREAK_EVEN - 1].map(|n| chunk(n, 1)), [32, 48, 64, 256]);
        // Of many iterations, on several.
        assert_eq!([chunk(BREAK_EVEN, 1), chunk(10_000, 1), chunk(1000, 100)], [256, 320, 32]);
    }

    #[test]
    fn chunks_are_whole_lines_where_those_are_short() {
        assert_eq!([1, 98, 319, 320].map(|line| whole_lines(320, line)), [320, 392, 638, 320]);
        assert_eq!(
            [0, 321, 1000].map(|line| whole_lines(320, line)),
            [320; 3],
            "longer than a chunk, or none"
        );
    }
}
