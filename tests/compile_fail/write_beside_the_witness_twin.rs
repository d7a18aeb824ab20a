//! The twin that compiles: a kernel writes at its own index only.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.range(0..3), &mut y, |i, mut y| y[i] = (i + 1) as f64).unwrap();
}
