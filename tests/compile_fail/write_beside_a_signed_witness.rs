//! A kernel writes a View with an origin at its own index only.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap().with_origin([-2]).unwrap();
    parallel_for("k", space.signed_range(-2..1), &mut y, |i, mut y| y[i + 1] = 1.0).unwrap();
}
