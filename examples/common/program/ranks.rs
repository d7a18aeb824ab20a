//! Programs on ranks.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use spelt::mpi::{Communicator, Mpi};
use spelt::{ExecutionSpace, SpaceChoice};

use super::{Outcome, Settings, Task, end, on_space};

/// A program on ranks, which is its command line.
pub(crate) trait RanksProgram: Parser {
    /// Long options that may be given with one dash, as Kokkos's exercises have them.
    const ONE_DASH: &'static [&'static str] = &[];

    /// The options that all programs have.
    fn settings(&self) -> &Settings;

    /// Runs the program on the ranks; the settings choose the space of each.
    fn run<S: ExecutionSpace + 'static>(&self, space: &Mpi<'_, S>) -> Outcome;
}

/// Runs a program on the ranks that a launcher started, or on one; an error goes to standard error and ends it with status 2.
pub(crate) fn main<P: RanksProgram>() -> ExitCode {
    let program = P::parse_from(std::env::args_os().map(|argument| {
        let long = P::ONE_DASH.iter().find(|name| argument.to_str() == Some(**name));
        long.map_or(argument, |name| format!("-{name}").into())
    }));
    let ended = spelt::mpi::run(|ranks| {
        let task = OnRanks { ranks, program: &program };
        let outcome = on_space(program.settings(), |choice| own_space(choice, ranks), task);
        // An error of one rank ends the others, which would wait for it.
        match outcome.map_err(|error| error.downcast::<spelt::Error>()) {
            Err(Ok(error)) => Err(*error),
            Err(Err(error)) => Ok(Err(error)),
            Ok(()) => Ok(Ok(())),
        }
    });
    end(ended.unwrap_or_else(|error| Err(Box::<dyn Error>::from(error))))
}

/// Prints the lines of all ranks on rank 0, in the order of the ranks. Each rank gives its own.
pub(crate) fn print_in_order(ranks: &Communicator, lines: &str) -> Outcome {
    let all = ranks.gather("lines", 0, lines.as_bytes().to_vec())?;
    let mut out = io::stdout();
    for lines in all.into_iter().flatten() {
        writeln!(out, "{}", String::from_utf8_lossy(&lines))?;
    }
    Ok(())
}

/// The space of this rank: the ranks of a machine take its devices in turn, from the one that was chosen.
pub(crate) fn own_space(choice: SpaceChoice, ranks: &Communicator) -> spelt::Result<SpaceChoice> {
    let SpaceChoice::Cuda(first) = choice else { return Ok(choice) };
    let count = devices()?;
    // The message about a device that is not there names it.
    let own = if first < count { (first + ranks.local_rank()) % count } else { first };
    Ok(SpaceChoice::Cuda(own))
}

/// The number of devices that this build can use.
fn devices() -> spelt::Result<usize> {
    #[cfg(feature = "cuda")]
    return spelt::Cuda::count();
    #[cfg(not(feature = "cuda"))]
    Ok(0)
}

/// A program on these ranks.
struct OnRanks<'p, P> {
    ranks: &'p Communicator,
    program: &'p P,
}

impl<P: RanksProgram> Task for OnRanks<'_, P> {
    fn run<S: ExecutionSpace + 'static>(self, space: S) -> Outcome {
        self.program.run(&Mpi::new(self.ranks, space))
    }
}
