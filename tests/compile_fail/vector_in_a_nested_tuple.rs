//! A `Vec` in a tuple within a tuple is told how to become a View.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let x = vec![1.0; 4];
    parallel_for("k", space.range(0..4), (2.0, (&x, &mut y)), |_, (_, (_, _))| ()).unwrap();
}
