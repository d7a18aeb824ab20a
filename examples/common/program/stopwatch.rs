//! The times of a program's parts.

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use spelt::tools::region;
use spelt::{ExecutionSpace, Timer};

use super::Settings;

/// The times of a program's parts, in their order. Each part has the time of the kernels that it launches, too.
pub(crate) struct Stopwatch<'s, S> {
    space: &'s S,
    laps: Vec<(&'static str, Duration)>,
}

impl<'s, S: ExecutionSpace> Stopwatch<'s, S> {
    /// For a program whose kernels run on `space`.
    pub(crate) fn new(space: &'s S) -> Self {
        Self { space, laps: Vec::new() }
    }

    /// Runs a part and records its time. For tools the part is a region.
    pub(crate) fn time<T, E: From<spelt::Error>>(
        &mut self,
        what: &'static str,
        part: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let _region = region(what);
        let timer = Timer::new(self.space)?;
        let result = part()?;
        self.laps.push((what, timer.elapsed()?));
        Ok(result)
    }

    /// The time of the last part with this name. Unit: seconds.
    pub(crate) fn seconds(&self, what: &str) -> f64 {
        let lap = self.laps.iter().rev().find(|(name, _)| *name == what);
        lap.map_or(0.0, |(_, time)| time.as_secs_f64())
    }

    /// Writes the space and all times.
    pub(crate) fn report(&self, out: &mut impl Write, settings: &Settings) -> Result<(), Box<dyn Error>> {
        writeln!(out, "space {}, threads {}", settings.space()?, self.space.concurrency())?;
        for (what, time) in &self.laps {
            writeln!(out, "  {what:<10}{:>9.3} ms", time.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}
