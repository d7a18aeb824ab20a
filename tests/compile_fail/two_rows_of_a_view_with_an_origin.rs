//! An iteration has one mutable row of a View with an origin at a time.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut a = View::<f64, 2>::zeros("a", [4, 3]).unwrap().with_origin([-2, 0]).unwrap();
    parallel_for("k", space.signed_range(-2..2), a.by_rows_mut(), |i, mut a| {
        let (mut first, mut second) = (a.row_mut(i), a.row_mut(i));
        std::mem::swap(&mut first[0], &mut second[0]);
    }).unwrap();
}
