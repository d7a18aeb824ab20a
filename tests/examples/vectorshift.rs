//! The example `vectorshift` on every space and several numbers of ranks.

#[path = "../../examples/vectorshift/shift.rs"]
mod shift;

use spelt::mpi::Mpi;

use crate::run::on_each_space;
use crate::spaces::{on_every_space, on_ranks};

#[test]
fn the_one_goes_around_the_ranks() {
    on_ranks(|ranks| {
        on_every_space!(|space, name| {
            let space = Mpi::new(ranks, space);
            // The last has fewer elements than there are ranks, and goes around more than once.
            for (n, shifts) in [(1024, 16), (21, 0), (21, 20), (21, 21), (5, 13)] {
                let found = shift::place_of_one(&space, n, shifts).unwrap();
                assert_eq!(
                    found,
                    Some(shifts % n),
                    "{shifts} shifts of {n}, {} ranks on {name}",
                    ranks.size()
                );
            }
        });
    });
}

#[test]
fn the_program_is_silent() {
    on_each_space("vectorshift", "", |outcome| assert_eq!(outcome.stdout, ""));
}
