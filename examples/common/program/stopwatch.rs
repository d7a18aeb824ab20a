//! The times of a program's parts.

use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use spelt::ExecutionSpace;

use super::Settings;

/// The times of a program's parts, in their order.
#[derive(Default)]
pub(crate) struct Stopwatch {
    laps: Vec<(&'static str, Duration)>,
}

impl Stopwatch {
    /// Runs a part and records its time.
    pub(crate) fn time<T>(&mut self, what: &'static str, part: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = part();
        self.laps.push((what, start.elapsed()));
        result
    }

    /// The time of the last part with this name. Unit: seconds.
    pub(crate) fn seconds(&self, what: &str) -> f64 {
        let lap = self.laps.iter().rev().find(|(name, _)| *name == what);
        lap.map_or(0.0, |(_, time)| time.as_secs_f64())
    }

    /// Writes the space and all times.
    pub(crate) fn report<S: ExecutionSpace>(
        &self,
        out: &mut impl Write,
        settings: &Settings,
        space: &S,
    ) -> Result<(), Box<dyn Error>> {
        writeln!(out, "space {}, threads {}", settings.space()?, space.concurrency())?;
        for (what, time) in &self.laps {
            writeln!(out, "  {what:<10}{:>9.3} ms", time.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}
