//! The twin that compiles: offsets do not change while a launch uses them.
use spelt::prelude::*;
use spelt::Offsets;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4]).unwrap()).unwrap();
    parallel_for("k", space.range(0..2), y.by_segments_mut(&offsets), |s, mut y| y[s].fill(1.0)).unwrap();
    let mut changed = offsets.into_view();
    changed[1] = 3;
    let offsets = Offsets::new(changed).unwrap();
    parallel_for("k", space.range(0..2), y.by_segments_mut(&offsets), |s, mut y| y[s].fill(2.0)).unwrap();
}
