//! The twin that compiles: two parts to write come from a split.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let (mut a, mut b) = y.view_mut().split_at(0, 2);
    parallel_for("k", space.range(0..2), (&mut a, &mut b), |i, (mut a, b)| a[i] = b[i]).unwrap();
}
