//! The twin that compiles: an iteration writes its own segment only.
use spelt::prelude::*;
use spelt::Offsets;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4]).unwrap()).unwrap();
    parallel_for("k", space.range(0..2), y.by_segments_mut(&offsets), |s, mut y| y[s].fill((s + 1) as f64)).unwrap();
}
