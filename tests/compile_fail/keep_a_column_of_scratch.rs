//! A column of scratch does not outlive the call of the body that it is lent to.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([2, 4], |_| 0, |team, mut s| {
            let mut kept = None;
            s.write_columns(team, 4, |_, column, _| kept = Some(column));
        });
    }).unwrap();
}
