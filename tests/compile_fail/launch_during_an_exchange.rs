//! A View whose rows are on their way is an argument by its exchange alone.
use spelt::mpi::{Communicator, Mpi};
use spelt::prelude::*;

fn main() {
    let ranks = Communicator::alone();
    let space = Mpi::new(&ranks, Serial::new());
    let mut x = space.view_from_fn("x", [4], |[i]| i as f64).unwrap();
    let mut y = space.zeros::<f64, 1>("y", [4]).unwrap();
    let mut exchange = space.start_exchange("ghosts", x.halo::<1>()).unwrap();
    parallel_for("write", space.range(0..4), &mut x, |i, mut x| x[i] = 1.0).unwrap();
    parallel_for("read", space.range(1..3), (x.halo::<1>(), &mut y), |i, (x, mut y)| y[i] = x.at(i, [1])).unwrap();
    parallel_for("own", space.range(1..3), (&x, &mut y), |i, (x, mut y)| y[i] = x[i]).unwrap();
    let inner = exchange.inner(space.range(1..3));
    let twice = (exchange.halos(), exchange.halos());
    parallel_for("twice", inner, twice, |i, (x, z)| assert!(x[i] == z[i])).unwrap();
    exchange.finish().unwrap();
}
