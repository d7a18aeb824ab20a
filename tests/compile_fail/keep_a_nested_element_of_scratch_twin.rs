//! The twin that compiles: an element of scratch, lent with a witness, does not outlive the call of the body that it is lent to.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, mut s| {
            let mut kept = None;
            s.write_nested(team, 4, |_, element| kept = Some(*element));
            let _ = kept;
        });
    }).unwrap();
}
