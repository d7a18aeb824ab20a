//! The twin that compiles: an element is not read while a reference to write it lives.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    parallel_for("k", space.range(0..4), &mut y, |i, mut y| {
        y[i] += y[i] * 2.0;
        let own = &mut y[i];
        *own += 1.0;
    })
    .unwrap();
}
