//! An accessor of segments takes one kind of witness.
use spelt::prelude::*;
use spelt::Offsets;

fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4]).unwrap()).unwrap();
    parallel_for("k", space.team(2, AUTO), y.by_segments_mut(&offsets), |team, mut y| {
        team.parallel_for(team.thread_range(1), |rj| y[rj] = 1.0);
    }).unwrap();
    parallel_for("k", space.team(2, AUTO), y.by_segments_mut(&offsets).nested(), |team, mut y| {
        team.single(|w| y[w] = 1.0);
    }).unwrap();
}
