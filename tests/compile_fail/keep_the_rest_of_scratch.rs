//! The elements that a loop over scratch only reads are lent for one call of its body: the next loop may write them.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        team.with_scratch_mut([4], |_| 0, |team, mut s| {
            let mut kept = None;
            s.write(team, 0..2, |_, _, rest| kept = Some(rest));
            s.write(team, 2..4, |_, element, _| *element = kept.unwrap()[3]);
        });
    }).unwrap();
}
