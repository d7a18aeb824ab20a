//! Two parts to write of a View with an origin come from a split.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap().with_origin([-2]).unwrap();
    let (a, b) = (y.part_mut([-2..1]).unwrap(), y.part_mut([-1..2]).unwrap());
    parallel_for("k", space.signed_range(-1..1), (a, b), |i, (mut a, b)| a[i] = b[i]).unwrap();
}
