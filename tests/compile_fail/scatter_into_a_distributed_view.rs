//! Contributions to rows of a distributed View at any indices go by a plan.
use spelt::mpi::{Communicator, Mpi};
use spelt::prelude::*;

fn main() {
    let ranks = Communicator::alone();
    let space = Mpi::new(&ranks, Serial::new());
    let mut sums = space.zeros::<f64, 1>("sums", [4]).unwrap();
    parallel_for("k", space.range(0..9), sums.scatter(), |i, sums| sums.add(i.get() % 4, 0.5)).unwrap();
    let mut most = space.zeros::<f64, 1>("most", [4]).unwrap();
    parallel_for("k", space.range(0..9), most.scatter_with(Max::<f64>::new()), |i, most| most.max(i.get() % 4, 0.5)).unwrap();
    let mut counts = space.zeros::<u32, 1>("counts", [4]).unwrap();
    parallel_for("k", space.range(0..9), counts.atomic(), |i, counts| counts.add(i.get() % 4, 1)).unwrap();
}
