//! Offsets do not change while a launch uses them.
use spelt::prelude::*;
use spelt::Offsets;

fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4]).unwrap()).unwrap();
    let args = y.by_segments_mut(&offsets);
    let mut changed = offsets.into_view();
    changed[1] = 3;
    parallel_for("k", space.range(0..2), args, |s, mut y| y[s].fill(1.0)).unwrap();
}
