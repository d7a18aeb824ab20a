//! The twin that compiles: a kernel writes a distributed View at the witness.
use spelt::mpi::{Communicator, Mpi};
use spelt::prelude::*;

pub(crate) fn main() {
    let ranks = Communicator::alone();
    let space = Mpi::new(&ranks, Serial::new());
    #[allow(unused_mut)]
    let mut x = space.view_from_fn("x", [4], |[i]| i as f64).unwrap();
    let mut y = space.zeros::<f64, 1>("y", [4]).unwrap();
    parallel_for("k", space.range(0..3), (&x, &mut y), |i, (x, mut y)| y[i] = x[i]).unwrap();
}
