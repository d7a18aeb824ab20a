//! The twin that compiles: nested ranges are made from Spelt's types, and one that ends before it starts is empty.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut a = View::<f64, 2>::zeros("a", [4, 8]).unwrap();
    parallel_for("k", space.team(4, AUTO), &mut a, |team, mut a| {
        team.parallel_for(team.thread_range(std::ops::Range { start: 8, end: 7 }), |rj| a[rj] = 1.0);
    }).unwrap();
    assert!(a.iter().all(|element| *element == 0.0));
}
