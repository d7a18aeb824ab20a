//! The twin that compiles: a witness of one launch is a plain number in another.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let inner = View::<f64, 1>::zeros("inner", [4]).unwrap();
    parallel_for("k", space.range(0..4), &x, |i, _| {
        parallel_for("inner", space.range(0..4), &inner, |_, w| assert!(w[i.get()] == 0.0)).unwrap();
    })
    .unwrap();
}
