//! A team's block of rows is indexed by nested witnesses with one component more than the View.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut a = View::<f64, 2>::zeros("a", [4, 3]).unwrap();
    parallel_for("k", space.team(2, AUTO), a.by_blocks_mut(2).nested(), |team, mut a| {
        team.parallel_for(team.thread_range(2), |rj| a[rj] = 1.0);
    }).unwrap();
    parallel_for("k", space.team(2, AUTO), a.by_blocks_mut(2).nested(), |team, mut a| {
        team.parallel_for(team.thread_md_range([2, 3]), |rij| a[[1, rij.inner()]] = 1.0);
    }).unwrap();
}
