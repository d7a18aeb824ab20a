//! The targets, one a file.

mod command_line;
pub(crate) mod environment;
mod npy;
mod ptx;
mod serde;
mod teams;
mod views;

use fastrand::Rng;

/// The outcome of a harmless case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The input was taken.
    Accepted,
    /// The input was refused by an error.
    Refused,
}

impl Outcome {
    fn of<T, E>(result: &Result<T, E>) -> Self {
        if result.is_ok() { Self::Accepted } else { Self::Refused }
    }
}

/// A target of the fuzzer.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// One case. It panics where something does not hold.
    pub(crate) run: fn(&mut Rng) -> Outcome,
    /// Work before the first case, to which no limit of time applies.
    pub(crate) prepare: fn(),
}

impl Target {
    const fn new(name: &'static str, run: fn(&mut Rng) -> Outcome) -> Self {
        Self { name, run, prepare: || () }
    }
}

pub(crate) const TARGETS: &[Target] = &[
    Target::new("npy", npy::case),
    Target::new("serde", serde::case),
    Target::new("ptx", ptx::case),
    Target { prepare: command_line::prepare, ..Target::new("command-line", command_line::case) },
    Target::new("environment", environment::case),
    Target::new("views", views::case),
    Target::new("teams", teams::case),
];
