//! The twin that compiles: a write accessor with an origin is not a handle to copy.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap().with_origin([-2]).unwrap();
    parallel_for("k", space.signed_range(-2..2), &mut y, |i, y| {
        let mut other = y;
        std::mem::swap(&mut 1.0, &mut other[i]);
    }).unwrap();
}
