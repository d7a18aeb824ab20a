//! The twin that compiles: rows of a distributed View at any indices come by a plan.
use spelt::mpi::{Communicator, Mpi};
use spelt::prelude::*;

pub(crate) fn main() {
    let ranks = Communicator::alone();
    let space = Mpi::new(&ranks, Serial::new());
    #[allow(unused_mut)]
    let mut x = space.view_from_fn("x", [4], |[i]| i as f64).unwrap();
    let mut y = space.zeros::<f64, 1>("y", [4]).unwrap();
    let rows: Vec<usize> = x.own_rows().map(|i| 3 - i).collect();
    let plan = space.plan("rows", x.partition(), &rows).unwrap();
    let mut ghosts = View::<f64, 1>::zeros("ghosts", [plan.ghosts()]).unwrap();
    plan.forward("rows", (&x.own().as_view(), &mut ghosts)).unwrap();
    let mut own = y.own_mut();
    let local = space.local().range(0..rows.len());
    parallel_for("k", local, (&ghosts, &mut own.as_view_mut()), |i, (x, mut y)| y[i] = x[i]).unwrap();
}
