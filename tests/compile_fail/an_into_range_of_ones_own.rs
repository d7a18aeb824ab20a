//! `IntoRange` is sealed: the length of a nested range is its end minus its start, unchecked.
use spelt::prelude::*;

struct Backwards;

impl spelt::IntoRange for Backwards {
    fn into_range(self) -> std::ops::Range<usize> {
        std::ops::Range { start: 8, end: 7 }
    }
}

fn main() {
    let space = Serial::new();
    let mut a = View::<f64, 2>::zeros("a", [4, 8]).unwrap();
    parallel_for("k", space.team(4, AUTO), &mut a, |team, mut a| {
        team.parallel_for(team.thread_range(Backwards), |rj| a[rj] = 1.0);
    }).unwrap();
}
