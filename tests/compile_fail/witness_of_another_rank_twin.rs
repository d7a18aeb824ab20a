//! The twin that compiles: a witness indexes Views of its own rank.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let mut z = View::<f64, 2>::zeros("z", [2, 2]).unwrap();
    parallel_for("k", space.md_range([0..2, 0..2]), &mut z, |i, mut z| z[i] = 1.0).unwrap();
}
