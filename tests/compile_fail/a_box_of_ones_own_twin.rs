//! The twin that compiles: a box is an array of ranges.
use spelt::prelude::*;

struct Own;

impl Own {
    fn ranges(self) -> [std::ops::Range<usize>; 1] {
        [0..4]
    }
}

pub(crate) fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, mut s| s.write(team, Own.ranges(), |_, element, _| *element = 1));
    }).unwrap();
}
