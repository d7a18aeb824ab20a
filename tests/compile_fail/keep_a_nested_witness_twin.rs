//! The twin that compiles: a witness of a nested loop does not leave it.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let mut a = View::<f64, 2>::zeros("a", [4, 4]).unwrap();
    parallel_for("k", space.team(4, AUTO), &mut a, |team, mut a| {
        let mut kept = Vec::new();
        team.parallel_for(team.thread_range(4), |rj| {
            kept.push(rj.inner());
            a[rj] = 1.0;
        });
    }).unwrap();
}
