//! The numbers that programs begin with.

/// A number from 0 to 1 for each index: a Weyl sequence (Knuth 3, 6.4), evenly spread, the same on every machine.
pub(super) fn spread(i: usize) -> f64 {
    ((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64 / (1 << 24) as f64
}
