//! The twin that compiles: bits are not set and reset in one launch.
use spelt::containers::Bitset;
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut bits = Bitset::new(&space, "bits", 4).unwrap();
    #[allow(unused_mut, unused_variables)]
    let mut other = Bitset::new(&space, "other", 4).unwrap();
    parallel_for("k", space.range(0..4), (bits.sets(), other.resets()), |i, (sets, resets)| {
        sets.set(i);
        resets.reset(0);
    })
    .unwrap();
}
