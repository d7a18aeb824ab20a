//! Code that the programs with pictures share: command line and space, a stopwatch, progress, canvases and colours, vectors.
#![allow(dead_code, unused_imports, reason = "each program uses its part")]

pub(crate) mod canvas;
mod chart;
mod heights;
mod progress;
#[cfg(feature = "mpi")]
pub(crate) mod ranks;
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
    let program = P::parse();
    end(on_space(program.settings(), Ok, OneProcess(&program)))
}

/// The exit status for this outcome, after the message of an error.
fn end(outcome: Outcome) -> ExitCode {
    match outcome {
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

/// What runs on the space that the settings choose.
trait Task {
    fn run<S: ExecutionSpace + 'static>(self, space: S) -> Outcome;
}

/// A program in one process.
struct OneProcess<'p, P>(&'p P);

impl<P: Program> Task for OneProcess<'_, P> {
    fn run<S: ExecutionSpace + 'static>(self, space: S) -> Outcome {
        self.0.run(&space)
    }
}

/// Runs a task on the space that `choose` makes of the one in the settings.
fn on_space(
    settings: &Settings,
    choose: impl FnOnce(SpaceChoice) -> spelt::Result<SpaceChoice>,
    task: impl Task,
) -> Outcome {
    let choice = choose(settings.space()?)?;
    // A folder that cannot be written is an error before the computation, not after it.
    settings.folder()?;
    match (choice, settings.threads) {
        (SpaceChoice::Threads, Some(threads)) => {
            return task.run(spelt::AnyHost::from(Threads::builder().num_threads(threads).build()?));
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
    with_space!(choice, |space| task.run(space))
}
