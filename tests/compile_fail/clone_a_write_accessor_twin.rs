//! The twin that compiles: a write accessor is not a handle to copy.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.range(0..4), &mut y, |i, y| {
        let mut other = y;
        other[i] = 1.0;
    }).unwrap();
}
