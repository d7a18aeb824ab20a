//! The twin that compiles: a View in a tuple within a tuple.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let x = vec![1.0; 4];
    let x = ViewRef::from(&x[..]);
    parallel_for("k", space.range(0..4), (2.0, (&x, &mut y)), |_, (_, (_, _))| ()).unwrap();
}
