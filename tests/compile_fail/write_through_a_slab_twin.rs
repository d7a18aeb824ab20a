//! The twin that compiles: a slab of what a kernel reads is only read.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let x = View::<f64, 2>::zeros("x", [4, 3]).unwrap();
    parallel_for("k", space.range(0..4), &x, |_, x| assert_eq!(x.slab(0)[0], 0.0)).unwrap();
}
