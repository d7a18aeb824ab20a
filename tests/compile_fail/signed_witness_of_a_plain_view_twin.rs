//! The twin that compiles: the View has an origin.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap().with_origin([-2]).unwrap();
    parallel_for("k", space.signed_range(-2..2), &mut y, |i, mut y| y[i] = 1.0).unwrap();
}
