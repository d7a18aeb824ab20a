//! All threads of a team make a collective call, none from a loop over scratch.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, mut s| {
            s.write(team, 4, |_, element, _| {
                *element = 1;
                team.barrier();
            });
        });
    }).unwrap();
}
