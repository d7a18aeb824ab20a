//! Policies are made by spaces.
use spelt::prelude::*;

struct Everywhere;

fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", Everywhere, &mut y, |_, _| ()).unwrap();
}
