//! A tuple of more than 24 arguments is told how to pass them.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<u8, 1>::zeros("y", [4]).unwrap();
    let args = (&mut y, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24);
    parallel_for("k", space.range(0..4), args, |_, _| ()).unwrap();
}
