//! Bits are not tested while they are set.
use spelt::containers::Bitset;
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut bits = Bitset::new(&space, "bits", 4).unwrap();
    #[allow(unused_variables)]
    let other = Bitset::new(&space, "other", 4).unwrap();
    parallel_for("k", space.range(0..4), (&bits, bits.sets()), |i, (old, bits)| {
        if !old.test(i) {
            bits.set(i);
        }
    })
    .unwrap();
}
