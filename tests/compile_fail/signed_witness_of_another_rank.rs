//! A signed witness indexes Views with an origin of its own rank.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 2>::zeros("y", [4, 4]).unwrap().with_origin([-2, -2]).unwrap();
    parallel_for("k", space.signed_range(-2..2), &mut y, |i, mut y| y[i] = 1.0).unwrap();
}
