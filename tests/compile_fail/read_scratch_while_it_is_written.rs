//! A loop that writes scratch reads what it does not write through its last argument only.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, mut s| {
            s.write(team, 1..4, |_, element, _| *element = s[0]);
        });
    }).unwrap();
}
