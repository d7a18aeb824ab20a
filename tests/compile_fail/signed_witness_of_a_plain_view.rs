//! The launch has not compared signed indices with the extents of Views without an origin.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    parallel_for("k", space.signed_range(-2..2), &mut y, |i, mut y| y[i] = 1.0).unwrap();
}
