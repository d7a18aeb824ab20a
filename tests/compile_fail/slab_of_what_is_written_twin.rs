//! The twin that compiles: a row to write is the iteration's own.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let x = View::<f64, 2>::zeros("x", [4, 3]).unwrap();
    let mut y = View::<f64, 2>::zeros("y", [4, 3]).unwrap();
    parallel_for("k", space.range(0..4), (&x, y.by_rows_mut()), |i, (x, mut y)| {
        y.row_mut(i)[0] = x.slab(0)[0];
        assert_eq!(y.row_mut(i)[0], 0.0);
        assert_eq!(y.row(i).subview(1..3)[0], x.subview((0, 1..3))[0]);
    }).unwrap();
}
