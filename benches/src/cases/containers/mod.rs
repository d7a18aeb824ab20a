//! Kokkos's containers, random numbers and sort by bins, and Spelt's.

mod by_bins;
mod map;
mod random;

use super::Case;

pub(super) const CASES: [Case; 3] = [map::CASE, random::CASE, by_bins::CASE];

/// Sizes from those in cache to those in main memory.
const SIZES: &[usize] = &[1_000, 10_000, 100_000, 1_000_000, 10_000_000];
