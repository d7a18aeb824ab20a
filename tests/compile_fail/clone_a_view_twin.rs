//! The twin that compiles: a View is not a shared handle.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let other = y.view();
    parallel_for("k", space.range(0..4), (&other, &x), |_, _| ()).unwrap();
}
