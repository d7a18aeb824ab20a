//! The twin that compiles: policies are made by spaces.
use spelt::prelude::*;

struct Everywhere;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let _ = Everywhere;
    parallel_for("k", space.range(0..4), &mut y, |_, _| ()).unwrap();
}
