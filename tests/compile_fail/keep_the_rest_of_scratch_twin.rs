//! The twin that compiles: between loops, the array itself is read.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, mut s| {
            s.write(team, 0..2, |_, element, _| *element = 1);
            let kept = s[1];
            s.write(team, 2..4, |_, element, _| *element = kept);
        });
    }).unwrap();
}
