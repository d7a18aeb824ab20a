//! The twin that compiles: a View that a kernel writes is not an argument of a launch nested in it.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    parallel_for("outer", space.range(0..4), &mut y, |i, mut w| {
        parallel_for("inner", space.range(0..4), &x, |j, x| assert!(x[j] == 0.0)).unwrap();
        w[i] = 1.0;
    })
    .unwrap();
}
