//! The twin that compiles: an iteration has one mutable slab of its block at a time.
use spelt::prelude::*;
use spelt::Offsets;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4]).unwrap()).unwrap();
    parallel_for("k", space.range(0..2), y.by_blocks_mut(offsets.segments()), |b, mut y| {
        let [first, second] = y.part_mut(b).into_elements();
        std::mem::swap(first, second);
    }).unwrap();
}
