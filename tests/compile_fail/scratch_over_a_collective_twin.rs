//! The twin that compiles: scratch is read until the next collective call.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.team(4, AUTO).scratch(64, 0), (), |team, ()| {
        let first = team.scratch_fill(4, |k| k);
        assert_eq!(first[0], 0);
        team.scratch_fill(4, |k| k + 1);
    }).unwrap();
}
