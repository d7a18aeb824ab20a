//! Scratch that a team writes is its threads' alone: no other thread knows when they meet.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |_, s| {
            parallel_for("inner", Serial::new().range(0..4), (), |i, ()| assert_eq!(s[i.get()], 0)).unwrap();
        });
    }).unwrap();
}
