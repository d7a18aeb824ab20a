//! The twin that compiles: an iteration has one mutable row of a View with an origin at a time.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut a = View::<f64, 2>::zeros("a", [4, 3]).unwrap().with_origin([-2, 0]).unwrap();
    parallel_for("k", space.signed_range(-2..2), a.by_rows_mut(), |i, mut a| {
        let mut row = a.row_mut(i);
        row[1] = row[0];
        a.row_mut(i)[0] = 2.0;
    }).unwrap();
}
