//! Code that the tutorials share: command lines with Kokkos's options, and numbers printed as Kokkos does.
#![allow(dead_code, unused_imports, reason = "each tutorial uses its part")]

mod c_random;
mod combination;
mod command_line;
mod numbers;
mod sizes;

use std::fmt::Arguments;
use std::io::{self, Write};
use std::process::{ExitCode, exit};

pub(crate) use c_random::CRandom;
pub(crate) use combination::Combination;
pub(crate) use command_line::{CommandLine, space, wrong};
pub(crate) use numbers::{general, scientific, with_digits};
pub(crate) use sizes::Sizes;

/// `print!` for programs in pipes: a closed pipe ends the program, and so does a full disk, with an error.
macro_rules! say {
    ($($text:tt)*) => { $crate::common::print(format_args!($($text)*)) };
}
pub(crate) use say;

/// Prints for [`say!`].
pub(crate) fn print(text: Arguments<'_>) {
    let mut out = io::stdout();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit(0),
        Err(error) => {
            eprintln!("error: standard output: {error}");
            exit(1);
        }
    }
}

/// The error of a program whose result is wrong.
pub(crate) fn wrong_result(message: impl Into<String>) -> spelt::Error {
    spelt::Error::new(spelt::ErrorKind::Failures, message)
}

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
