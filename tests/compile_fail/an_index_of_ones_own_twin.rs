//! The twin that compiles: an index of one's own becomes a number, which is checked.
use spelt::prelude::*;

#[derive(Clone, Copy)]
struct Changing;

impl From<Changing> for usize {
    fn from(_: Changing) -> usize {
        3
    }
}

pub(crate) fn main() {
    let space = Serial::new();
    let x = View::from_vec("x", [4], vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    parallel_for("k", space.range(0..4), &x, |_, x| assert!(x[usize::from(Changing)] > 0.0)).unwrap();
}
