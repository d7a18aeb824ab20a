//! Code that the programs with pictures share: command line and space, a stopwatch, progress, canvases and colours, vectors.
#![allow(dead_code, unused_imports, reason = "each program uses its part")]

pub(crate) mod canvas;
mod chart;
mod heights;
mod progress;
mod settings;
mod stopwatch;
pub(crate) mod tint;
pub(crate) mod vector;

use std::error::Error;
use std::io;
use std::process::ExitCode;

use clap::Parser;
use spelt::prelude::*;

pub(crate) use chart::{Axis, Chart, chart};
pub(crate) use heights::Heights;
pub(crate) use progress::Progress;
pub(crate) use settings::Settings;
pub(crate) use stopwatch::Stopwatch;

/// The result of a program.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// A program, which is its command line.
pub(crate) trait Program: Parser {
    /// The options that all programs have.
    fn settings(&self) -> &Settings;

    /// Runs the program on the space that the settings choose.
    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome;
}

/// Runs a program; an error goes to standard error and ends it with status 2.
pub(crate) fn main<P: Program>() -> ExitCode {
    match start(&P::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has closed the pipe.
        Err(error)
            if error.downcast_ref::<io::Error>().is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe) =>
        {
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", env!("CARGO_CRATE_NAME"));
            ExitCode::from(2)
        }
    }
}

fn start(program: &impl Program) -> Outcome {
    let settings = program.settings();
    let choice = settings.space()?;
    // A folder that cannot be written is an error before the computation, not after it.
    settings.folder()?;
    match (choice, settings.threads) {
        (SpaceChoice::Threads, Some(threads)) => {
            return program.run(&spelt::AnyHost::from(Threads::builder().num_threads(threads).build()?));
        }
        (SpaceChoice::Rayon, Some(threads)) => {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
        }
        (SpaceChoice::Cuda(_), Some(_)) => {
            return Err("--threads: the space `cuda` has the threads of its device".into());
        }
        (SpaceChoice::Serial, Some(2..)) => return Err("--threads: the space `serial` has one thread".into()),
        _ => {}
    }
    with_space!(choice, |space| program.run(&space))
}
