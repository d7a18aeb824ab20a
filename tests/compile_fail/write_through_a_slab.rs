//! A slab of what a kernel reads is only read.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let x = View::<f64, 2>::zeros("x", [4, 3]).unwrap();
    parallel_for("k", space.range(0..4), &x, |_, x| x.slab(0)[0] = 1.0).unwrap();
}
