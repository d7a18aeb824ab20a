//! The twin that compiles: a kernel serves iterations of every lifetime.
use spelt::prelude::*;

fn kernel<'k>(i: spelt::Idx<'k, 1>, mut y: spelt::Mut<'k, f64, 1, Right>) {
    y[i] = 1.0;
}

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.range(0..4), &mut y, kernel).unwrap();
}
