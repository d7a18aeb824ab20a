//! What the tutorials share: command lines with Kokkos's options, and Kokkos's way to print numbers.
#![allow(dead_code, unused_imports, reason = "each tutorial uses its part")]

mod command_line;
mod numbers;
mod sizes;

use std::process::ExitCode;

pub(crate) use command_line::{CommandLine, space};
pub(crate) use numbers::general;
pub(crate) use sizes::Sizes;

/// Success, or the error on standard error and status 1.
pub(crate) fn exit_code(result: spelt::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
