//! A vector that is divided among ranks, shifted around them.
//!
//! Where Kokkos's remote spaces write each element to its place on another rank, each rank here reads the element before its first one: a
//! halo of one element of a periodic View. A launch fetches it by itself, in one message.
//!
//! The same program as Kokkos's exercise vectorshift, which prints nothing but an error:
//! ```text
//! cargo run --release --example vectorshift
//! mpirun -n 4 target/release/examples/vectorshift -space serial
//! ```
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod shift;

use std::process::ExitCode;

use spelt::mpi::Mpi;
use spelt::prelude::*;

/// Elements of the vector.
const SIZE: usize = 1024;

/// Shifts by one element.
const SHIFTS: usize = 16;

fn main() -> ExitCode {
    let choice = common::space("A vector of 1024 integers on all ranks, shifted 16 times by one element");
    common::exit_code(spelt::mpi::run(|ranks| {
        with_space!(choice, |space| {
            let space = Mpi::new(ranks, space);
            let found = shift::place_of_one(&space, SIZE, SHIFTS)?;
            assert_eq!(found, Some(SHIFTS % SIZE), "the place of the only 1 after {SHIFTS} shifts");
            Ok(())
        })
    }))
}
