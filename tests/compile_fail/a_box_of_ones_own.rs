//! The boxes of loops over scratch are sealed: threads share the box that each of them gives.
use spelt::prelude::*;

struct Own;

impl spelt::IntoBox<1> for Own {
    fn into_box(self) -> [std::ops::Range<usize>; 1] {
        [0..5]
    }
}

fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, mut s| s.write(team, Own, |_, element, _| *element = 1));
    }).unwrap();
}
