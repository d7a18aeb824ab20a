//! A write accessor with an origin is not a handle to copy.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap().with_origin([-2]).unwrap();
    parallel_for("k", space.signed_range(-2..2), &mut y, |i, mut y| {
        let mut other = y.clone();
        std::mem::swap(&mut y[i], &mut other[i]);
    }).unwrap();
}
