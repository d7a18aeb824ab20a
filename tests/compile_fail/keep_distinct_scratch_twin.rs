//! The twin that compiles: scratch that is written at any index does not outlive the call that made it.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    parallel_for("k", space.team(4, AUTO).scratch(128, 0), (), |team, ()| {
        let mut kept = None;
        // SAFETY: nothing writes the elements.
        unsafe { team.with_distinct_scratch(4, |_| 0, |_, s| kept = s.get(0).copied()) };
        let _ = kept;
    }).unwrap();
}
