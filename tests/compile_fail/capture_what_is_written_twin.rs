//! The twin that compiles: a kernel does not capture the View that it writes.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.range(0..4), &mut y, |i, mut w| w[i] = x[0]).unwrap();
}
