//! The twin that compiles: contributions to rows of a distributed View at any indices go by a plan.
use spelt::mpi::{Communicator, Mpi};
use spelt::prelude::*;

pub(crate) fn main() {
    let ranks = Communicator::alone();
    let space = Mpi::new(&ranks, Serial::new());
    let mut sums = space.zeros::<f64, 1>("sums", [4]).unwrap();
    let rows: Vec<usize> = (0..9).map(|i| i % 4).collect();
    let plan = space.plan("rows", sums.partition(), &rows).unwrap();
    let mut contributions = View::<f64, 1>::zeros("contributions", [plan.ghosts()]).unwrap();
    parallel_for("k", space.local().range(0..9), &mut contributions, |i, mut sums| sums[i] = 0.5).unwrap();
    plan.back("k", (&contributions, &mut sums.own_mut().as_view_mut(), Sum::<f64>::new())).unwrap();
    assert_eq!(sums.own().as_view().to_vec(), [1.5, 1.0, 1.0, 1.0]);
}
