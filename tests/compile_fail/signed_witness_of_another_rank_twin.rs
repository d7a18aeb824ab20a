//! The twin that compiles: both have rank 2.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 2>::zeros("y", [4, 4]).unwrap().with_origin([-2, -2]).unwrap();
    parallel_for("k", space.signed_md_range([-2..2, -2..2]), &mut y, |i, mut y| y[i] = 1.0).unwrap();
}
