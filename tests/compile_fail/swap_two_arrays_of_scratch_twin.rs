//! The twin that compiles: arrays of scratch do not change places: one is free before the other.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, mut s| {
            team.with_scratch_mut([8], |_| 0, |team, mut t| {
                s.write(team, 4, |[i], s, _| *s = t[i]);
                t.write(team, 4, |[i], t, _| *t = s[i]);
            });
        });
    }).unwrap();
}
