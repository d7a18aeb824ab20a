//! Slices in an array of arguments are told how to become Views.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let (u, v) = ([1.0; 4], [2.0; 4]);
    parallel_for("k", space.range(0..4), ([&u[..], &v[..]], &mut y), |_, (_, _)| ()).unwrap();
}
