//! A signed witness belongs to one launch: another launch has other ranges.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let x = View::<f64, 1>::zeros("x", [4]).unwrap().with_origin([-2]).unwrap();
    let y = View::<f64, 1>::zeros("y", [9]).unwrap().with_origin([-5]).unwrap();
    parallel_for("outer", space.signed_range(-2..2), &x, |_, x| {
        parallel_for("inner", Serial::new().signed_range(-5..4), &y, |i, y| assert_eq!(x[i], y[i])).unwrap();
    }).unwrap();
}
