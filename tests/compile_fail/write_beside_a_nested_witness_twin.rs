//! The twin that compiles: a loop nested in a team writes at its own witness.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut h = View::<f64, 2>::zeros("h", [4, 3]).unwrap();
    parallel_for("k", space.team(4, AUTO), &mut h, |team, mut h| {
        team.parallel_for(team.thread_range(3), |j| h[j] = 1.0);
    }).unwrap();
}
