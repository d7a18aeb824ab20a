//! The twin that compiles: an array of scratch does not outlive the call that made it.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        let mut kept = None;
        team.with_scratch_mut([4], |_| 0, |_, s| kept = Some(s[3]));
        let _ = kept;
    }).unwrap();
}
