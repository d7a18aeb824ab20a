//! A View with an origin is not read at other indices while it is written.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap().with_origin([-2]).unwrap();
    parallel_for("k", space.signed_range(-1..1), (y.halo::<1>(), &mut y), |i, (x, mut y)| y[i] = x.at(i, [1])).unwrap();
}
