//! The twin that compiles: a View is not read while it is added to.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.range(0..4), (&x, y.atomic()), |i, (r, a)| { a.add(0, r[i]); }).unwrap();
}
