//! How many threads, pinned or not: builder, then command line, then environment, then what there is.

use super::gate::MAX_THREADS;
use super::pool::Pool;
use super::signal::Patience;
use crate::{Error, ErrorKind, Result};

/// The environment's setting.
const VARIABLE: &str = "SPELT_NUM_THREADS";

/// The command line's setting.
const OPTION: &str = "--spelt-num-threads";

/// Settings of a thread pool, before it is started.
#[derive(Clone, Debug, Default)]
pub struct ThreadsBuilder {
    num_threads: Option<usize>,
    command_line: Option<usize>,
    pin: bool,
}

impl ThreadsBuilder {
    /// Nothing set: as many threads as the environment or the machine says, not pinned.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of threads, the launching one included. Goes before the command line and the
    /// environment.
    #[must_use]
    pub fn num_threads(mut self, threads: usize) -> Self {
        self.num_threads = Some(threads);
        self
    }

    /// Sets whether workers are pinned to cores, one each. Not done for more threads than allowed cores.
    /// The launching thread is the program's and never pinned.
    #[must_use]
    pub fn pin(mut self, pin: bool) -> Self {
        self.pin = pin;
        self
    }

    pub(crate) fn build_pool(self) -> Result<Pool> {
        let allowed = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = match (self.num_threads, self.command_line) {
            (Some(threads), _) => checked(threads, "num_threads")?,
            (None, Some(threads)) => checked(threads, OPTION)?,
            (None, None) => match std::env::var_os(VARIABLE) {
                Some(value) => parsed(&value.to_string_lossy(), VARIABLE)?,
                None => allowed.min(MAX_THREADS),
            },
        };
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        let patience = if threads <= allowed { Patience::Spin } else { Patience::Sleep };
        // The first core is left to the caller.
        let pins = if self.pin && threads <= cores.len() { &cores[1..] } else { &[] };
        Pool::new(threads, patience, pins)
    }
}

fn parsed(value: &str, setting: &str) -> Result<usize> {
    let threads = value.trim().parse().map_err(|error: core::num::ParseIntError| {
        let message = format!("{setting} is `{value}`: give a whole number from 1 to {MAX_THREADS}");
        Error::new(ErrorKind::Configuration, message).with_source(error)
    })?;
    checked(threads, setting)
}

fn checked(threads: usize, setting: &str) -> Result<usize> {
    if (1..=MAX_THREADS).contains(&threads) {
        Ok(threads)
    } else {
        let message = format!("{setting} is {threads}: give a whole number from 1 to {MAX_THREADS}");
        Err(Error::new(ErrorKind::Configuration, message))
    }
}
