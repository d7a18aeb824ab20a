//! Scratch is written by loops of its team, not by those of a launch within.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |_, s| {
            let s = std::sync::Mutex::new(s);
            parallel_for("inner", Serial::new().team(4, AUTO), (), |team, ()| {
                s.lock().unwrap().write(team, 4, |_, element, _| *element = 1);
            }).unwrap();
        });
    }).unwrap();
}
