//! A witness of one launch is not a witness of another.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let inner = View::<f64, 1>::zeros("inner", [4]).unwrap();
    parallel_for("k", space.range(0..4), &x, |i, _| {
        parallel_for("inner", space.range(0..4), &inner, |_, w| assert!(w[i] == 0.0)).unwrap();
    })
    .unwrap();
}
