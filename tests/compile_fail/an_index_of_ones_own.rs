//! Indices are sealed: one that changes between the check and the access would read anywhere.
use spelt::prelude::*;

#[derive(Clone, Copy)]
struct Changing;

impl spelt::AsIndex<1> for Changing {
    fn as_index(self) -> [usize; 1] {
        [3]
    }

    fn as_signed(self) -> [isize; 1] {
        [3]
    }
}

impl spelt::CheckedIndex<1> for Changing {}

impl spelt::HostIndex<HostSpace, 1> for Changing {}

fn main() {
    let space = Serial::new();
    let x = View::from_vec("x", [4], vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    parallel_for("k", space.range(0..4), &x, |_, x| assert!(x[Changing] > 0.0)).unwrap();
}
