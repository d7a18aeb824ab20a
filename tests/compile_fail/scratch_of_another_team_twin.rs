//! The twin that compiles: scratch is written by loops of its team, not by those of a launch within.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, s| {
            let s = std::cell::RefCell::new(s);
            s.borrow_mut().write(team, 4, |_, element, _| *element = 1);
        });
    }).unwrap();
}
