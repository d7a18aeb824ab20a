//! The twin that compiles: the View is split first.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let (a, b) = y.view_mut().split_at(0, 2);
    let (a, b) = (a.with_origin([-1]).unwrap(), b.with_origin([-1]).unwrap());
    parallel_for("k", space.signed_range(-1..1), (a, b), |i, (mut a, b)| a[i] = b[i]).unwrap();
}
