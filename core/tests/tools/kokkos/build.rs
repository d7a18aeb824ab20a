//! The program of the tests, and its libraries.

use std::process::Command;

use super::compiled::{calls_of_tool, program};
pub(super) use super::compiled::{library, lines};

/// The part of the program that runs.
pub(super) const PART: &str = "SPELT_TEST_PART";

/// The program of the tests, with these libraries.
pub(super) fn child(part: &str, libraries: &str) -> Command {
    let mut command = program("kokkos::program::child", libraries);
    command.env(PART, part);
    command
}

/// The lines of the library `tool` when the program runs with it, which ends well.
pub(super) fn calls(part: &str, library: &str) -> Vec<String> {
    calls_of_tool(&child(part, library).output().expect("the child"))
}
