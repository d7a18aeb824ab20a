//! A loop nested in a team writes at its own witness only, not at numbers taken from it.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut h = View::<f64, 2>::zeros("h", [4, 3]).unwrap();
    parallel_for("k", space.team(4, AUTO), &mut h, |team, mut h| {
        let row = team.league_rank();
        team.parallel_for(team.thread_range(3), |j| h[[row, j.inner()]] = 1.0);
    }).unwrap();
}
